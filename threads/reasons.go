package threads

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reasonLength bounds a reason, and answerLength what it says of an answer that
// cannot be used, in bytes.
const reasonLength, answerLength = 400, 160

// why says in plain words why a model did not answer, and until when that
// holds where it is known.
func why(err error, at time.Time) string {
	var failure *models.Error
	if !errors.As(err, &failure) {
		if errors.Is(err, context.DeadlineExceeded) {
			return "the model did not answer in time"
		}
		return err.Error()
	}
	var said []string
	for _, one := range append(failure.Passed[:len(failure.Passed):len(failure.Passed)], failure) {
		if words := whyOne(one, at); len(said) == 0 || words != said[len(said)-1] {
			said = append(said, words)
		}
	}
	return strings.Join(said, "; ")
}

func whyOne(failure *models.Error, at time.Time) string {
	if refusal, ok := errors.AsType[*budget.Refusal](failure); ok {
		return spent(refusal, at)
	}
	if cause, ok := errors.AsType[*models.Error](failure.Err); ok && failure.Kind == models.KindResting && failure.RetryAfter > 0 {
		return failure.By.String() + ": it is left alone until " + clockOf(at.Add(failure.RetryAfter), at) + ", after failures: " + cause.Text
	}
	said := failure.Error()
	if failure.Kind == models.KindAnswer {
		// The answer itself stands among the failures.
		said, _, _ = strings.Cut(said, "; it begins:")
		said = subconscious.Clip(said, answerLength)
	}
	if failure.RetryAfter > 0 {
		said += " until " + clockOf(at.Add(failure.RetryAfter), at)
	}
	if failure.Next != "" {
		said += " (" + failure.Next + ")"
	}
	return said
}

// curbed reports whether the allowance for exploration alone kept every model
// from being asked, which is no failure of theirs, and how many were passed.
func curbed(err error) (passed int, ok bool) {
	failure, ok := errors.AsType[*models.Error](err)
	if !ok {
		return 0, false
	}
	for _, one := range append(failure.Passed[:len(failure.Passed):len(failure.Passed)], failure) {
		if refusal, ok := errors.AsType[*budget.Refusal](one); !ok || refusal.Limit != budget.ExplorationCallsPerDay {
			return 0, false
		}
	}
	return len(failure.Passed), true
}

// spent says which limit is reached, and until when.
func spent(r *budget.Refusal, at time.Time) string {
	what := map[string]string{
		budget.MoneyPerDay: "money for today", budget.MoneyPerMonth: "money for this month", budget.CallsPerDay: "calls of models for today",
		budget.TokensPerDay: "tokens for today", budget.ExplorationCallsPerDay: "calls for exploration for today",
	}[r.Limit]
	if what == "" {
		return r.Error()
	}
	if what = "the budget of " + what; r.Role != "" {
		what += " for the " + r.Role
	}
	switch {
	case r.Allowed == 0:
		return what + " is none (" + r.Limit + " is 0)"
	case r.Until.IsZero():
		return what + " is less than a single call could take (raise " + r.Limit + ")"
	}
	return what + " has no room for a call until " + clockOf(r.Until, at)
}

// clockOf is a time of today by its clock, and any other with its day.
func clockOf(t, at time.Time) string {
	t = t.In(at.Location())
	year, month, day := t.Date()
	switch y, m, d := at.Date(); {
	case year == y && month == m && day == d:
		return t.Format("15:04")
	case t.Equal(time.Date(y, m, d+1, 0, 0, 0, 0, at.Location())):
		return "midnight"
	}
	return t.Format("Mon 2 January 15:04")
}

// plain makes a reason one line without secrets.
func (t *ModelThread) plain(text string) string {
	return subconscious.Clip(strings.Join(strings.Fields(t.options.Redact(subconscious.Printable(text))), " "), reasonLength)
}
