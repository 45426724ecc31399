package threads

import (
	"errors"
	"fmt"
	"time"
)

// Config says when threads are asked.
type Config struct {
	// Gate is "adaptive" (asked when something in its field is unseen, and with
	// a wider field as novelty pressure rises), "changed" (when something is
	// unseen) or "always".
	Gate     string        `mapstructure:"-"`
	Deadline time.Duration `mapstructure:"deadline" about:"How long one thread may think in a tick: 100ms to 10m, and not longer than tick_timeout."`
	Night    Hours         `mapstructure:"night" about:"When the watcher and the librarian think at every other scheduled tick alone; from = to: never."`
}

// Hours of the day, "23:00" to "08:00"; equal ones mean none.
type Hours struct {
	From string `mapstructure:"from" about:"Time of day, in the time zone."`
	To   string `mapstructure:"to" about:"Time of day, in the time zone."`
}

// The gates.
const (
	Adaptive = "adaptive"
	Changed  = "changed"
	Always   = "always"
)

// DefaultConfig returns what holds where the configuration is silent.
func DefaultConfig() Config {
	return Config{Gate: Adaptive, Deadline: 30 * time.Second, Night: Hours{From: "23:00", To: "08:00"}}
}

// Validate names every setting that cannot be used, in the order of the fields.
func (c Config) Validate() error {
	var problems []error
	if c.Gate != Adaptive && c.Gate != Changed && c.Gate != Always {
		problems = append(problems, fmt.Errorf("gate: %q is none of adaptive, changed, always", c.Gate))
	}
	if c.Deadline < 100*time.Millisecond || c.Deadline > 10*time.Minute {
		problems = append(problems, fmt.Errorf("deadline: is %s, must be 100ms to 10m", c.Deadline))
	}
	for _, hour := range [...]struct{ key, text string }{{"night.from", c.Night.From}, {"night.to", c.Night.To}} {
		if _, err := minutes(hour.text); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", hour.key, err))
		}
	}
	return errors.Join(problems...)
}

// minutes reads "23:00" as minutes after midnight.
func minutes(text string) (int, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time of day; write it as \"23:00\"", text)
	}
	return t.Hour()*60 + t.Minute(), nil
}

// Hold reports whether the local time at lies in the hours, their start
// included. Hours that cannot be read hold nothing; Validate names them.
func (h Hours) Hold(at time.Time) bool {
	from, errFrom := minutes(h.From)
	to, errTo := minutes(h.To)
	if errFrom != nil || errTo != nil || from == to {
		return false
	}
	now := at.Hour()*60 + at.Minute()
	if from < to {
		return from <= now && now < to
	}
	return now >= from || now < to
}
