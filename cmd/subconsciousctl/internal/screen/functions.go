package screen

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// functions are what templates may call; "say" gives the text of a phrase.
func (p *page) functions() template.FuncMap {
	return template.FuncMap{
		"show": show, "asked": func() any { return p.asked }, "say": p.phrase, "inside": p.inside, "words": words, "mark": mark, "coloured": coloured, "health": health,
		"bold": func(v any) markup { return in(bold, v) }, "dim": func(v any) markup { return in(dim, v) },
		"red": func(v any) markup { return in(red, v) }, "green": func(v any) markup { return in(green, v) }, "yellow": func(v any) markup { return in(yellow, v) },
		"styled": in,
		"dots":   func(values ...any) markup { return together(" · ", values) },
		"commas": func(values ...any) markup { return together(", ", values) },
		"list":   func(values any, between string) markup { return together(between, each(values)) },
		"where":  where, "sum": sum, "some": someOf, "lines": lines, "last": last, "left": left, "rank": rank, "short": func(v any, columns int) string { return truncate(text(v), columns) },
		"sentenceCase": sentenceCase, "sentence": func(v any) string { return sentence(text(v)) }, "count": counted, "thousands": func(n any) string { return thousands(integer(n)) },
		"money": money, "cents": cents, "took": took, "latency": latency, "bar": bar, "wide": func() bool { return p.Width >= 76 },
		"when": func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return p.when(t)
		},
		"ago": p.relative, "clock": p.clock, "length": func(t time.Time) string { return length(p.At.Sub(t)) }, "ahead": func(t time.Time) bool { return t.After(p.At) },
		"exactClock": func(t time.Time) string { return t.In(p.Zone).Format(time.TimeOnly) },
		"exactly":    func(v any) markup { return markup(exactly(fmt.Sprintf("%s", v))) }, "oneLine": func(argv []string) markup { return markup(oneLine(argv)) },
		"members": members, "shown": shownWords, "shownStyle": shownStyle, "more": more,
		"padLeft": padLeft, "first": first, "over": over, "span": func(from, to time.Time) string { return length(max(0, to.Sub(from))) }, "elapsed": elapsed,
		"lower": func(v any) string { return strings.ToLower(text(v)) }, "path": p.path, "ordinal": humanize.Ordinal, "price": price,
		"seconds": func(ms float64) string { return fmt.Sprintf("%.1f", ms/1000) }, "ands": func(values ...any) markup { return together(", and ", values) },
		"sense": senseLabel, "standIn": standIn, "thinks": thinks, "thinker": thinker, "named": named, "so": so,
		"verdict": verdict, "heldUntil": p.heldUntil, "awaited": awaited, "putOff": putOff, "ofTelling": ofTelling, "most": most, "news": news,
		"runs": runs, "firstAsked": firstAsked, "standing": standing, "rule": ruleWords, "hasPrompts": hasPrompts,
		"verbatim": verbatim, "callMark": callMark, "callProblem": callProblem, "outcome": outcome,
		"total": total, "commonest": commonest, "limit": limit, "exhausted": p.exhausted, "modelWords": modelWords,
		"identity": identity, "troubled": troubled, "delivered": delivered, "sort": Sort, "useful": usefulShare,
	}
}

// inside gives the lines of a template, so much further in.
func (p *page) inside(deep int, name string, data any) markup {
	indent := "\n" + strings.Repeat(" ", deep)
	return markup(strings.ReplaceAll(string(p.say(name, data)), "\n", indent) + "\n")
}

// health is a line about a sense, a thread or a channel, with words about it.
func health(state, name, about any) markup {
	w := lookup("health", state)
	return "  " + in(w.colour, w.sign) + markup(" "+pad(text(name), max(8, cells(text(name))))+"  "+string(stop)) +
		in(w.colour, markup(pad(w.words, 9))) + markup("  "+string(stop)+text(about))
}

// each are the values of a slice of any kind.
func each(values any) []any {
	v := reflect.ValueOf(values)
	all := make([]any, v.Len())
	for i := range all {
		all[i] = v.Index(i).Interface()
	}
	return all
}

// where are the values of a slice whose field is so.
func where(values any, field string, so any) []any {
	return slices.DeleteFunc(each(values), func(v any) bool { return text(reflect.ValueOf(v).FieldByName(field).Interface()) != text(so) })
}

// sum adds a field of the values of a slice up.
func sum(values any, field string) (all float64) {
	for _, v := range each(values) {
		all += reflect.ValueOf(v).FieldByName(field).Float()
	}
	return all
}

// someOf names the first few of many.
func someOf(values any, most int) string {
	names := make([]string, 0, most)
	for _, value := range each(values) {
		names = append(names, text(value))
	}
	return some(names, most)
}

// last is the end of a slice, of so many values at most.
func last(most int, values any) any {
	v := reflect.ValueOf(values)
	return v.Slice(max(0, v.Len()-most), v.Len()).Interface()
}

// first is the beginning of a slice, of so many values at most.
func first(most int, values any) any {
	v := reflect.ValueOf(values)
	return v.Slice(0, min(most, v.Len())).Interface()
}

// over is how much more than most there is.
func over(most, all int) int { return max(0, all-most) }

// left is how many values last has left out.
func left(all, last any) int { return reflect.ValueOf(all).Len() - reflect.ValueOf(last).Len() }

// lines are the lines of a text, spaces and all.
func lines(text string) []markup {
	var all []markup
	for line := range strings.Lines(strings.TrimRight(Lines(text), "\n ")) {
		if line = strings.TrimRight(line, "\n "); line == "" {
			line = string(kept) // an empty line, and not one that is left out
		}
		all = append(all, markup(line))
	}
	return all
}

// rank is the place of what has that index.
func rank(index int) markup { return padLeft(3, index+1) }

func padLeft(columns int, value any) markup {
	return markup(fmt.Sprintf("%*s", columns, text(value)))
}

func integer(n any) int {
	v := reflect.ValueOf(n)
	if v.CanFloat() {
		return int(v.Float())
	}
	return int(v.Int())
}

// so is a value where something is so: a number that is not 0, a text that is
// not empty.
func so(something, value any) any {
	if is, _ := template.IsTrue(something); is {
		return value
	}
	return ""
}

// counted says a count of things, with another word for many where "s" does not
// make it.
func counted(n any, one string, many ...string) string {
	if i := integer(n); i != 1 && len(many) > 0 {
		return thousands(i) + " " + many[0]
	}
	return amount(integer(n), one)
}

// more says how the next page is asked for, if there is one.
func more(before, command string, all bool) markup {
	if before == "" {
		return ""
	}
	if all {
		command += " --all"
	}
	return in(dim, "There are more: subconsciousctl "+command+" --before "+clean(before))
}

// member is one of a JSON object, exactly.
type member struct{ Name, Value markup }

// members are those of a JSON object in order, or what stands in its place.
func members(raw json.RawMessage) []member {
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return []member{{Value: markup(exactly(string(raw)))}}
	}
	all := make([]member, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, member{markup(exactly(name)), markup(value(values[name]))})
	}
	return all
}

// shownWords says whose words a model was shown.
func shownWords(shown []subconscious.Trust) string {
	names := make([]any, len(shown))
	for i, trust := range shown {
		names[i] = words("shown", trust)
	}
	if len(names) == 0 {
		return "nobody"
	}
	return string(together(", ", names))
}

// shownStyle draws the eye to the words of others.
func shownStyle(shown []subconscious.Trust) style {
	if slices.ContainsFunc(shown, func(trust subconscious.Trust) bool { return trust != "owner" && trust != "machine" }) {
		return yellow
	}
	return plain
}
