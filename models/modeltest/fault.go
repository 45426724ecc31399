package modeltest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
)

// Fault is one way in which a provider or a model misbehaves.
type Fault string

const (
	NoFault Fault = ""

	RateHeader    Fault = "429-header"
	RateDate      Fault = "429-date"
	RateGemini    Fault = "429-gemini"
	RateBare      Fault = "429-bare"
	NoMoney       Fault = "402"
	BadKey        Fault = "401"
	NoModel       Fault = "404-model"
	BadRequest    Fault = "400"
	ServerError   Fault = "500"
	Unavailable   Fault = "503"
	Overloaded    Fault = "529"
	Redirect      Fault = "redirect"
	Reset         Fault = "reset"
	Cut           Fault = "cut"
	CutClean      Fault = "cut-clean"
	ErrorMidway   Fault = "error-midway"
	Hang          Fault = "hang"
	HangBefore    Fault = "hang-before"
	Slow          Fault = "slow"
	Huge          Fault = "huge"
	Endless       Fault = "endless"
	LongLine      Fault = "long-line"
	GzipBomb      Fault = "gzip-bomb"
	NotJSON       Fault = "not-json"
	HTML          Fault = "html"
	WrongModel    Fault = "wrong-model"
	NoUsage       Fault = "no-usage"
	HugeUsage     Fault = "huge-usage"
	Empty         Fault = "empty"
	NullContent   Fault = "null-content"
	Refusal       Fault = "refusal"
	Truncated     Fault = "truncated"
	Prose         Fault = "prose"
	ThinkBlock    Fault = "think-block"
	Fenced        Fault = "fenced"
	TrailingComma Fault = "trailing-comma"
	TwoObjects    Fault = "two-objects"
	SameTwice     Fault = "same-object-twice"
	WrongSchema   Fault = "wrong-schema"
	ExtraFields   Fault = "extra-fields"
	BadEvidence   Fault = "bad-evidence"
	ToolLoop      Fault = "tool-loop"
	UnknownTool   Fault = "unknown-tool"
	BadArguments  Fault = "bad-tool-arguments"
)

// AboutAFault describes a fault, and what a driver may make of it.
type AboutAFault struct {
	Fault Fault
	About string
	// Kinds are the failures that a driver may report. None means that the
	// driver answers: what is wrong is what the model says, which is for
	// others to judge.
	Kinds []models.Kind
	// Answers: it may answer although Kinds has some.
	Answers bool
}

// Faults returns all faults, in the order in which they are shown.
func Faults() []AboutAFault {
	return slices.Concat(refusals(), brokenWires(), brokenBodies(), strangeWords())
}

// refusals are answers with another status than 200.
func refusals() []AboutAFault {
	kinds := func(k ...models.Kind) []models.Kind { return k }
	return []AboutAFault{
		{RateHeader, "429 with Retry-After in seconds", kinds(models.KindRate), false},
		{RateDate, "429 with Retry-After as a date", kinds(models.KindRate), false},
		{RateGemini, "429 with error.details[].retryDelay in the body, as Gemini does", kinds(models.KindRate), false},
		{RateBare, "429 without a word about when", kinds(models.KindRate), false},
		{NoMoney, "402: the account is empty", kinds(models.KindRate), false},
		{BadKey, "401: the key is refused", kinds(models.KindKey), false},
		{NoModel, "404: there is no such model", kinds(models.KindModel), false},
		{BadRequest, "400: the request is refused", kinds(models.KindRequest), false},
		{ServerError, "500 with a long body of HTML", kinds(models.KindServer), false},
		{Unavailable, "503 with an empty body", kinds(models.KindServer), false},
		{Overloaded, "529: overloaded, as Anthropic says it", kinds(models.KindServer), false},
		{Redirect, "307 to another host", kinds(models.KindNetwork, models.KindServer, models.KindAnswer, models.KindRequest), false},
	}
}

// brokenWires are connections that do not carry an answer to its end.
func brokenWires() []AboutAFault {
	kinds := func(k ...models.Kind) []models.Kind { return k }
	return []AboutAFault{
		{Reset, "the connection is reset before an answer", kinds(models.KindNetwork), false},
		{Cut, "the answer ends in the middle", kinds(models.KindCut), false},
		{CutClean, "the answer ends in the middle as if that were its end", kinds(models.KindCut, models.KindAnswer), false},
		{ErrorMidway, "200, and an error in the middle of the stream, or instead of the answer", kinds(models.KindServer, models.KindCut, models.KindAnswer), false},
		{Hang, "headers, then silence", kinds(models.KindTimeout), false},
		{HangBefore, "not even headers", kinds(models.KindTimeout), false},
		{Slow, "the answer drips, and never ends", kinds(models.KindTimeout), false},
		{Huge, "an answer of 64 MB", kinds(models.KindTooLarge), false},
		{Endless, "an answer without an end, as fast as it goes", kinds(models.KindTooLarge), false},
		{LongLine, "a line of 64 MB", kinds(models.KindTooLarge), false},
		{GzipBomb, "an answer of 130 KB that unpacks to 128 MB", kinds(models.KindTooLarge), false},
	}
}

