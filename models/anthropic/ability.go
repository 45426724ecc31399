package anthropic

import (
	"strconv"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/models"
)

// ability is what a model of Anthropic takes. Source: the migration guides on
// platform.claude.com for Opus 4.7, Opus 5, Sonnet 5 and Opus 5.5, read
// 2026-11-21. A model of a later version is taken for one of the latest known.
type ability struct {
	// temperature may be given.
	temperature bool
	// adaptive: it thinks as much as its effort says; else a budget is given.
	adaptive bool
	// off is how it is asked not to think.
	off off
	// format: its answer keeps to a schema that is given; else a tool is
	// forced on it that takes the answer.
	format bool
}

type off int

const (
	offByNothing off = iota // it does not think unless asked
	offByWord               // thinking: {type: disabled}
	offByEffort             // it always thinks: the least effort
)

// named finds family and version in "claude-opus-4-7" or, as older ones are
// named, in "claude-3-5-haiku-20241022".
var named = lazy.Regexp(`claude-(?:(\d+)-(?:(\d)-)?)?([a-z]+)(?:-(\d+)(?:[-.](\d{1,2}))?)?(?:[-@:]|$)`)

// abilityOf knows a model by its name. What is not Claude, but speaks the
// protocol, is asked as the oldest is.
func abilityOf(model string) ability {
	found := named().FindStringSubmatch(model)
	if found == nil {
		return ability{temperature: true}
	}
	number := func(text string) int { n, _ := strconv.Atoi(text); return n }
	version := 10*number(found[4]) + number(found[5])
	if found[4] == "" || number(found[4]) > 1000 { // a date: the version stands before the name
		version = 10*number(found[1]) + number(found[2])
	}
	a := ability{temperature: version < 47, adaptive: version >= 46, format: version >= 45}
	switch {
	case version < 50:
	case version > 50 || found[3] != "opus" && found[3] != "sonnet":
		a.off = offByEffort
	default:
		a.off = offByWord
	}
	return a
}

// enforces says how an answer is held to a schema.
func (a ability) enforces(configured string) (format, tool bool) {
	switch configured {
	case models.SchemaNone:
		return false, false
	case models.SchemaObject:
		return false, !a.adaptive // later models refuse a forced tool
	}
	return a.format, !a.format
}
