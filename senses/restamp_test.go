package senses_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Whatever the ledger keeps of a sense is stamped anew when it asks for that:
// what stands, what happened, what waits for a thread and every change that can
// be read back, less and more. Nobody hears of it, and no other sense's is.
func TestRestamp(t *testing.T) {
	ctx := context.Background()
	b := newBook(t)
	old := item("stands", "1")
	stands := item("stands", "2")
	said := change(item("said", "1"), subconscious.Momentary)
	b.tick([]senses.Collected{standingSet("notes", "n", "a", old), standingSet("notes", "other", "a", item("theirs", "1"))})
	batch := senses.Batch{Sets: []senses.Set{{Scope: "a", Items: []subconscious.Observation{stands}}}, Changes: []subconscious.Observation{said}}
	first := b.tick([]senses.Collected{brings("notes", "n", batch)})
	waiting := pending(first, subconscious.Watcher)

	check := func(when string, want subconscious.Trust) {
		t.Helper()
		for name, want := range map[string]subconscious.Trust{"stands": want, "said": want, "theirs": subconscious.Machine} {
			ref := subconscious.NewRef("notes", name)
			for seq := range int64(8) {
				o, ok, err := b.ledger.Observation(ctx, subconscious.Citation{Ref: ref, Seq: seq})
				if err != nil || ok && o.Trust != want {
					t.Errorf("%s: %s@%d is %q, want %q, %v", when, name, seq, o.Trust, want, err)
				}
			}
			if o, ok := b.ledger.View().Get(ref); ok && o.Trust != want {
				t.Errorf("%s: %s stands as %q, want %q", when, name, o.Trust, want)
			}
		}
		s := b.ledger.Stage(b.at, nil)
		list, _ := s.Pending(subconscious.Watcher)
		for _, o := range list {
			if o.Instance == "n" && o.Trust != want {
				t.Errorf("%s: %s waits as %q, want %q", when, o.ID, o.Trust, want)
			}
		}
		if got := pending(s, subconscious.Watcher); fmt.Sprint(got) != fmt.Sprint(waiting) {
			t.Errorf("%s: there wait %v, want %v", when, got, waiting)
		}
	}
	check("at first", subconscious.Machine)
	for _, trust := range []subconscious.Trust{subconscious.Outsider, subconscious.Owner} {
		asks := senses.Batch{Cursor: []byte(trust), Restamp: func(subconscious.Observation) subconscious.Trust { return trust }}
		if s := b.tick([]senses.Collected{brings("notes", "n", asks)}); len(s.Changes()) > 0 {
			t.Errorf("there changed %v", short(s.Changes()))
		}
		check("stamped", trust)
		b.reopen()
		check("read back", trust)
		stands.Trust = trust
		if s := b.tick([]senses.Collected{standingSet("notes", "n", "a", stands)}); len(s.Changes()) > 0 {
			t.Errorf("told again there changed %v", short(s.Changes()))
		}
		check("told again", trust)
	}
	blinded := brings("notes", "n", senses.Batch{Restamp: func(subconscious.Observation) subconscious.Trust { return subconscious.Agent }})
	blinded.Health.State = senses.Blind
	b.tick([]senses.Collected{blinded})
	check("blind", subconscious.Owner)
}
