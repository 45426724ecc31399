package escalate_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// FuzzDecide feeds whole inputs as JSON: whatever they are, the gate ends, gives
// the same again, leaves them as they are, and sends nothing that is not plain.
func FuzzDecide(f *testing.F) {
	for _, reason := range escalate.Reasons() {
		in := plainInput()
		causes[reason](&in)
		f.Add([]byte(asJSON(in)))
	}
	for _, kind := range subconscious.OutcomeKinds() {
		f.Add([]byte(asJSON(deliberated(kind))))
	}
	in := plainInput()
	in.At = time.Date(9999, 12, 31, 23, 59, 0, 0, time.UTC)
	in.Asked[0].Importance, in.Asked[0].Summary = 1<<40, "\x1b[2J https://www.evil.example/x javascript:alert(1)\n"
	in.Notices = []escalate.Notice{{NoticeKey: subconscious.NoticeKey{Code: "blind"}, Text: "mail\nsees nothing", Next: "http://evil.example"}}
	f.Add([]byte(asJSON(in)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var in escalate.Input
		if json.Unmarshal(data, &in) != nil {
			return
		}
		before := asJSON(in)
		out := escalate.Decide(in)
		if again := asJSON(escalate.Decide(in)); again != asJSON(out) {
			t.Fatalf("the same input gave\n%s\nand then\n%s", asJSON(out), again)
		}
		if asJSON(in) != before {
			t.Fatalf("the input was changed")
		}
		for _, m := range messages(out) {
			checkMessage(t, m)
		}
		for _, d := range out.Decisions {
			if !(d.Confidence >= 0 && d.Confidence <= 1) {
				t.Fatalf("a confidence of %v", d.Confidence)
			}
		}
		for _, s := range out.Scores {
			if w := escalate.Weight(s); !(w >= 0.6 && w <= 1.25) {
				t.Fatalf("a weight of %v", w)
			}
		}
	})
}

// FuzzPromises draws days from the fuzzer's bytes.
func FuzzPromises(f *testing.F) {
	for seed := range byte(4) {
		f.Add(bytes.Repeat([]byte{seed, 3 * seed, 255 - seed, 17, seed << 4}, 400))
	}
	f.Fuzz(rapid.MakeFuzz(promises))
}

// TestHostileTimes checks times at the ends of what there is.
func TestHostileTimes(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(1<<40, 0).UTC(), time.Unix(-1<<40, 0).UTC(), time.Unix(1<<62, 0).UTC()} {
		for _, due := range []time.Time{{}, time.Unix(1<<60, 0), time.Unix(-1<<60, 0)} {
			in := plainInput()
			in.At, in.Asked[0].Due = at, due
			telling(&in).Until, telling(&in).Remind = due, due
			in.Commands = []subconscious.Command{{ID: 1, Kind: subconscious.CommandSnooze, Incident: fileKey, Until: due}}
			for _, m := range messages(escalate.Decide(in)) {
				checkMessage(t, m)
			}
		}
	}
}
