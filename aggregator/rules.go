package aggregator

import (
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Rules are the limits, rates and thresholds of the mechanics.
type Rules struct {
	// Limits of the four lists; they can be lowered, not raised.
	ActiveThreads int `mapstructure:"active_threads" json:"active_threads"`
	Patterns      int `mapstructure:"patterns" json:"patterns"`
	Hunches       int `mapstructure:"hunches" json:"hunches"`
	Insights      int `mapstructure:"insights" json:"insights"`
	Parked        int `mapstructure:"parked" json:"parked"`
	// Start is the strength of a new entry.
	Start int `mapstructure:"start_strength" json:"start_strength"`
	// Gains: what new evidence adds, from one thread, from two with different
	// evidence, and where the change is for the better.
	Gain       int `mapstructure:"gain" json:"gain"`
	GainTwo    int `mapstructure:"gain_two_threads" json:"gain_two_threads"`
	GainBetter int `mapstructure:"gain_better" json:"gain_better"`
	// MinImportance is the least that is taken in, InsightImportance the least
	// that can become an insight.
	MinImportance     int `mapstructure:"min_importance" json:"min_importance"`
	InsightImportance int `mapstructure:"insight_importance" json:"insight_importance"`
	// InsightDays and InsightChanges are how many local days and changes an
	// incident needs to become an insight by itself.
	InsightDays    int `mapstructure:"insight_days" json:"insight_days"`
	InsightChanges int `mapstructure:"insight_changes" json:"insight_changes"`
	// CloseFor is how long something stays closed that never stood.
	CloseFor time.Duration `mapstructure:"close_for" json:"close_for"`
	// FocusFor is how long a focus hint of the person stands.
	FocusFor time.Duration `mapstructure:"focus_for" json:"focus_for"`
	// MaxTokens bounds the published document.
	MaxTokens int `mapstructure:"max_tokens" json:"max_tokens"`
}

// DefaultRules returns the rules that hold where the configuration is silent.
func DefaultRules() Rules {
	return Rules{
		ActiveThreads: subconscious.MaxActive, Patterns: subconscious.MaxPatterns,
		Hunches: subconscious.MaxHunches, Insights: subconscious.MaxInsights, Parked: 50,
		Start: 3, Gain: 2, GainTwo: 3, GainBetter: 1,
		MinImportance: 3, InsightImportance: 5, InsightDays: 3, InsightChanges: 3,
		CloseFor: 7 * 24 * time.Hour, FocusFor: 24 * time.Hour,
		MaxTokens: subconscious.MaxTokens,
	}
}

// Validate names every rule that is out of its range.
func (r Rules) Validate() error {
	var problems []error
	within := func(key string, value, low, high int) {
		if value < low || value > high {
			problems = append(problems, fmt.Errorf("%s: is %d, must be %d to %d", key, value, low, high))
		}
	}
	within("active_threads", r.ActiveThreads, 1, subconscious.MaxActive)
	within("patterns", r.Patterns, 1, subconscious.MaxPatterns)
	within("hunches", r.Hunches, 1, subconscious.MaxHunches)
	within("insights", r.Insights, 1, subconscious.MaxInsights)
	within("parked", r.Parked, 0, 50)
	within("start_strength", r.Start, 1, subconscious.MaxStrength)
	within("gain", r.Gain, 1, subconscious.MaxStrength)
	within("gain_two_threads", r.GainTwo, 1, subconscious.MaxStrength)
	within("gain_better", r.GainBetter, 0, subconscious.MaxStrength)
	within("min_importance", r.MinImportance, 1, 10)
	within("insight_importance", r.InsightImportance, 1, 10)
	within("insight_days", r.InsightDays, 1, 8)
	within("insight_changes", r.InsightChanges, 1, 100)
	within("max_tokens", r.MaxTokens, 200, subconscious.MaxTokens)
	if r.CloseFor < time.Hour || r.CloseFor > 366*24*time.Hour {
		problems = append(problems, fmt.Errorf("close_for: is %s, must be 1h to 8784h", r.CloseFor))
	}
	if r.FocusFor < time.Minute || r.FocusFor > 366*24*time.Hour {
		problems = append(problems, fmt.Errorf("focus_for: is %s, must be 1m to 8784h", r.FocusFor))
	}
	return errors.Join(problems...)
}

// limit returns how many entries a list holds.
func (r Rules) limit(list subconscious.List) int {
	switch list {
	case subconscious.ActiveThreads:
		return r.ActiveThreads
	case subconscious.Patterns:
		return r.Patterns
	case subconscious.Hunches:
		return r.Hunches
	}
	return r.Insights
}
