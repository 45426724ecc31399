package escalate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestIsForeign: whose words can silence whose news.
func TestIsForeign(t *testing.T) {
	own := []subconscious.Ref{ownRef, "mail:cccccccccc"}
	same := mail
	same.Ref = "mail:cccccccccc"
	unnamed := escalate.Word{Trust: subconscious.Outsider, Ref: ownRef, Source: "evidence"}
	elsewhere := escalate.Word{Trust: subconscious.Outsider, Ref: "mail:cccccccccc", Source: "evidence"}
	posing := escalate.Word{Trust: subconscious.Outsider, Ref: "mail:cccccccccc", Voice: string(ownRef), Source: "evidence"}
	ownNote, ownMetric := note, metric
	ownNote.Ref, ownMetric.Ref = "mail:cccccccccc", "mail:cccccccccc"
	mind := escalate.Word{Trust: subconscious.Machine, Source: "mind"}
	unknown := escalate.Word{Trust: "root", Ref: otherRef, Source: "evidence"}
	for _, c := range []struct {
		name    string
		words   []escalate.Word
		own     []subconscious.Ref
		foreign bool
	}{
		{"nothing", nil, own, false},
		{"the person and the machine, of whatever", []escalate.Word{note, metric}, nil, false},
		{"one mail", []escalate.Word{mail}, own, false},
		{"two mails of one voice", []escalate.Word{mail, same}, own, false},
		{"an answer of somebody else", []escalate.Word{mail, reply}, own, true},
		{"another incident", []escalate.Word{otherMail}, own, true},
		{"nothing is its own", []escalate.Word{mail}, nil, true},
		{"a memory", []escalate.Word{memo}, own, true},
		{"one without a name", []escalate.Word{unnamed}, own, false},
		{"one without a name, beside one with", []escalate.Word{unnamed, mail}, own, true},
		{"two without names, of two observations", []escalate.Word{unnamed, elsewhere}, own, true},
		{"one that is called like an observation", []escalate.Word{unnamed, posing}, own, true},
		{"what the person and the machine say in the incident", []escalate.Word{ownNote, ownMetric, mind}, own, false},
		{"a mail beside a note of the incident", []escalate.Word{mail, ownNote}, own, true},
		{"a mail beside a reading of the incident", []escalate.Word{mail, ownMetric}, own, true},
		{"an agent beside a note of the incident", []escalate.Word{finding, ownNote}, own, true},
		{"a mail beside a note of another incident", []escalate.Word{mail, note, metric}, own, false},
		{"a mail beside what the daemon says itself", []escalate.Word{mail, mind}, own, false},
		{"a trust that is none", []escalate.Word{unknown}, own, true},
	} {
		if got := (escalate.Taint{}).With(c.words...).IsForeign(c.own); got != c.foreign {
			t.Errorf("%s: %t", c.name, got)
		}
		if got := (escalate.Taint{Words: c.words}).IsForeign(c.own); got != c.foreign {
			t.Errorf("%s, as it was kept: %t", c.name, got)
		}
	}
	if !(escalate.Taint{Words: []escalate.Word{unknown}}).Has(subconscious.Outsider) {
		t.Error("a trust that is none is nobody's")
	}
}

// TestTaintOnlyGrows: no word takes another away, whatever its order, and a
// taint is the same when it is read back.
func TestTaintOnlyGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []escalate.Word
		taint := escalate.Taint{}
		own := []subconscious.Ref{ownRef}
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			words := rapid.SliceOfN(rapid.Custom(anyWord), 0, 5).Draw(t, "words")
			if n := rapid.SampledFrom([]int{0, 0, 0, 600}).Draw(t, "many"); n > 0 {
				trust := rapid.SampledFrom([]subconscious.Trust{subconscious.Agent, subconscious.Outsider, subconscious.Machine}).Draw(t, "trust of many")
				for i := range n {
					words = append(words, escalate.Word{Trust: trust, Ref: ownRef, Voice: fmt.Sprint(i), Source: "evidence"})
				}
			}
			given := slices.Clone(words)
			next := taint.With(words...)
			if !slices.Equal(given, words) {
				t.Fatal("the words that were given are changed")
			}
			for _, trust := range taint.Trusts() {
				if !next.Has(trust) || !slices.Contains(next.Trusts(), trust) {
					t.Fatalf("the word of %s is gone", trust)
				}
			}
			for _, w := range words {
				if known := slices.Contains([]subconscious.Trust{subconscious.Owner, subconscious.Machine, subconscious.Agent}, w.Trust); known && !next.Has(w.Trust) || !known && !next.Has(subconscious.Outsider) {
					t.Fatalf("%+v is not in it", w)
				}
			}
			if taint.IsForeign(own) && !next.IsForeign(own) || taint.Many && !next.Many || taint.Many && !next.Has(subconscious.Outsider) {
				t.Fatalf("from %+v to %+v", taint, next)
			}
			if len(next.Words) > 512 {
				t.Fatalf("%d words are kept", len(next.Words))
			}
			all, taint = append(all, words...), next
		}
		data, err := json.Marshal(taint)
		var read escalate.Taint
		if err != nil || json.Unmarshal(data, &read) != nil || asJSON(read.With()) != asJSON(taint) {
			t.Fatalf("it is read back otherwise: %v", err)
		}
		if other := (escalate.Taint{}).With(rapid.Permutation(all).Draw(t, "order")...); !taint.Many && asJSON(other) != asJSON(taint) {
			t.Fatalf("another order gave another taint: %s and %s", asJSON(taint), asJSON(other))
		}
	})
}
