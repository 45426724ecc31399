package aggregator_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// FuzzMerge feeds whole inputs as JSON: whatever they are, the merge ends, gives
// the same again, keeps its bounds, and its state can be published.
func FuzzMerge(f *testing.F) {
	for _, seed := range fuzzSeeds(f) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in aggregator.Input
		if json.Unmarshal(data, &in) != nil {
			return
		}
		in.Zone = time.UTC
		state, changes := aggregator.Merge(in)
		if again, _ := aggregator.Merge(in); asBytes(state) != asBytes(again) {
			t.Fatalf("the same input gave\n%s\nand then\n%s", asBytes(state), asBytes(again))
		}
		for _, e := range state.Entries {
			if e.Strength < 0 || e.Strength > subconscious.MaxStrength || e.Importance < 1 || e.Importance > 10 {
				t.Fatalf("%+v is out of its range", e)
			}
		}
		for _, incident := range changes.Incidents {
			if added := len(incident.Recorded); added > 64 && added > recordedBefore(in, incident.Key) {
				t.Fatalf("%d observations are recorded on %s", added, incident.Key)
			}
		}
		if out, err := subconscious.Project(state, subconscious.MaxTokens); err == nil && subconscious.EstimateTokens(len(out)) > subconscious.MaxTokens {
			t.Fatalf("the document has %d bytes", len(out))
		}
	})
}

// FuzzInvariants draws worlds and turns from the fuzzer's bytes.
func FuzzInvariants(f *testing.F) {
	for seed := range byte(8) {
		f.Add(bytes.Repeat([]byte{seed, 3 * seed, 255 - seed, 17, seed << 4}, 400))
	}
	f.Fuzz(rapid.MakeFuzz(invariants))
}

func recordedBefore(in aggregator.Input, key subconscious.IncidentKey) int {
	for _, incident := range in.Incidents {
		if incident.Key == key {
			return len(incident.Recorded)
		}
	}
	return 0
}

// asBytes is the state as JSON; times that JSON cannot hold make it an error,
// which is as good a value to compare.
func asBytes(state subconscious.State) string {
	out, err := json.Marshal(state)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// fuzzSeeds are the inputs of some ticks in which all sorts of things happen.
func fuzzSeeds(t reporter) (seeds []string) {
	p := newPlay(t)
	p.observe("disk", "health", "disk:/var")
	p.observe("save", "files", "work/a")
	p.observe("note", "notes", "todo.md#1").latest.Links = []string{"disk:/var", "invoice:7"}
	for tick, kind := range []subconscious.TickKind{subconscious.Scheduled, subconscious.Early, subconscious.Manual, subconscious.CatchUp} {
		u := newTurn(kind)
		p.happen(&u, "disk", []string{"appears", "changes", "goes", "appears"}[tick], tick)
		p.happen(&u, "save", "happens", 0)
		p.happen(&u, "note", []string{"appears", "changes", "crosses", "leaves"}[tick], 1)
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindAnomaly, Importance: 6, Summary: "full", Evidence: p.cite("disk"), Escalate: true})
		u.find(subconscious.Watcher, subconscious.Finding{Kind: subconscious.KindObservation, Importance: 3, Summary: "saved", Evidence: p.cite("save", "disk")})
		u.find(subconscious.Librarian, subconscious.Finding{Kind: subconscious.KindPattern, Importance: 8, Summary: "again", Evidence: p.cite("disk", "disk@-0")})
		u.find(subconscious.Dreamer, subconscious.Finding{Kind: subconscious.KindConnection, Importance: 8, Summary: "both", Evidence: p.cite("note", "save")})
		u.find(subconscious.Oracle, subconscious.Finding{Kind: subconscious.KindDeadline, Importance: 7, Summary: "due", Evidence: p.cite("note")})
		u.thought(subconscious.Oracle).Over = []subconscious.IncidentKey{p.key("note")}
		u.commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandConfirm, Incident: p.key("disk"), By: "person"},
			{ID: 2, Kind: subconscious.CommandFocus, Thread: subconscious.Oracle, Text: "the week", By: "person"}}
		if tick == 2 {
			u.commands = []subconscious.Command{{ID: 3, Kind: subconscious.CommandClose, Incident: p.key("note"), By: "person"}}
		}
		p.tick(u)
		seeds = append(seeds, asJSON(t, stored(p.input)))
	}
	return seeds
}
