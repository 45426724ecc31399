package redaction

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
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

// figures are what the suite found, as it prints them.
type figures struct {
	Half  string `json:"half"`
	Files int    `json:"files"`
	// Strong is the recall of the places with a strong label, All of every one.
	Strong      recall    `json:"strong"`
	All         recall    `json:"all"`
	Precision   precision `json:"precision"`
	MillisPerKB float64   `json:"ms_per_kb"`
	LeftOut     []leftOut `json:"left_out"`
	// Nowhere are labels that point outside of their file, and do not count.
	Nowhere int       `json:"nowhere"`
	Missed  []example `json:"missed,omitempty"`
	Wrong   []example `json:"wrong,omitempty"`

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

// example is one label that was missed, or one hit that is wrong.
type example struct {
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

// measure scores the files of a half, one after the other.
func measure(ctx context.Context, set *samples, o *options) (figures, error) {
	f, byFile, out := figures{Half: o.half, LeftOut: []leftOut{}}, map[string][]label{}, map[string]int{}
	for _, l := range set.labels {
		if !inHalf(l.Path, o.half) {
			continue
		}
		byFile[l.Path] = append(byFile[l.Path], l)
		if isLeftOut(l.Rule) {
			out[l.Rule]++
		}
	}
	if len(byFile) == 0 {
		return f, fmt.Errorf("%s has no labels in the %s half; check that it is the labelled set", set.from, o.half)
	}
	for _, path := range slices.Sorted(maps.Keys(byFile)) {
		text, ok := set.files[path]
		if err := ctx.Err(); err != nil {
			return f, err
		} else if !ok {
			return f, fmt.Errorf("labels.json names %q, which %s does not hold", path, set.from)
		}
		f.add(fileText{path, string(text)}, byFile[path], o.misses)
	}
	for _, rule := range slices.Sorted(maps.Keys(out)) {
		f.LeftOut = append(f.LeftOut, leftOut{rule, out[rule]})
	}
	for _, mean := range []struct {
		of    *float64
		files int
	}{{&f.Strong.Recall, f.Strong.Files}, {&f.All.Recall, f.All.Files}, {&f.Precision.Value, f.Precision.Files}} {
		*mean.of /= float64(max(mean.files, 1)) // 0 where there are none; the count beside it says so
	}
	if f.bytes > 0 {
		f.MillisPerKB = float64(f.took.Nanoseconds()) / 1e6 / (float64(f.bytes) / 1024)
	}
	return f, nil
}

// fileText is a file as it is scanned.
type fileText struct{ path, text string }

// add scores one file. The means are sums until all are scored.
func (f *figures) add(file fileText, labels []label, misses int) {
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

// note appends a case while there are fewer than misses.
func (file fileText) note(cases []example, misses int, rule string, start, end int) []example {
	if len(cases) >= misses {
		return cases
	}
	first := strings.LastIndexByte(file.text[:start], '\n') + 1
	last := len(file.text)
	if i := strings.IndexByte(file.text[end:], '\n'); i >= 0 {
		last = end + i
	}
	first, last = max(first, start-caseBytes), min(last, end+caseBytes)
	return append(cases, example{
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
		if slices.ContainsFunc(hits, p.foundBy) {
			found++
		} else {
			missed(p)
		}
	}
	mean(&r.Recall, &r.Files, &r.Found, &r.Places, found, of)
}

// add counts the hits in one file; those on nothing but what is left out do not
// count.
func (p *precision) add(hits []redact.Span, places []place, wrong func(redact.Span)) {
	right, of := 0, 0
	for _, hit := range hits {
		touches := func(leftOut bool) bool {
			return slices.ContainsFunc(places, func(p place) bool { return p.leftOut == leftOut && p.explains(hit) })
		}
		switch {
		case touches(false):
			right++
			of++
		case !touches(true):
			of++
			wrong(hit)
		}
	}
	mean(&p.Value, &p.Files, &p.Right, &p.Hits, right, of)
}

// mean adds the share of one file to a sum, and its counts; a file without any
// does not count.
func mean(sum *float64, files, good, all *int, n, of int) {
	if of > 0 {
		*sum, *files, *good, *all = *sum+float64(n)/float64(of), *files+1, *good+n, *all+of
	}
}
