package modeltest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/models"
)

// Fault is one way in which a provider or a model misbehaves.
type Fault string

// Those of the faults that have a name in code; Faults tells of all.
const (
	NoFault       Fault = ""
	RateHeader    Fault = "429-header"
	RateDate      Fault = "429-date"
	RateGemini    Fault = "429-gemini"
	BadKey        Fault = "401"
	BadRequest    Fault = "400"
	ServerError   Fault = "500"
	Unavailable   Fault = "503"
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
	// Answers: the driver may answer; where Kinds has some, it may fail as well.
	Answers bool
	// Kinds are the failures that a driver may report. None means that what is
	// wrong is what the model says, which is for others to judge.
	Kinds []models.Kind
	// Status is what the provider refuses with, 0 where it does not; Type and
	// Text are what it says then, in its protocol's own way, or Body, where
	// Header has a Content-Type. {key}, {model}, {date}, {other} and {long} in
	// them are filled in.
	Status           int
	Type, Text, Body string
	Header           map[string]string
	// Says, if set, is what the model says, with {text} for what it would have.
	Says *string
}

//go:embed faults.json
var faultsFile []byte

// Faults returns all faults, in the order in which they are shown: refusals,
// broken connections, broken bodies, and sound answers with an unsound text.
var Faults = sync.OnceValue(func() (all []AboutAFault) {
	if err := json.Unmarshal(faultsFile, &all); err != nil {
		panic(err)
	}
	return all
})

// AboutFault describes one fault.
func AboutFault(f Fault) (AboutAFault, bool) {
	all := Faults()
	if i := slices.IndexFunc(all, func(about AboutAFault) bool { return about.Fault == f }); i >= 0 {
		return all[i], true
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
	for number := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.Atoi(number)
		if on && (err != nil || n < 1 || byChance) {
			return Trouble{}, fmt.Errorf("%q: after @ come numbers of requests, such as %s@1,3, and no chance beside them", text, name)
		}
		if on {
			t.On = append(t.On, n)
		}
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
