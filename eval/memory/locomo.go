package memory

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// turn is what somebody said in a conversation.
type turn struct {
	name    string // as evidence calls it: D8:6
	session string
	place   int
	speaker string
	text    string
	said    time.Time
}

// question is asked of one conversation.
type question struct {
	text     string
	category int
	evidence []string // names of turns
}

// conversation is one file's worth of turns, with what is asked of them.
type conversation struct {
	name      string
	turns     []turn
	questions []question
}

// most are the bytes of a file, unpacked.
const most = 64 << 20

// load reads conversations in the form of LoCoMo: a list of {sample_id, qa,
// conversation}, packed or not.
func load(path string) ([]conversation, error) {
	raw, err := harness.ReadFile(path, most)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if raw, err = harness.Read(io.Reader(unpacked), most); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	var samples []struct {
		ID string `json:"sample_id"`
		QA []struct {
			Question string   `json:"question"`
			Category int      `json:"category"`
			Evidence []string `json:"evidence"`
		} `json:"qa"`
		Conversation map[string]json.RawMessage `json:"conversation"`
	}
	if err := json.Unmarshal(raw, &samples); err != nil {
		return nil, fmt.Errorf("%s: it is not a list of conversations: %w", path, err)
	}
	var all []conversation
	for _, s := range samples {
		c := conversation{name: s.ID}
		if err := c.read(s.Conversation); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, s.ID, err)
		}
		for _, q := range s.QA {
			if asked := (question{q.Question, q.Category, c.known(q.Evidence)}); len(asked.evidence) > 0 {
				c.questions = append(c.questions, asked)
			}
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there is no conversation in it", path)
	}
	return all, nil
}

// sessionName is the name of a session's turns.
var sessionName = regexp.MustCompile(`^session_(\d+)$`)

func (c *conversation) read(parts map[string]json.RawMessage) error {
	var names []string
	for name := range parts {
		if sessionName.MatchString(name) {
			names = append(names, name)
		}
	}
	number := func(name string) int { n, _ := strconv.Atoi(sessionName.FindStringSubmatch(name)[1]); return n }
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	for _, name := range names {
		var lines []struct {
			Speaker string `json:"speaker"`
			Name    string `json:"dia_id"`
			Text    string `json:"text"`
			Caption string `json:"blip_caption"`
		}
		if err := json.Unmarshal(parts[name], &lines); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var when string
		if err := json.Unmarshal(parts[name+"_date_time"], &when); err != nil {
			return fmt.Errorf("%s_date_time: %w", name, err)
		}
		said, err := time.Parse("3:04 pm on 2 January, 2006", when)
		if err != nil {
			return fmt.Errorf("%s_date_time: %w", name, err)
		}
		for i, l := range lines {
			text := l.Text
			if l.Caption != "" {
				text += "\n" + l.Caption
			}
			c.turns = append(c.turns, turn{l.Name, c.name + "/" + name, i, l.Speaker, text, said})
		}
	}
	return nil
}

// one is the name of a turn, however it is written: D8:6, D:11:26.
var one = regexp.MustCompile(`D:?(\d+):(\d+)`)

// known are the turns that evidence names, those alone that there are.
func (c *conversation) known(evidence []string) (names []string) {
	for _, m := range one.FindAllStringSubmatch(strings.Join(evidence, " "), -1) {
		session, _ := strconv.Atoi(m[1])
		place, _ := strconv.Atoi(m[2])
		name := fmt.Sprintf("D%d:%d", session, place)
		if !slices.Contains(names, name) && slices.ContainsFunc(c.turns, func(t turn) bool { return t.name == name }) {
			names = append(names, name)
		}
	}
	return names
}
