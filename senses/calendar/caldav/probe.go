package caldav

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
)

// Probed is what trying a calendar showed.
type Probed struct {
	// Detail is what is so, Problem what is wrong: one of the two is set, and
	// Next beside Problem.
	Detail, Problem, Next string
	// Missing are calendars that are configured and not there.
	Missing []string
	// Expires is when the server's certificate ends, zero where it showed none.
	Expires time.Time
}

// Probe asks for a calendar once and says what is there. No event of an account
// is read.
func Probe(ctx context.Context, c calendar.Config, o Options) (p Probed) {
	ctx, done := context.WithTimeoutCause(ctx, 3*answersIn, fmt.Errorf("it took longer than %s; try again later", 3*answersIn))
	defer done()
	source, err := Open(c, o)
	switch source := source.(type) {
	case *Account:
		p, err = source.probe(ctx)
	case *Subscription:
		p, err = source.probe(ctx)
	}
	if err != nil {
		p.Problem, p.Next, _ = strings.Cut(strings.Join(strings.Fields(err.Error()), " "), "; ")
	}
	return p
}

func (a *Account) probe(ctx context.Context) (p Probed, err error) {
	defer a.client.rest()
	if err := a.client.wake(ctx); err != nil {
		return p, err
	}
	all, _, missing, err := a.list(ctx)
	p.Missing, p.Expires = missing, a.client.expires
	if err != nil {
		return p, err
	}
	var names []string
	for _, c := range all[:min(len(all), 10)] {
		names = append(names, shown(c.name))
	}
	p.Detail = fmt.Sprintf("%s lets you in: %d calendars (%s)", shown(a.home.at[0].Host), len(all), strings.Join(names, ", "))
	return p, nil
}

func (s *Subscription) probe(ctx context.Context) (p Probed, err error) {
	found, err := s.Look(ctx, calendar.Kept{})
	p.Expires = s.client.expires
	if err != nil {
		return p, err
	}
	events, _ := calendar.Count(found.Collections[0].Changed[0].Data) // Look has seen that it is whole
	p.Detail = fmt.Sprintf("the file is there, with %d events", events)
	return p, nil
}
