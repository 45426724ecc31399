package escalate_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// What gets worse is told again: not where that was foretold; and a letter is
// never worse than another, but new or known.
func TestToldAgain(t *testing.T) {
	for name, c := range map[string]struct {
		sense, kind string
		foretold    time.Duration // from noon, when it was said to be full; now it is an hour
		another     bool          // another observation was told
		again       string
		told        bool
		ago         time.Duration
		as          subconscious.Severity // that it was told to be of
		flat        bool                  // it fills no more
	}{
		"a file":                                             {"files", "file", 0, false, "worse", true, 0, 0, false},
		"a letter that is known":                             {"mail", "mail", 0, false, "", false, 0, 0, false},
		"another letter":                                     {"mail", "mail", 0, true, "letter", true, 0, 0, false},
		"another letter that weighs no more":                 {"mail", "mail", 0, true, "letter", true, 0, subconscious.Critical, false},
		"what the person promised in answer":                 {"mail", "promise", 0, true, "", false, 0, 0, false},
		"a disk that is full as foretold, and rises no more": {"health", "disk", time.Hour, false, "", false, 0, 0, true},
		"a disk":                        {"health", "disk", 0, false, "worse", true, 0, 0, false},
		"a disk that fills as foretold": {"health", "disk", time.Hour, false, "", false, 0, 0, false},
		"a disk that fills as was foretold long ago": {"health", "disk", time.Hour, false, "worse", true, 2 * time.Hour, 0, false},
		"a disk that is full far sooner":             {"health", "disk", 3 * time.Hour, false, "worse", true, 0, 0, false},
		"a disk that fills as another foretold":      {"health", "disk", 70 * time.Minute, true, "", false, 0, 0, false},
	} {
		in := plainInput()
		in.Evidence[0].Latest.Sense, in.Evidence[0].Latest.Kind, in.Evidence[0].Latest.Severity = c.sense, c.kind, subconscious.Critical
		in.Asked[0].Asked.Source, in.Asked[0].Asked.Due = c.sense, time.Time{}
		if c.kind == "disk" {
			in.Asked[0].Asked.Due = noon.Add(time.Hour)
			if c.flat {
				in.Asked[0].Asked.Due = time.Time{}
			}
		}
		toldBefore(&in, cmp.Or(c.ago, 40*time.Minute), cmp.Or(c.as, subconscious.Warning))
		last := &telling(&in).Told[0]
		if c.foretold > 0 {
			last.Due = noon.Add(c.foretold)
		}
		if c.another {
			last.Changes = map[subconscious.Ref]int64{"mail:another": 4}
		}
		d := escalate.Decide(in).Decisions[0]
		if told := d.Verdict == escalate.Tell; told != c.told || told && d.Again != c.again {
			t.Errorf("%s: %s %s again %q (%s), want told %t again %q", name, d.Verdict, d.Reason, d.Again, d.Detail, c.told, c.again)
		}
	}
}

// TestCorrectionWaitsForNothing: a letter of great importance is told though another
// of its thread was told a moment ago.
func TestCorrectionWaitsForNothing(t *testing.T) {
	for importance, want := range map[int]escalate.Verdict{8: escalate.Tell, 7: escalate.Hold} {
		in := plainInput()
		o := &in.Evidence[0].Latest
		o.Sense, o.Kind, o.Attrs = "mail", "mail", map[string]string{"known": "4"}
		in.Asked[0].Asked.Source, in.Asked[0].Asked.Due, in.Asked[0].Asked.Importance = "mail", time.Time{}, importance
		toldBefore(&in, time.Minute, 0)
		telling(&in).Told[0].Changes = map[subconscious.Ref]int64{"mail:another": 4}
		if d := escalate.Decide(in).Decisions[0]; d.Verdict != want {
			t.Errorf("of importance %d: %s %s (%s)", importance, d.Verdict, d.Reason, d.Detail)
		}
	}
}
