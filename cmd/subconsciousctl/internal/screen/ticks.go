package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// tick says a long reason of several threads once.
func tick(_ View, r api.TickReport) any {
	r.Threads = slices.Clone(r.Threads)
	reasons := map[string]string{}
	for i, t := range r.Threads {
		r.Threads[i].Reason = once(reasons, clean(t.Name), t.Reason)
	}
	return r
}

// took says how long a tick ran.
func took(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// phrases are the parts of a text, each added where it is so.
type phrases []string

func (p *phrases) add(so bool, format string, args ...any) {
	if so {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

// thinks is how a thread of a tick fared.
func thinks(t api.ThreadReport) string {
	if t.Mode == failed || t.Mode == "skipped" {
		return t.Mode
	}
	return standIn("ok", t.Mode, t.Model, t.Usual)
}

// outcome says in a few words what came of a tick.
func outcome(r api.TickReport) string {
	var parts phrases
	parts.add(r.Error != "", "failed: %s", clean(r.Error))
	for _, s := range r.Senses {
		parts.add(s.State == blind, "%s blind", senseLabel(s.Kind, s.ID))
	}
	var findings, calls, stoodIn int
	var cost float64
	for _, t := range r.Threads {
		findings, calls, cost = findings+t.Findings, calls+t.Calls, cost+t.Cost
		parts.add(t.Mode == failed, "%s failed", clean(t.Name))
		if t.Usual != "" && t.Usual != t.Model && t.Mode != "skipped" {
			stoodIn++
		}
	}
	parts.add(findings > 0, "%s", amount(findings, "finding"))
	parts.add(len(r.Told) > 0, "%s", amount(len(r.Told), "message"))
	parts.add(calls > 0, "%s for $%s", amount(calls, "call"), money(cost))
	parts.add(stoodIn > 0, "%s", amount(stoodIn, "stand-in"))
	parts.add(len(r.Changes) > 0, "%s", amount(len(r.Changes), "change"))
	return cmp.Or(strings.Join(parts, ", "), "quiet")
}

// total is the sum of counts.
func total(counts map[string]int) (sum int) {
	for _, n := range counts {
		sum += max(n, 0)
	}
	return sum
}

// commonest says what was counted, in the words of a table, the commonest first.
func commonest(table string, counts map[string]int) string {
	named := map[string]int{}
	for code, n := range counts {
		if n > 0 {
			named[string(words(table, code))] += n
		}
	}
	names := slices.SortedFunc(maps.Keys(named), func(a, b string) int { return cmp.Or(cmp.Compare(named[b], named[a]), cmp.Compare(a, b)) })
	for i, name := range names {
		names[i] = thousands(named[name]) + " " + name
	}
	return strings.Join(names, ", ")
}

// Since reads how far back a report goes: a length of time ("24h", "7d"), or a
// day ("2026-03-01") in the zone of the view.
func Since(view View, text string) (time.Time, bool) {
	zone := view.Zone
	if zone == nil {
		zone = time.UTC
	}
	if length, err := time.ParseDuration(text); err == nil && length > 0 {
		return view.At.Add(-length), true
	}
	var days int
	if n, err := fmt.Sscanf(text, "%dd", &days); err == nil && n == 1 && text == fmt.Sprintf("%dd", days) && days > 0 && days <= 3660 {
		return view.At.In(zone).AddDate(0, 0, -days), true
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil && at.Before(view.At) {
			return at, true
		}
	}
	return time.Time{}, false
}

// latency says how long an answer took, where that is known.
func latency(ms float64) string {
	if ms <= 0 {
		return ""
	}
	return took(ms)
}
