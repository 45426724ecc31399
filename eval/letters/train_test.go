package letters

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/subconsciousd/subconsciousd/eval/days"
)

// made are letters of twelve lives: the first feature speaks for them, the second
// against, the third means nothing.
func made() []sample {
	random := rand.New(rand.NewPCG(1, 2))
	var all []sample
	for n := range 600 {
		s := sample{Name: fmt.Sprintf("%04d", n), Group: fmt.Sprint(n % 12), Language: fmt.Sprint(n % 3), Writer: "known", Weight: 1,
			X: []int{random.IntN(2), random.IntN(2), random.IntN(2)}}
		if logistic(float64(3*s.X[0]-3*s.X[1])-1) > random.Float64() {
			s.Want = 1
		}
		all = append(all, s)
	}
	return all
}

var within = []limits{{0, 9}, {-9, 0}, {-9, 9}}

// The same letters give the same weights in whatever order they come, and what has a
// sign keeps it.
func TestTrain(t *testing.T) {
	all := made()
	m := train(all, within, ridge)
	if m.weights[0] < 200 || m.weights[1] > -200 || m.weights[2] < -60 || m.weights[2] > 60 || m.bias > 0 {
		t.Errorf("trained to %+v", m)
	}
	slices.Reverse(all)
	if again := train(all, within, ridge); again.bias != m.bias || !slices.Equal(again.weights, m.weights) {
		t.Errorf("in another order %+v, not %+v", again, m)
	}
	if against := train(all, []limits{{-9, 0}, {0, 9}, {-9, 9}}, ridge); against.weights[0] != 0 || against.weights[1] != 0 {
		t.Errorf("against its sign a feature weighs %v", against.weights)
	}
}

func TestCrossValidate(t *testing.T) {
	all := crossValidate(made(), within, ridge, func(s sample) string { return s.Group })
	if a := area(all); len(all) != 600 || a < 0.75 || a > 0.85 {
		t.Errorf("%d letters, the area is %.3f", len(all), a)
	}
	best := []held{{sample{Want: 1, Weight: 1}, 0.9}, {sample{Weight: 1}, 0.8}, {sample{Want: 1, Weight: 1}, 0.7}, {sample{Weight: 1}, 0.1}}
	if a, r := area(best), recallAt(best, 0.85); a != 0.75 || r != 0.5 {
		t.Errorf("the area is %.2f and the recall %.2f, want 0.75 and 0.5", a, r)
	}
}

// TestValidate: clutter is counted with the automatic letters, and what is left out
// in turn has figures of its own.
func TestValidate(t *testing.T) {
	all := []held{
		{sample{Writer: automatic, Language: "de", Want: 1, Weight: 1, labelled: days.Labelled{Mail: "alarm"}}, 0.97},
		{sample{Writer: "clutter", Language: "de", Weight: 1}, 0.95},
		{sample{Writer: "letters of strangers", Language: "fr", Want: 1, Weight: 1, labelled: days.Labelled{Mail: "ask"}}, 0.66},
		{sample{Writer: "clutter", Language: "fr", Weight: 1}, 0.02},
		{sample{Writer: automatic, Language: "fr", Want: 1, Weight: 1, labelled: days.Labelled{Mail: "bill"}}, 0.01},
	}
	v := validate(all, func(s sample) string { return s.Language })
	if v.Recall[automatic] != 0.5 || v.Recall["letters of strangers"] != 1 || len(v.Recall) != 3 {
		t.Errorf("recall %v", v.Recall)
	}
	if v.Parts["de"] != (part{2, 1, 1, 1}) || v.Parts["fr"] != (part{3, 2, 0.5, 0.5}) {
		t.Errorf("parts %v", v.Parts)
	}
	if len(v.Bins) != 10 || v.Bins[0] != (bin{0, 2, 0.01, 0.67}) || v.Bins[9] != (bin{0.9, 2, 0.96, 0.67}) || v.Told != 3 || v.Right != 2 {
		t.Errorf("%+v", v)
	}
}
