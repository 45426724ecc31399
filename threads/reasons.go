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

// reasonLength bounds a reason, in bytes.
const reasonLength = 400

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
	said := failure.Error()
	if failure.RetryAfter > 0 && failure.Kind != models.KindResting {
		said += " until " + clockOf(at.Add(failure.RetryAfter), at)
	}
	if failure.Next != "" {
		said += " (" + failure.Next + ")"
	}
	return said
}

// spent says which limit is reached, and until when.
func spent(r *budget.Refusal, at time.Time) string {
	what := map[string]string{
		budget.MoneyPerDay: "today's money", budget.MoneyPerMonth: "this month's money", budget.CallsPerDay: "today's calls of models",
		budget.TokensPerDay: "today's tokens", budget.ExplorationCallsPerDay: "today's calls for exploration",
	}[r.Limit]
	if what == "" {
		return r.Error()
	}
	if r.Role != "" {
		what += " of the " + r.Role
	}
	switch {
	case r.Allowed == 0:
		return what + " are set to none (" + r.Limit + " is 0)"
	case r.Until.IsZero():
		return "a single call could take more than " + what + " allow (raise " + r.Limit + ")"
	}
	return what + " leave no room for a call until " + clockOf(r.Until, at)
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
	return cutBytes(strings.Join(strings.Fields(t.options.Redact(subconscious.Printable(text))), " "), reasonLength)
}
