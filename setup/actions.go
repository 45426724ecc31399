package setup

import (
	"fmt"
	"regexp"

	"github.com/subconsciousd/subconsciousd/escalate/actions"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// fillActions sets what an action leaves out, so that what is shown is what
// holds. A 0 that is written means neither that nor never, and is refused.
func (c *checker) fillActions(config *Config) {
	for i, a := range config.Actions {
		key := fmt.Sprintf("actions[%d].", i)
		full := a.WithDefaults()
		never := ", or remove the action if it should never run"
		c.zero(key+"timeout", a.Timeout == 0, full.Timeout, "")
		c.zero(key+"per_hour", a.PerHour == 0, full.PerHour, never)
		c.zero(key+"per_day", a.PerDay == 0, full.PerDay, never)
		c.zero(key+"max_output", a.MaxOutput == 0, full.MaxOutput, "")
		for j, p := range a.Params {
			if full.Params[j].Type == actions.Text {
				c.zero(fmt.Sprintf("%sparams[%d].max_length", key, j), p.MaxLength == 0, full.Params[j].MaxLength, "")
			}
		}
		config.Actions[i] = full
	}
}

// zero refuses a 0 that is written where leaving out means the fallback.
func (c *checker) zero(key string, isZero bool, fallback any, or string) {
	if line := c.lines[key]; line > 0 && isZero {
		c.wrong(CodeValue, line, key, "is 0, which is no limit that can be kept", fmt.Sprintf("leave it out for the default (%v)%s", fallback, or))
	}
}

// naming is what the ids of a list are made of.
type naming struct {
	pattern func() *regexp.Regexp
	fix     string
}

var (
	anyNaming = naming{idPattern, "use up to 32 lower-case letters, digits, - and _, beginning with a letter or digit"}
	namings   = map[string]naming{
		"actions":          {lazy.Regexp(actions.NamePattern), actions.NameFix},
		"actions[].params": {lazy.Regexp(actions.ParamPattern), actions.ParamFix},
	}
	indexes = lazy.Regexp(`\[[0-9]+\]`)
)

// namingOf returns how the items of the list at the key are named.
func namingOf(key string) naming {
	if special, ok := namings[indexes().ReplaceAllString(key, "[]")]; ok {
		return special
	}
	return anyNaming
}
