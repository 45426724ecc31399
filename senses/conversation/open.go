package conversation

import (
	"slices"
	"time"
)

// What one conversation may hold open at once; of more the oldest go.
const (
	maxQuestions = 8
	maxOpen      = 100
)

// open is something that stands in a conversation, as it is kept in a row.
type open struct {
	Key      string   `json:"k"`
	Question bool     `json:"q,omitempty"`
	Until    int64    `json:"u"` // seconds
	Terms    []uint32 `json:"t,omitempty"`
}

// talk is one conversation: what it is called, and what is open in it, the
// oldest first.
type talk struct {
	name string
	link string
	Open []open
}

// add keeps something open, in place of what has its key. It returns what has to
// go for it.
func (t *talk) add(item open) (lost []open) {
	t.Open = slices.DeleteFunc(t.Open, func(o open) bool { return o.Key == item.Key })
	t.Open = append(t.Open, item)
	questions := 0
	for _, o := range t.Open {
		if o.Question {
			questions++
		}
	}
	excess := len(t.Open) - maxOpen
	return t.take(func(o open) bool {
		switch {
		case o.Question && questions > maxQuestions:
			questions--
			return true
		case excess > 0:
			excess--
			return true
		}
		return false
	})
}

// take removes what is so, and returns it.
func (t *talk) take(is func(open) bool) (taken []open) {
	var kept []open
	for _, item := range t.Open {
		if is(item) {
			taken = append(taken, item)
		} else {
			kept = append(kept, item)
		}
	}
	t.Open = kept
	return taken
}

// expire forgets what no longer stands by itself, which the ledger tells.
func (t *talk) expire(at time.Time) {
	t.take(func(item open) bool { return item.Until <= at.Unix() })
}

// shares reports whether two lists have something in common.
func shares(a, b []uint32) bool {
	return slices.ContainsFunc(a, func(term uint32) bool { return slices.Contains(b, term) })
}