// brokenBodies are complete answers that do not keep to the protocol, or
// whose envelope says something odd.
func brokenBodies() []AboutAFault {
	kinds := func(k ...models.Kind) []models.Kind { return k }
	return []AboutAFault{
		{NotJSON, "200 with a body that is no JSON", kinds(models.KindAnswer, models.KindCut), false},
		{HTML, "200 with a page of HTML, as a captive portal does", kinds(models.KindAnswer, models.KindServer, models.KindCut), false},
		{WrongModel, "another model answers", kinds(models.KindWrongModel), true},
		{NoUsage, "the answer does not say what it used", nil, true},
		{HugeUsage, "the answer claims to have used a billion tokens", nil, true},
		{Empty, "the answer says nothing", kinds(models.KindAnswer), true},
		{NullContent, "the answer's content is null", kinds(models.KindAnswer), true},
		{Refusal, "the model declines", kinds(models.KindRefused), true},
		{Truncated, "the answer ends at the limit of tokens, in the middle of its JSON", nil, true},
	}
}

// strangeWords are sound answers with an unsound text.
func strangeWords() []AboutAFault {
	about := func(f Fault, text string) AboutAFault { return AboutAFault{f, text, nil, true} }
	return []AboutAFault{
		about(Prose, "JSON in the middle of prose"),
		about(ThinkBlock, "thoughts in <think> before the JSON, with braces in them"),
		about(Fenced, "JSON in a fence of Markdown"),
		about(TrailingComma, "JSON with commas too many"),
		about(TwoObjects, "two different objects, one after the other"),
		about(SameTwice, "the same object twice"),
		about(WrongSchema, "JSON of another shape"),
		about(ExtraFields, "JSON with fields that nobody asked for"),
		about(BadEvidence, "findings that cite what was never shown"),
		about(ToolLoop, "asks for the same tool again and again"),
		about(UnknownTool, "asks for a tool that it was not offered"),
		about(BadArguments, "asks for a tool with arguments that are no JSON"),
	}
}

// AboutFault describes one fault.
func AboutFault(f Fault) (AboutAFault, bool) {
	for _, about := range Faults() {
		if about.Fault == f {
			return about, true
		}
	}
	return AboutAFault{}, false
}

func faultNames() string {
	var names []string
	for _, about := range Faults() {
		names = append(names, string(about.Fault))
	}
	return strings.Join(names, ", ")
}

// Trouble says when a fault strikes: always, if neither On nor Chance is set.
type Trouble struct {
	Fault Fault
	// On are the numbers of the requests that it strikes, from 1.
	On []int
	// Chance is how likely it strikes, 0 to 1. It depends on the server's seed,
	// on whom the request comes from (its System) and on how many came from
	// there before.
	Chance float64
}

// Always returns the trouble of a fault that strikes each time.
func Always(f Fault) Trouble { return Trouble{Fault: f} }

// Nth returns the trouble of a fault that strikes the requests of those
// numbers, from 1.
func Nth(f Fault, numbers ...int) Trouble { return Trouble{Fault: f, On: numbers} }

// Sometimes returns the trouble of a fault that strikes by chance, 0 to 1.
func Sometimes(f Fault, chance float64) Trouble { return Trouble{Fault: f, Chance: chance} }

// ParseTrouble reads "NAME", "NAME@3,5" (on the third and fifth request) or
// "NAME~0.2" (one time in five).
func ParseTrouble(text string) (Trouble, error) {
	name, numbers, on := strings.Cut(text, "@")
	name, chance, byChance := strings.Cut(name, "~")
	t := Trouble{Fault: Fault(name)}
	if _, ok := AboutFault(t.Fault); !ok {
		return Trouble{}, fmt.Errorf("there is no fault %q; there are %s", name, faultNames())
	}
	if byChance {
		var err error
		if t.Chance, err = strconv.ParseFloat(chance, 64); err != nil || !(t.Chance > 0 && t.Chance <= 1) {
			return Trouble{}, fmt.Errorf("%q: after ~ comes a chance above 0 and up to 1, such as %s~0.2", text, name)
		}
	}
	if !on {
		return t, nil
	}
	for number := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || byChance {
			return Trouble{}, fmt.Errorf("%q: after @ come numbers of requests, such as %s@1,3, and no chance beside them", text, name)
		}
		t.On = append(t.On, n)
	}
	return t, nil
}

// strikes reports whether it is the turn of this request.
func (t Trouble) strikes(r Request, seed uint64) bool {
	switch {
	case len(t.On) > 0:
		return slices.Contains(t.On, r.Number)
	case t.Chance > 0:
		roll := hash(seed, string(t.Fault), r.System, strconv.Itoa(r.Turn))
		return float64(roll>>11)/(1<<53) < t.Chance
	}
	return true
}
