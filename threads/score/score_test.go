package score

import (
	"math"
	"slices"
	"testing"
)

// TestPercentIsTheLogisticCurve: the table is the curve, rounded down towards a
// half.
func TestPercentIsTheLogisticCurve(t *testing.T) {
	for sum := -700; sum <= 700; sum++ {
		got, curve := percent(sum), 100/(1+math.Exp(-float64(sum)/100))
		if math.Abs(float64(got)-curve) > 1.01 || got < 1 || got > 99 || percent(-sum) != 100-got {
			t.Fatalf("%d hundredths are %d per cent, the curve has %.2f", sum, got, curve)
		}
	}
}

// TestWeightsMakeSense: what speaks for a thing does not weigh against it, and
// each feature says why in words.
func TestWeightsMakeSense(t *testing.T) {
	t.Run("letters", func(t *testing.T) { makesSense(t, Letters) })
	t.Run("files", func(t *testing.T) { makesSense(t, Files) })
	t.Run("connections", func(t *testing.T) { makesSense(t, Connections) })
	t.Run("messages", func(t *testing.T) { makesSense(t, Messages) })
}

func makesSense[T any](t *testing.T, table *Table[T]) {
	seen := map[string]bool{}
	for i, f := range table.Features {
		if w := table.Weights[i]; w*f.Sign < 0 {
			t.Errorf("%s weighs %d, against its sign", f.Name, w)
		}
		if most, bounded := table.Most[f.Name]; bounded && table.Weights[i] > most {
			t.Errorf("%s weighs %d, and may weigh %d", f.Name, table.Weights[i], most)
		}
		if f.Why == "" || seen[f.Name] {
			t.Errorf("%s says no why, or stands twice", f.Name)
		}
		seen[f.Name] = true
	}
	if slices.Max(table.Weights) <= 0 || min(table.Bias, slices.Min(table.Weights)) >= 0 {
		t.Error("nothing was trained")
	}
	if len(table.Features) > 40 {
		t.Errorf("there are %d features; 40 are what a person can read", len(table.Features))
	}
}

// TestNoPlaceOfAPromise: a file that merely was written, and words that two things
// share with nothing near, are worth no word; and no agent gets past the digest by
// what it writes.
func TestNoPlaceOfAPromise(t *testing.T) {
	for name, c := range map[string]struct {
		got         Score
		least, most int
	}{
		"a new file":                     {Files.Judge(File{}, 0), 0, 2},
		"many deleted at once":           {Files.Judge(File{Files: 60, Deleted: 60}, 0), 7, 7},
		"two words":                      {Connections.Judge(Connection{Shared: 4, Open: true}, 0), 0, 2},
		"a word of what is near":         {Connections.Judge(Connection{Soon: true}, 0), 3, 3},
		"an agent's question":            {Messages.Judge(Message{Mind: true, Asks: true}, 0), 5, 5},
		"an agent that says all it can":  {Messages.Judge(Message{Mind: true, Asks: true, Words: 1e9}, 0), 6, 6},
		"the last question of a session": {Messages.Judge(Message{Asks: true}, 0), 0, 2},
	} {
		if n := c.got.Importance(); n < c.least || n > c.most {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
}

func TestJudge(t *testing.T) {
	table := &Table[int]{Bias: -100, Weights: []int{150, -8, 200}, Features: []Feature[int]{
		{Name: "one", Why: "it is odd", Of: func(n int) int { return n % 2 }},
		{Name: "big", Why: "it is big", Of: func(n int) int { return n }},
		{Name: "none", Why: "it is none", Of: func(int) int { return 0 }},
	}}
	for _, c := range []struct {
		n, personal, percent int
		reasons              []string
	}{
		{1, 0, 60, []string{"it is odd", "not: it is big"}},
		{0, 0, 27, nil},
		{99, 0, 14, []string{"not: it is big", "it is odd"}},            // no feature counts more than thirty times
		{0, 5000, 73, []string{"you answer or read such letters soon"}}, // what is learnt is bounded
	} {
		got := table.Judge(c.n, c.personal)
		if got.Percent != c.percent || !slices.Equal(got.Reasons, c.reasons) {
			t.Errorf("%d with %d: %+v, want %d %q", c.n, c.personal, got, c.percent, c.reasons)
		}
	}
}

func TestRead(t *testing.T) {
	again := &Table[Letter]{Features: letterFeatures}
	if err := again.Read("# a comment\n\n" + Letters.Text()); err != nil || !slices.Equal(again.Weights, Letters.Weights) || again.Bias != Letters.Bias {
		t.Errorf("what was written is not what is read: %v", err)
	}
	for name, text := range map[string]string{
		"a weight is missing": "bias 1\n", "unknown": Letters.Text() + "strange 1\n", "twice": Letters.Text() + "known 1\n", "no number": Letters.Text() + "known one\n",
	} {
		if again.Read(text) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	l := Letter{Wrote: 4, Ago: 3, Ours: true, Addressed: "to", Recipients: 1, Bytes: 700, Hours: 5, Days: 0, Says: []string{"asks", "changes", "money"}}
	for b.Loop() {
		_ = Letters.Judge(l, 20)
	}
}
