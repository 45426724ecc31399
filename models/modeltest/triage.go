package modeltest

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Verdict is what triage says of one mail.
type Verdict struct {
	N     int    `json:"n"`
	Act   string `json:"act"`
	By    string `json:"by"`
	Loss  int    `json:"loss"`
	ForMe bool   `json:"for_me"`
	Why   string `json:"why"`
}

var numbered = regexp.MustCompile(`(?m)^[0-9]+\. `)

// Verdicts is the answer to a request that wants mails judged by their numbers; ""
// to any other. judge is given the letters of what is shown of one.
func Verdicts(r Request, judge func(shown string) Verdict) string {
	if !strings.Contains(string(r.shape()), `"verdicts"`) {
		return ""
	}
	all := []Verdict{}
	shown := r.Shown()
	starts := numbered.FindAllStringIndex(shown, -1)
	for i, at := range starts {
		end := len(shown)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		v := judge(Letters(shown[at[0]:end]))
		v.N = i + 1
		all = append(all, v)
	}
	data, _ := json.Marshal(map[string]any{"verdicts": all}) // numbers and texts
	return string(data)
}
