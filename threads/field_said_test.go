package threads_test

import (
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// TestInterestedInConversations: the librarian and the dreamer are shown what is
// said, the oracle what is promised with a date; and to what is promised without
// one the librarian comes back.
func TestInterestedInConversations(t *testing.T) {
	at := clock("2026-11-23 12:00")
	observe := func(kind string, change subconscious.Change, due time.Duration) subconscious.Observation {
		o := subconscious.Observation{Sense: "conversation", Kind: kind, ID: kind, Change: change, At: at}
		if due != 0 {
			o.Due = at.Add(due)
		}
		return o
	}
	for _, test := range []struct {
		name string
		o    subconscious.Observation
		want []subconscious.ThreadName
	}{
		{"a message", observe("message", subconscious.Momentary, 0), []subconscious.ThreadName{"librarian", "dreamer"}},
		{"a question", observe("question", subconscious.Appeared, 0), []subconscious.ThreadName{"librarian", "dreamer"}},
		{"a question that is answered", observe("question", subconscious.Gone, 0), []subconscious.ThreadName{"librarian", "dreamer"}},
		{"a promise far ahead", observe("promise", subconscious.Appeared, 30*day), []subconscious.ThreadName{"librarian", "oracle", "dreamer"}},
		{"a promise without a date", observe("promise", subconscious.Appeared, 0), []subconscious.ThreadName{"dreamer"}},
		{"a promise that is kept", observe("promise", subconscious.Gone, 0), []subconscious.ThreadName{"librarian", "oracle", "dreamer"}},
	} {
		var got []subconscious.ThreadName
		for _, thread := range subconscious.Threads() {
			if threads.Interested(thread, test.o) {
				got = append(got, thread)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v are interested, want %v", test.name, got, test.want)
		}
	}
}
