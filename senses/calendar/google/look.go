package google

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	gcal "google.golang.org/api/calendar/v3"
	"google.golang.org/api/googleapi"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/calendar/google/access"
)

// look is a look at one calendar, page by page, which may take several ticks.
type look struct {
	events   *gcal.EventsService
	calendar access.Calendar
	others   bool   // it is another person's
	token    string // of the last look that was committed
	since    string // what changed since then is asked for; "" for all there is
	from     string // when all there is begins
	anew     bool   // the token was refused
	next     string // page
	pages    int
	done     bool
	sync     string // the token that came with the last page

	items map[string]calendar.Item // without Data: it is gone
	bytes int
	// uids are those of masters by their ids; unnamed are changed occurrences
	// that came without the UID of theirs.
	uids    map[string]string
	unnamed map[string]*gcal.Event
}

func (a *Account) begin(c access.Calendar, owner, token string) *look {
	l := &look{events: a.events, calendar: c, token: token, since: token}
	l.others = !c.Primary && !strings.HasSuffix(c.ID, "calendar.google.com") &&
		!slices.ContainsFunc(slices.Concat(a.config.Addresses, []string{owner, a.config.Google}), func(own string) bool { return strings.EqualFold(own, c.ID) })
	l.reset()
	return l
}

func (l *look) reset() {
	l.next, l.pages, l.bytes = "", 0, 0
	l.from = time.Now().Add(-back).UTC().Format(time.RFC3339)
	l.items, l.uids, l.unnamed = map[string]calendar.Item{}, map[string]string{}, map[string]*gcal.Event{}
}

// on goes on with the look, as far as there is time.
func (l *look) on(ctx context.Context) error {
	for !l.done {
		if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < reserve {
			return nil
		}
		err := l.step(ctx)
		refused, _ := errors.AsType[*access.Refused](err)
		switch {
		case refused != nil && (refused.Status == http.StatusGone || refused.Status == http.StatusBadRequest) && !l.anew:
			// The token is too old, or that of the next page is: all from the beginning.
			l.anew, l.since = true, ""
			l.reset()
		case err != nil:
			return err
		}
	}
	return nil
}

// step takes in one page.
func (l *look) step(ctx context.Context) error {
	page, err := l.page(ctx)
	if err != nil {
		return err
	}
	for _, e := range page.Items {
		l.take(e, page.TimeZone)
	}
	l.next, l.sync = page.NextPageToken, page.NextSyncToken
	if l.pages++; l.next != "" && (l.pages >= maxPages || len(l.items) > maxEvents || l.bytes > maxBytes) {
		return fmt.Errorf("it holds more than %d events, or %d MiB of them; name the other calendars under calendars", maxEvents, maxBytes>>20)
	}
	if l.next == "" {
		if err := l.name(ctx, page.TimeZone); err != nil {
			return err
		}
		l.done = true
	}
	return nil
}

// page asks for the next page. All of one look, and the looks after it, have the
// same parameters, but for when all there is begins: that may not stand beside a
// token.
func (l *look) page(ctx context.Context) (*gcal.Events, error) {
	call := l.events.List(l.calendar.ID).Context(ctx).MaxResults(pageSize).SingleEvents(false).Fields(googleapi.Field(fields))
	if l.since != "" {
		call.SyncToken(l.since)
	} else {
		call.TimeMin(l.from)
	}
	if l.next != "" {
		call.PageToken(l.next)
	}
	page, err := call.Do()
	if err != nil {
		return nil, access.Plain(err)
	}
	return page, nil
}

// take takes in one event, or that it is gone.
func (l *look) take(e *gcal.Event, zone string) {
	l.put(calendar.Item{Name: e.Id})
	delete(l.unnamed, e.Id)
	if e.RecurringEventId == "" {
		l.uids[e.Id] = e.ICalUID
	}
	hidden := l.calendar.Role == "reader" && (e.Visibility == "private" || e.Visibility == "confidential") && e.Summary == ""
	if hidden { // that it is shown at all says only when somebody is busy
		e.Status = cancelled
	}
	switch {
	case e.RecurringEventId == "" && e.Status == cancelled:
		l.uids[e.Id] = ""
	case e.ICalUID == "" && e.RecurringEventId != "":
		l.unnamed[e.Id] = e
	default:
		l.put(l.item(e, e.ICalUID, zone))
	}
}

func (l *look) put(item calendar.Item) {
	l.bytes += len(item.Data) - len(l.items[item.Name].Data)
	l.items[item.Name] = item
}

// name finds the UIDs of occurrences that came without: Google says of one that
// was taken out of a series only of which.
func (l *look) name(ctx context.Context, zone string) error {
	asked := 0
	for _, id := range slices.Sorted(maps.Keys(l.unnamed)) {
		e := l.unnamed[id]
		if _, known := l.uids[e.RecurringEventId]; !known && l.since != "" {
			if asked++; asked > maxAsked {
				return &access.Refused{Status: http.StatusGone}
			}
			master, err := l.events.Get(l.calendar.ID, e.RecurringEventId).Context(ctx).Fields("iCalUID").Do()
			refused, _ := errors.AsType[*access.Refused](err)
			switch {
			case err == nil:
				l.uids[e.RecurringEventId] = master.ICalUID
			case refused != nil && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone):
				l.uids[e.RecurringEventId] = ""
			default:
				return access.Plain(err)
			}
		}
		if uid := l.uids[e.RecurringEventId]; uid != "" {
			l.put(l.item(e, uid, zone))
		}
	}
	return nil
}

// collection is what the look found.
func (l *look) collection() calendar.Collection {
	out := calendar.Collection{Name: l.calendar.ID, Token: l.sync, Full: l.since == ""}
	for _, name := range slices.Sorted(maps.Keys(l.items)) {
		if item := l.items[name]; item.Data != nil {
			out.Changed = append(out.Changed, item)
		} else {
			out.Removed = append(out.Removed, name)
		}
	}
	return out
}
