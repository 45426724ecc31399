// Package google asks the calendars of a Google account: an Account is a
// calendar.Source.
//
// It asks each calendar what changed since its sync token, masters and changed
// occurrences alike, and puts each of them into an iCalendar object of its own,
// which package calendar expands. It stores nothing. The daemon opens it, and
// nothing else may: it links Google's library.
package google

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	gcal "google.golang.org/api/calendar/v3"
	"google.golang.org/api/option"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/calendar/google/access"
)

const (
	pageSize  = 500
	maxPages  = 100 // of one look at a calendar
	maxEvents = 20_000
	maxBytes  = 32 << 20 // of what is taken of them
	maxAsked  = 50       // masters of occurrences whose UID does not stand with them; for more all is looked at anew
	atOnce    = 4
	// back is how much of the past a full look takes in: an occurrence that was
	// moved further back than this would be shown where it was planned.
	back = 60 * 24 * time.Hour
	// reserve is how long before its deadline a Look begins no other page.
	reserve = 5 * time.Second
	// fields are those of an answer that are asked for.
	fields = "nextPageToken,nextSyncToken,timeZone,items(etag,id,status,summary,description,location,start,end,endTimeUnspecified,recurrence," +
		"recurringEventId,originalStartTime,transparency,visibility,iCalUID,sequence,updated,organizer(email,displayName,self)," +
		"attendees(email,displayName,responseStatus),hangoutLink,conferenceData(entryPoints(entryPointType,uri)),eventType)"
)

// Account is a Google account.
type Account struct {
	config calendar.Config
	client *access.Client
	events *gcal.EventsService
	until  time.Time        // Google asked not to be asked before
	looks  map[string]*look // by calendar: those that go on
}

var _ calendar.Source = (*Account)(nil)

// Open returns the source of an account. It asks nobody yet.
func Open(c calendar.Config, o access.Options) (*Account, error) {
	client := access.New(c, o)
	service, err := gcal.NewService(context.Background(), option.WithHTTPClient(&http.Client{Transport: lenient{client}}), option.WithEndpoint(client.Endpoint()))
	if err != nil {
		return nil, fmt.Errorf("google: %w", err)
	}
	return &Account{config: c, client: client, events: service.Events}, nil
}

// Look asks which calendars there are, and each of them what changed.
func (a *Account) Look(ctx context.Context, kept calendar.Kept) (calendar.Found, error) {
	if wait := time.Until(a.until); wait > 0 {
		return calendar.Found{}, fmt.Errorf("%s asked to wait; it is asked again in %s", "Google", wait.Round(time.Second))
	}
	found, err := a.look(ctx, kept)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		a.until = time.Now().Add(refused.After)
	}
	return found, err
}

func (a *Account) look(ctx context.Context, kept calendar.Kept) (calendar.Found, error) {
	all, left, missing, owner, err := a.client.Calendars(ctx)
	if err != nil {
		return calendar.Found{}, err
	}
	out := calendar.Found{Collections: make([]calendar.Collection, len(all)), Left: left, Owner: []string{owner}}
	looks := map[string]*look{}
	failed := make([]error, len(all))
	room := make(chan struct{}, atOnce)
	var asked sync.WaitGroup
	for i, c := range all {
		token := kept.Tokens[c.ID]
		l := a.looks[c.ID]
		if l == nil || l.token != token {
			l = a.begin(c, owner, token)
		}
		looks[c.ID] = l
		asked.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			failed[i] = l.on(ctx)
		})
	}
	asked.Wait()
	a.looks = looks
	var problems []string
	for i, c := range all {
		l, err := looks[c.ID], failed[i]
		out.Collections[i] = calendar.Collection{Name: c.ID, Token: l.token}
		refused, _ := errors.AsType[*access.Refused](err)
		switch {
		case err == nil && l.done:
			out.Collections[i] = l.collection()
			delete(a.looks, c.ID)
		case err == nil:
			out.Starting = out.Starting || l.token == ""
		case ctx.Err() != nil || errors.Is(err, oauth.ErrSignInAgain) || refused != nil && refused.Busy():
			return calendar.Found{}, err // the looks go on where they are
		default:
			problems = append(problems, fmt.Sprintf("the calendar %s could not be looked at: %v", c.Name(), err))
			if delete(a.looks, c.ID); len(problems) == len(all) {
				return calendar.Found{}, err
			}
		}
	}
	if len(missing) > 0 {
		problems = append(problems, fmt.Sprintf("there is no calendar %s that can be read; correct calendars", strings.Join(missing, ", ")))
	}
	out.Degraded = strings.Join(problems, "; ")
	return out, nil
}
