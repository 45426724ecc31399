package actions

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Request asks for an action, and says where it comes from.
type Request = escalate.ActRequest

// Exact is an action exactly as it would run, or ran. Argv is empty where the
// daemon does it by itself.
type Exact struct {
	escalate.Act
	Argv   []string `json:"argv"`
	Folder string   `json:"folder,omitempty"`
	// Hash has to be shown with a proposal, and given back to approve it.
	Hash string `json:"hash"`
}

const (
	maxKey         = 200
	maxReason      = 500
	defaultExpires = 24 * time.Hour
	maxExpires     = 7 * 24 * time.Hour
)

// check refuses what no caller may ask for, and bounds the rest.
func (e *Engine) check(r Request) (Request, error) {
	if r.Key == "" || len(r.Key) > maxKey {
		return r, fmt.Errorf("the key has %d bytes, must have 1 to %d", len(r.Key), maxKey)
	}
	if r.Expires < 0 {
		return r, errors.New("it expires before it begins")
	}
	if r.Expires == 0 {
		r.Expires = defaultExpires
	}
	r.Expires = min(r.Expires, maxExpires)
	if r.At.IsZero() {
		r.At = e.Now()
	}
	r.Reason = subconscious.Head(e.Redact(subconscious.Visible(r.Reason, false)), maxReason)
	r.Clause, r.Why = subconscious.Head(subconscious.Visible(r.Clause, false), maxReason), subconscious.Head(subconscious.Visible(r.Why, false), maxReason)
	return r, nil
}

// ident makes the short name of a proposal or a run: "p-backup-3k". Its number
// is never given twice.
func ident(prefix, action string, number int64) string {
	word, _, _ := strings.Cut(strings.ReplaceAll(action, "_", "-"), "-")
	return prefix + "-" + word[:min(len(word), 12)] + "-" + strconv.FormatInt(number, 32)
}

// Changed is the short name of what changed, of which the database says its action and
// number.
func Changed(prefix, said string) string {
	action, digits, _ := strings.Cut(said, " ")
	number, _ := strconv.ParseInt(digits, 10, 64) // a trigger wrote it
	return ident(prefix, action, number)
}

// numberOf reads the number out of such a name; 0 where there is none.
func numberOf(prefix, id string) int64 {
	at := strings.LastIndexByte(id, '-')
	if at < 0 || len(id) > 64 || !strings.HasPrefix(id, prefix+"-") {
		return 0
	}
	number, err := strconv.ParseInt(id[at+1:], 32, 64)
	if err != nil {
		return 0
	}
	return number
}
