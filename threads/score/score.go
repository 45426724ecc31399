// Package score judges how much a thing is worth the person's attention, by a
// linear score over a few named features.
//
// A table has the features of one kind of thing: of letters, messages of agents,
// changes of files, connections. Its weights are a file, which for letters
// `subconsciousd eval letters --train` writes. Features are small integers,
// weights are hundredths, and the logistic curve is a table of integers, so that
// a thing has the same score on every machine.
//
// It stores nothing and reads no clock. The rules in threads/reflex call it.
package score

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Feature is one thing that is looked at, of things of type T.
type Feature[T any] struct {
	// Name is its name in the file of weights.
	Name string
	// Sign is what its weight has to be for the table to make sense: 1, -1, or 0
	// for either.
	Sign int
	// Why says in words what it is about, to go into a sentence that says "you".
	Why string
	// Of is how much of it there is in a thing: 0 for none, at most valueMost.
	Of func(T) int
}

// Table is how things of type T are judged.
type Table[T any] struct {
	Features []Feature[T]
	// Weights are those of the features, in hundredths; Bias that of all things.
	Weights []int
	Bias    int
	// Most bounds the weights of single features, whatever is trained.
	Most map[string]int
}

// table is a table with the weights that come with it.
func table[T any](weights string, most map[string]int, features []Feature[T]) *Table[T] {
	t := &Table[T]{Features: features, Most: most}
	if err := t.Read(weights); err != nil {
		panic(err.Error())
	}
	return t
}

// valueMost bounds how much of a feature there can be.
const valueMost = 30

// personalMost bounds what is learnt of a person, in hundredths.
const personalMost = 200

// reasonsKept is how many reasons a score gives.
const reasonsKept = 4

// Score is what a thing is worth.
type Score struct {
	// Percent, 1 to 99, is how likely the person wants to know of it at once.
	Percent int
	// Reasons are the features that weighed most, in words, the weightiest first;
	// those that spoke against it begin with "not: ".
	Reasons []string
	// Sum is what Percent is of, in hundredths.
	Sum int
}

// Importance is the score on the scale of findings, 0 to 10.
func (s Score) Importance() int { return (s.Percent + 5) / 10 }

// Judge scores a thing. personal, in hundredths, is what is learnt of this person
// about it, within ±200.
func (t *Table[T]) Judge(thing T, personal int) Score {
	personal = min(max(personal, -personalMost), personalMost)
	sum := t.Bias + personal
	type part struct {
		weight int
		why    string
	}
	var parts []part
	if personal > 0 {
		parts = append(parts, part{personal, "you answer or read such letters soon"})
	} else if personal < 0 {
		parts = append(parts, part{personal, "you seldom read such letters"})
	}
	for i, f := range t.Features {
		if w := t.Weights[i] * min(max(f.Of(thing), 0), valueMost); w != 0 {
			sum += w
			parts = append(parts, part{w, f.Why})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(abs(b.weight), abs(a.weight)) })
	s := Score{Percent: percent(sum), Sum: sum}
	for _, p := range parts[:min(len(parts), reasonsKept)] {
		if p.weight < 0 {
			p.why = "not: " + p.why
		}
		s.Reasons = append(s.Reasons, p.why)
	}
	return s
}

func abs(n int) int { return max(n, -n) }

// steps are the sums, in hundredths, from which on the logistic curve is at 51,
// 52, … 99 per cent.
var steps = [...]int{
	5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 54, 58, 62, 67, 71, 76, 81, 85, 90, 95, 100, 105, 110, 116, 121, 127, 133, 139,
	146, 152, 159, 166, 174, 182, 191, 200, 210, 220, 232, 245, 259, 276, 295, 318, 348, 390, 460,
}

// percent is the logistic curve, from 1 to 99.
func percent(sum int) int {
	n, found := slices.BinarySearch(steps[:], abs(sum))
	if found {
		n++
	}
	if sum < 0 {
		return 50 - n
	}
	return 50 + n
}

// Read reads the weights of a table: lines of a name and a number of hundredths,
// with "bias" for that of all; lines that begin with # are comments.
func (t *Table[T]) Read(text string) error {
	t.Weights = make([]int, len(t.Features))
	seen := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		weight, err := strconv.Atoi(fields[len(fields)-1])
		i := slices.IndexFunc(t.Features, func(f Feature[T]) bool { return f.Name == fields[0] })
		switch {
		case len(fields) != 2 || err != nil:
			return fmt.Errorf("weights, line %d: %q is not a name and a number", n, lines.Text())
		case seen[fields[0]]:
			return fmt.Errorf("weights, line %d: %s stands twice", n, fields[0])
		case fields[0] == "bias":
			t.Bias = weight
		case i < 0:
			return fmt.Errorf("weights, line %d: there is no feature %s", n, fields[0])
		default:
			t.Weights[i] = weight
		}
		seen[fields[0]] = true
	}
	if len(seen) != len(t.Features)+1 {
		return fmt.Errorf("weights: %d of %d are given", len(seen), len(t.Features)+1)
	}
	return nil
}

// Text is the weights as Read reads them.
func (t *Table[T]) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "bias %d\n", t.Bias)
	for i, f := range t.Features {
		fmt.Fprintf(&b, "%s %d\n", f.Name, t.Weights[i])
	}
	return b.String()
}
