package deliberate

import (
	"errors"
	"fmt"
	"time"
)

// Config says how a model deliberates.
type Config struct {
	Enabled          bool          `mapstructure:"enabled" about:"Whether a model is asked at all; false: you are told in the words of the rules."`
	Rounds           int           `mapstructure:"rounds" about:"How often a model may answer in one deliberation: 1 to 8."`
	Deadline         time.Duration `mapstructure:"deadline" about:"How long one may take: 30s to 15m. After it you are told in the words of the rules."`
	CriticalDeadline time.Duration `mapstructure:"critical_deadline" about:"The same for what is critical: 5s to 3m."`
	MaxCost          float64       `mapstructure:"max_cost" about:"What one may cost, in US dollars; taken off the budget before its first call. 0: only free models are asked."`
}

// Bounds of what a model may do in an escalation.
const (
	maxRounds     = 8
	callsPerRound = 6
	maxCalls      = 24
	maxDollars    = 100
)

// DefaultConfig returns what holds where the configuration is silent.
func DefaultConfig() Config {
	return Config{Enabled: true, Rounds: maxRounds, Deadline: 3 * time.Minute, CriticalDeadline: 45 * time.Second, MaxCost: 0.50}
}

// Validate names every setting that cannot be used, in the order of the fields.
func (c Config) Validate() error {
	var problems []error
	if c.Rounds < 1 || c.Rounds > maxRounds {
		problems = append(problems, fmt.Errorf("rounds: is %d, must be 1 to %d", c.Rounds, maxRounds))
	}
	if c.Deadline < 30*time.Second || c.Deadline > 15*time.Minute {
		problems = append(problems, fmt.Errorf("deadline: is %s, must be 30s to 15m", c.Deadline))
	}
	if c.CriticalDeadline < 5*time.Second || c.CriticalDeadline > 3*time.Minute {
		problems = append(problems, fmt.Errorf("critical_deadline: is %s, must be 5s to 3m", c.CriticalDeadline))
	}
	if !(c.MaxCost >= 0 && c.MaxCost <= maxDollars) {
		problems = append(problems, fmt.Errorf("max_cost: is %v, must be 0 to %d dollars", c.MaxCost, maxDollars))
	}
	return errors.Join(problems...)
}
