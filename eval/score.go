package eval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/redact"
)

const (
	// overlapShare is how much of a place a hit must cover.
	overlapShare = 0.8
	// caseBytes is how much is shown on each side of a missed label.
	caseBytes = 60
)

// redactionFigures are what the suite found, as it prints them.
type redactionFigures struct {
	Half  string `json:"half"`
	Files int    `json:"files"`
	// Strong is the recall of the places with a strong label, All of every one.
	Strong      recall    `json:"strong"`
	All         recall    `json:"all"`
	Precision   precision `json:"precision"`
	MillisPerKB float64   `json:"ms_per_kb"`
	LeftOut     []leftOut `json:"left_out"`
	// Nowhere are labels that point outside of their file, and do not count.
	Nowhere int             `json:"nowhere"`
	Missed  []redactionCase `json:"missed,omitempty"`
	Wrong   []redactionCase `json:"wrong,omitempty"`

	took  time.Duration
	bytes int
}

// recall is the mean over the files with places, and the counts behind it.
type recall struct {
	Recall float64 `json:"recall"`
	Files  int     `json:"files"`
	Found  int     `json:"found"`
	Places int     `json:"places"`
}

// precision is the mean over the files with hits, and the counts behind it.
type precision struct {
	Value float64 `json:"precision"`
	Files int     `json:"files"`
	Right int     `json:"right"`
	Hits  int     `json:"hits"`
}

// leftOut is a rule whose labels do not count.
type leftOut struct {
	Rule   string `json:"rule"`
	Labels int    `json:"labels"`
}

// redactionCase is one label that was missed, or one hit that is wrong.
type redactionCase struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Rule   string `json:"rule"`
	Text   string `json:"text"`
	Around string `json:"around"`
}

// notSecretRules are words of the names of rules whose labels are no secrets:
// they name something, and do not open it.
var notSecretRules = []string{"uuid", "bucket", "domain", "client id", "app id"}

func isLeftOut(rule string) bool {
	words := " " + strings.ToLower(rule) + " "
	return slices.ContainsFunc(notSecretRules, func(not string) bool { return strings.Contains(words, " "+not+" ") })
}

// inHalf reports whether a file belongs to the half.
func inHalf(path, half string) bool {
	even := sha256.Sum256([]byte(path))[0]%2 == 0
	return half == "all" || even == (half == "tuning")
}

func measureRedaction(ctx context.Context, set *samples, options redactionOptions) (redactionFigures, error) {
	figures := redactionFigures{Half: options.half, LeftOut: []leftOut{}}
	byFile := map[string][]label{}
	out := map[string]int{}
	for _, l := range set.labels {
		if !inHalf(l.Path, options.half) {
			continue
		}
		byFile[l.Path] = append(byFile[l.Path], l)
		if isLeftOut(l.Rule) {
			out[l.Rule]++
		}
	}
	if len(byFile) == 0 {
		return figures, fmt.Errorf("%s has no labels in the %s half; check that it is the labelled set", set.from, options.half)
	}
	for _, path := range sortedKeys(byFile) {
		if err := ctx.Err(); err != nil {
			return figures, err
		}
		text, ok := set.files[path]
		if !ok {
			return figures, fmt.Errorf("labels.json names %q, which %s does not hold", path, set.from)
		}
		figures.add(fileText{path, string(text)}, byFile[path], options.misses)
	}
	for _, rule := range sortedKeys(out) {
		figures.LeftOut = append(figures.LeftOut, leftOut{rule, out[rule]})
	}
	figures.average()
	return figures, nil
}

// fileText is a file as it is scanned.
type fileText struct{ path, text string }

// add scores one file. The means are sums until average.
func (f *redactionFigures) add(file fileText, labels []label, misses int) {
	hits := redact.Find(file.text)
	f.took += quickest(func() { redact.Find(file.text) })
	f.bytes += len(file.text)
	f.Files++
	all, nowhere := places(file.text, labels)
	f.Nowhere += nowhere
	f.Precision.add(hits, all, func(hit redact.Span) {
		f.Wrong = file.note(f.Wrong, misses, hit.Kind, hit.Start, hit.End)
	})
	f.All.add(hits, all, func(p place) bool { return !p.leftOut }, func(p place) {
		f.Missed = file.note(f.Missed, misses, p.rule, p.start, p.end)
	})
	f.Strong.add(hits, all, func(p place) bool { return !p.leftOut && p.strong }, func(place) {})
}

// passes is how often a file is scanned for its time: of a small set a single
// pass measures how the process begins.
const passes = 5

func quickest(scan func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range passes {
		start := time.Now()
		scan()
		best = min(best, time.Since(start))
	}
	return best
}

// average turns the sums into means.
func (f *redactionFigures) average() {
	f.Strong.Recall = mean(f.Strong.Recall, f.Strong.Files)
	f.All.Recall = mean(f.All.Recall, f.All.Files)
	f.Precision.Value = mean(f.Precision.Value, f.Precision.Files)
	if f.bytes > 0 {
		f.MillisPerKB = float64(f.took.Nanoseconds()) / 1e6 / (float64(f.bytes) / 1024)
	}
}

// mean is 0 where there is nothing to take it of; the count beside it says so.
func mean(sum float64, n int) float64 { return sum / float64(max(n, 1)) }

// note appends a case while there are fewer than misses.
func (file fileText) note(cases []redactionCase, misses int, rule string, start, end int) []redactionCase {
	if len(cases) >= misses {
		return cases
	}
	first := strings.LastIndexByte(file.text[:start], '\n') + 1
	last := len(file.text)
	if i := strings.IndexByte(file.text[end:], '\n'); i >= 0 {
		last = end + i
	}
	first, last = max(first, start-caseBytes), min(last, end+caseBytes)
	return append(cases, redactionCase{
		Path: file.path, Line: strings.Count(file.text[:start], "\n") + 1, Rule: rule,
		Text: file.text[start:end], Around: file.text[first:last],
	})
}

// add counts the places of one file that a condition holds for.
func (r *recall) add(hits []redact.Span, places []place, counts func(place) bool, missed func(place)) {
	found, of := 0, 0
	for _, p := range places {
		if !counts(p) {
			continue
		}
		of++
		if slices.ContainsFunc(hits, func(h redact.Span) bool { return p.foundBy(h) }) {
			found++
		} else {
			missed(p)
		}
	}
	if of == 0 {
		return
	}
	r.Files++
	r.Found += found
	r.Places += of
	r.Recall += float64(found) / float64(of)
}

// add counts the hits in one file; those on nothing but what is left out do not
// count.
func (p *precision) add(hits []redact.Span, places []place, wrong func(redact.Span)) {
	right, counted := 0, 0
	for _, hit := range hits {
		touches := func(leftOut bool) bool {
			return slices.ContainsFunc(places, func(p place) bool { return p.leftOut == leftOut && p.explains(hit) })
		}
		switch {
		case touches(false):
			right++
			counted++
		case touches(true):
		default:
			counted++
			wrong(hit)
		}
	}
	if counted == 0 {
		return
	}
	p.Files++
	p.Right += right
	p.Hits += counted
	p.Value += float64(right) / float64(counted)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare)
	return keys
}
