package aggregator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
)

// TestRulesValidate: the rules by default are valid, and so are the ends of each
// range; what lies beyond is named.
func TestRulesValidate(t *testing.T) {
	if err := aggregator.DefaultRules().Validate(); err != nil {
		t.Fatal(err)
	}
	numbers := map[string]struct {
		of        func(*aggregator.Rules) *int
		low, high int
	}{
		"active_threads":     {func(r *aggregator.Rules) *int { return &r.ActiveThreads }, 1, 5},
		"patterns":           {func(r *aggregator.Rules) *int { return &r.Patterns }, 1, 5},
		"hunches":            {func(r *aggregator.Rules) *int { return &r.Hunches }, 1, 5},
		"insights":           {func(r *aggregator.Rules) *int { return &r.Insights }, 1, 3},
		"parked":             {func(r *aggregator.Rules) *int { return &r.Parked }, 0, 50},
		"start_strength":     {func(r *aggregator.Rules) *int { return &r.Start }, 1, 10},
		"gain":               {func(r *aggregator.Rules) *int { return &r.Gain }, 1, 10},
		"gain_two_threads":   {func(r *aggregator.Rules) *int { return &r.GainTwo }, 1, 10},
		"gain_better":        {func(r *aggregator.Rules) *int { return &r.GainBetter }, 0, 10},
		"min_importance":     {func(r *aggregator.Rules) *int { return &r.MinImportance }, 1, 10},
		"insight_importance": {func(r *aggregator.Rules) *int { return &r.InsightImportance }, 1, 10},
		"insight_days":       {func(r *aggregator.Rules) *int { return &r.InsightDays }, 1, 8},
		"insight_changes":    {func(r *aggregator.Rules) *int { return &r.InsightChanges }, 1, 100},
		"max_tokens":         {func(r *aggregator.Rules) *int { return &r.MaxTokens }, 200, 2000},
	}
	for key, rule := range numbers {
		for value, ok := range map[int]bool{rule.low - 1: false, rule.low: true, rule.high: true, rule.high + 1: false} {
			rules := aggregator.DefaultRules()
			*rule.of(&rules) = value
			checkRules(t, rules, key, ok)
		}
	}
	for value, ok := range map[time.Duration]bool{time.Hour - 1: false, time.Hour: true, 8784 * time.Hour: true, 8784*time.Hour + 1: false} {
		rules := aggregator.DefaultRules()
		rules.CloseFor = value
		checkRules(t, rules, "close_for", ok)
	}
	for value, ok := range map[time.Duration]bool{time.Minute - 1: false, time.Minute: true, 8784 * time.Hour: true, 8784*time.Hour + 1: false} {
		rules := aggregator.DefaultRules()
		rules.FocusFor = value
		checkRules(t, rules, "focus_for", ok)
	}
}

func checkRules(t *testing.T, rules aggregator.Rules, key string, ok bool) {
	t.Helper()
	err := rules.Validate()
	if (err == nil) != ok {
		t.Errorf("%s: %+v gives %v", key, rules, err)
	}
	if err != nil && !strings.HasPrefix(err.Error(), key+": is ") {
		t.Errorf("%s: the error is %v", key, err)
	}
}
