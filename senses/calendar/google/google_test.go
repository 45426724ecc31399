package google

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	gcal "google.golang.org/api/calendar/v3"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar/google/access"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// day is midnight in UTC so many days ahead.
func day(ahead int) time.Time { return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, ahead) }

func at(t time.Time) *gcal.EventDateTime {
	return &gcal.EventDateTime{DateTime: t.Format(time.RFC3339)}
}

func event(id string, start time.Time) *gcal.Event {
	return &gcal.Event{Id: id, Summary: id, Start: at(start), End: at(start.Add(time.Hour))}
}

func gone(id string) *gcal.Event { return &gcal.Event{Id: id, Status: cancelled} }

func TestConformance(t *testing.T) {
	for name, page := range map[string]int{"one page": 2500, "paged": 1} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			s.page = page
			put := func(hour int) func(testing.TB, int) {
				return func(_ testing.TB, n int) {
					s.put(event(fmt.Sprintf("event%d", n), day(3+n).Add(time.Duration(hour)*time.Hour)))
				}
			}
			fault := func(status int) func(testing.TB) {
				return func(testing.TB) {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.before = func(w http.ResponseWriter, _ *http.Request) bool {
						if status != 0 {
							fail(w, status, "backendError", "Backend Error")
						}
						return status != 0
					}
				}
			}
			sensetest.Run(t, sensetest.Harness{
				OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense { return s.open(t, s.config(), rows) },
				Add:      put(9), Change: put(14),
				Remove: func(_ testing.TB, n int) { s.put(gone(fmt.Sprintf("event%d", n))) },
				Break:  fault(http.StatusServiceUnavailable), Mend: fault(0),
				Collects: 60,
			})
		})
	}
}

// world is a sense over a server, and what is kept of it.
type world struct {
	*server
	t     *testing.T
	kept  sensetest.Kept
	sense senses.Sense
}

func begin(t *testing.T) *world {
	w := &world{server: serve(t), t: t}
	w.sense = w.open(t, w.config(), &w.kept)
	return w
}

// collect is one collect that is committed.
func (w *world) collect() senses.Batch {
	w.t.Helper()
	batch, err := w.sense.Collect(w.t.Context(), time.Now(), w.kept.Cursor)
	if err != nil {
		w.t.Fatal(err)
	}
	w.kept.Keep(batch)
	return batch
}

// shows checks what stands, each "title" with the attributes that are named.
func (w *world) shows(want ...string) {
	w.t.Helper()
	batch := w.collect()
	if len(batch.Sets) != 1 {
		w.t.Fatalf("it reports %d sets (%s), want one with %q", len(batch.Sets), batch.Degraded, want)
	}
	var got []string
	for _, o := range batch.Sets[0].Items {
		text, _, _ := strings.Cut(o.Title, ",")
		for _, name := range []string{"event", "partstat", "zone", "moved_from", "recurring", "all_day"} {
			if o.Attrs[name] != "" {
				text += " " + name
			}
		}
		if o.Attrs["transparent"] == "free" {
			text += " free"
		}
		got = append(got, text+" "+o.Due.Format("15:04"))
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		w.t.Errorf("it shows\n%q, want\n%q; %s", got, want, batch.Degraded)
	}
	if again := w.collect(); again.Sets != nil {
		w.t.Errorf("what did not change is reported again: %v", again.Sets)
	}
}

// TestSeries: a master and its changed occurrences, which Google sends as events
// of their own, and of one that was taken out only of which series.
func TestSeries(t *testing.T) {
	w := begin(t)
	nine := day(2).Add(9 * time.Hour)
	berlin := func(t time.Time) *gcal.EventDateTime {
		return &gcal.EventDateTime{DateTime: t.Format(time.RFC3339), TimeZone: "Europe/Berlin"}
	}
	master := event("standup", nine)
	master.Start.TimeZone, master.End.TimeZone = "UTC", "UTC"
	master.Recurrence = []string{"RRULE:FREQ=DAILY;COUNT=4", "EXDATE:" + nine.AddDate(0, 0, 3).Format(utc)}
	w.put(master)
	w.shows("standup recurring 09:00", "standup recurring 09:00", "standup recurring 09:00")
	moved := event("standup_1", nine.Add(5*time.Hour))
	moved.Summary, moved.RecurringEventId, moved.OriginalStartTime, moved.ICalUID = "standup", "standup", berlin(nine), "standup@google.com"
	w.put(moved)
	w.shows("standup moved_from recurring 14:00", "standup recurring 09:00", "standup recurring 09:00")
	out := gone("standup_2")
	out.RecurringEventId, out.OriginalStartTime = "standup", berlin(nine.AddDate(0, 0, 1))
	w.put(out)
	w.shows("standup moved_from recurring 14:00", "standup recurring 09:00")
	if !slices.Equal(w.got, []string{"standup"}) {
		t.Errorf("it asks for %q, to know what was taken out of what", w.got)
	}
	w.sense = w.open(t, w.config(), &w.kept)
	w.shows("standup moved_from recurring 14:00", "standup recurring 09:00")
	w.put(gone("standup"))
	w.shows()
	for key := range w.kept.All {
		if strings.HasPrefix(key, "item/") {
			t.Errorf("of the series that is gone %s is kept", key)
		}
	}
}

// TestManySeries: where so many lose a day at once that nobody asks for each, all
// is looked at anew.
func TestManySeries(t *testing.T) {
	w := begin(t)
	for n := range maxAsked + 1 {
		e := event(fmt.Sprint("s", n), day(2))
		e.Start.TimeZone, e.Recurrence = "UTC", []string{"RRULE:FREQ=DAILY;COUNT=2"}
		w.put(e)
	}
	if items := w.collect().Sets[0].Items; len(items) != 2*(maxAsked+1) {
		t.Fatalf("%d stand", len(items))
	}
	for n := range maxAsked + 1 {
		out := gone(fmt.Sprintf("s%d_1", n))
		out.RecurringEventId, out.OriginalStartTime = fmt.Sprint("s", n), at(day(3))
		w.put(out)
	}
	if items := w.collect().Sets[0].Items; len(items) != maxAsked+1 {
		t.Errorf("%d stand", len(items))
	}
}

// TestKinds: what is no appointment takes no time, and nor do calendars of others.
func TestKinds(t *testing.T) {
	w := begin(t)
	const colleague, club = "ines@example.com", "club@group.calendar.google.com"
	w.list = append(w.list, &gcal.CalendarListEntry{Id: colleague, Selected: true, AccessRole: "reader"}, &gcal.CalendarListEntry{Id: club, Selected: true, AccessRole: "reader"},
		&gcal.CalendarListEntry{Id: "boss@example.com", Selected: true, AccessRole: "freeBusyReader"}, &gcal.CalendarListEntry{Id: "unticked@example.com", AccessRole: "reader"},
		&gcal.CalendarListEntry{Id: birthdays, Selected: true, AccessRole: "reader"})
	kind := func(id, kind string) *gcal.Event {
		e := event(id, day(3).Add(8*time.Hour))
		e.EventType = kind
		return e
	}
	w.put(kind("appointment", "default"))
	w.put(kind("home", "workingLocation"))
	w.put(kind("away", "outOfOffice"))
	w.put(kind("focus", "focusTime"))
	w.put(&gcal.Event{Id: "ann", Summary: "ann", EventType: "birthday", Start: &gcal.EventDateTime{Date: day(3).Format(time.DateOnly)}, End: &gcal.EventDateTime{Date: day(4).Format(time.DateOnly)}})
	invited := kind("invited", "default")
	invited.Organizer = &gcal.EventOrganizer{Email: colleague, DisplayName: "Ines"}
	invited.Attendees = []*gcal.EventAttendee{{Email: "ME@example.com", ResponseStatus: "needsAction"}}
	invited.Start.TimeZone = "America/New_York"
	w.put(invited)
	w.putIn(colleague, kind("hers", "default"))
	busy := kind("", "default")
	busy.Id, busy.Visibility = "busy", "private"
	w.putIn(colleague, busy)
	w.putIn(club, kind("match", "default"))
	w.putIn("boss@example.com", kind("never", "default"))
	w.putIn("unticked@example.com", kind("never", "default"))
	w.putIn(birthdays, kind("ben", "default"))
	w.shows("ann event all_day free 00:00", "appointment 08:00", "away event free 08:00", "ben event free 08:00", "focus 08:00", "hers free 08:00", "home event free 08:00",
		"invited partstat zone 08:00", "match 08:00")
	c := w.config()
	c.Calendars = []string{"boss@example.com", "unticked@example.com"}
	w.list = w.list[1:] // the account's own is hidden
	w.kept = sensetest.Kept{}
	w.sense = w.open(t, c, &w.kept)
	if batch := w.collect(); len(batch.Sets[0].Items) != 1 || batch.Sets[0].Items[0].Attrs["partstat"] != "" || !strings.Contains(batch.Degraded, "there is no calendar boss@example.com that can be read") {
		t.Errorf("of the calendars that are configured it says %q and shows %v", batch.Degraded, batch.Sets)
	}
}

// TestGoneInMidPaging: a token that is too old, for what changed and for the next
// page, leads to one look at all there is, and costs and doubles nothing.
func TestGoneInMidPaging(t *testing.T) {
	w := begin(t)
	w.page = 2
	for n := range 5 {
		w.put(event(fmt.Sprint("e", n), day(3).Add(time.Duration(n)*time.Hour)))
	}
	w.shows("e0 00:00", "e1 01:00", "e2 02:00", "e3 03:00", "e4 04:00")
	w.mu.Lock()
	w.events[me][4] = gone("e4") // nobody says that it is gone
	w.asked = nil
	w.before = func(rw http.ResponseWriter, r *http.Request) bool {
		if q := r.URL.Query(); q.Get("syncToken") != "" && q.Get("pageToken") != "" {
			fail(rw, http.StatusGone, "fullSyncRequired", "Sync token is no longer valid, a full sync is required.")
			return true
		}
		return false
	}
	w.mu.Unlock()
	for n := range 3 {
		w.put(event(fmt.Sprint("e", n), day(3).Add(time.Duration(n)*time.Hour+time.Minute)))
	}
	w.shows("e0 moved_from 00:01", "e1 moved_from 01:01", "e2 moved_from 02:01", "e3 03:00")
	if first := w.asked[0]; first.Get("syncToken") == "" || w.asked[1].Get("timeMin") == "" || w.asked[1].Has("syncToken") {
		t.Errorf("it asks %v", w.asked)
	}
	w.oldest = 100
	w.put(event("e3", day(3).Add(4*time.Hour)))
	w.oldest = len(w.events[me])
	w.shows("e0 moved_from 00:01", "e1 moved_from 01:01", "e2 moved_from 02:01", "e3 moved_from 04:00")
}

// TestOneMalformedEventCostsItself: among a thousand, whatever is wrong with it.
func TestOneMalformedEventCostsItself(t *testing.T) {
	for name, text := range map[string]string{
		"no object": `{"id": "e500", "summary": "x", "start": "tomorrow", "status": "confirmed"}`,
		"no name":   `[1, 2]`,
		"no time":   `{"id": "e500", "iCalUID": "u", "summary": "x", "start": {"dateTime": "25 o'clock"}, "status": "confirmed"}`,
		"no start":  `{"id": "e500", "iCalUID": "u", "summary": "x", "status": "confirmed"}`,
		"bomb":      `{"id": "e500", "iCalUID": "u", "summary": "x", "status": "confirmed", "start": {"date": "2026-01-01"}, "recurrence": ["RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "BEGIN:VEVENT", "RDATE"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := begin(t)
			for n := range 1000 {
				w.put(event(fmt.Sprint("e", n), day(3)))
			}
			w.raw["e500"] = text
			batch := w.collect()
			if len(batch.Sets) != 1 || len(batch.Sets[0].Items) != 999 || batch.Degraded == "" {
				t.Errorf("it shows %d sets, and says %q", len(batch.Sets), batch.Degraded)
			}
		})
	}
}

// TestFaults: what each fault is said to be, and that nothing is lost to it.
func TestFaults(t *testing.T) {
	more := 0
	for name, c := range map[string]struct {
		fault func(w http.ResponseWriter, r *http.Request)
		want  string
	}{
		"quota":    {func(w http.ResponseWriter, _ *http.Request) { fail(w, 403, "rateLimitExceeded", "Rate Limit Exceeded") }, "asked again by itself"},
		"too many": {func(w http.ResponseWriter, _ *http.Request) { fail(w, 429, "", "slow down") }, "asked again by itself"},
		"overloaded": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<h1>503</h1>", http.StatusServiceUnavailable)
		}, "asked again by itself"},
		"off":      {func(w http.ResponseWriter, _ *http.Request) { fail(w, 403, "accessNotConfigured", "has not been used") }, "enable it at https://console.cloud.google.com"},
		"no right": {func(w http.ResponseWriter, _ *http.Request) { fail(w, 403, "insufficientPermissions", "") }, "run: subconsciousctl auth google work"},
		"refused":  {func(w http.ResponseWriter, _ *http.Request) { fail(w, 401, "authError", "Invalid Credentials") }, "run: subconsciousctl auth google work"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.net/", http.StatusFound)
		}, "Google answers 302"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>welcome") }, ""},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		}, "larger than 8 MiB"},
		"pages without end": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"nextPageToken": "again", "items": []}`)
		}, "it holds more than"},
		"pages of 100 MB": {func(w http.ResponseWriter, _ *http.Request) {
			more++
			_, _ = fmt.Fprintf(w, `{"nextPageToken": "%d", "items": [{"id": "e%d", "iCalUID": "u", "status": "confirmed", "description": "%s", "start": {"date": "2026-01-01"}}]}`,
				more, more, strings.Repeat("x", 7<<20))
		}, "it holds more than"},
	} {
		t.Run(name, func(t *testing.T) {
			w := begin(t)
			w.put(event("e", day(3)))
			for _, part := range []string{"users", "calendars"} {
				if strings.HasPrefix(name, "pages") && part == "users" {
					continue
				}
				w.before = func(rw http.ResponseWriter, r *http.Request) bool {
					hit := strings.HasPrefix(r.URL.Path, "/calendar/v3/"+part)
					if hit {
						c.fault(rw, r)
					}
					return hit
				}
				_, err := w.sense.Collect(t.Context(), time.Now(), w.kept.Cursor)
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), w.URL) {
					t.Errorf("%s: the error is %v", part, err)
				}
			}
			w.before = nil
			w.signIn(t)
			w.shows("e 00:00")
		})
	}
}

// TestProbe: what doctor and auth say of an account, by one question.
func TestProbe(t *testing.T) {
	s := serve(t)
	c := s.config()
	c.Calendars = []string{"Me", "Gone"}
	if detail, problem, _, missing := access.New(c, s.options()).Probe(t.Context()); detail != "Google lets me@example.com in, to these calendars: Me" || problem != "" || !slices.Equal(missing, []string{"Gone"}) {
		t.Errorf("it says %q, %q, %q", detail, problem, missing)
	}
	s.before = func(w http.ResponseWriter, _ *http.Request) bool {
		fail(w, http.StatusForbidden, "accessNotConfigured", "")
		return true
	}
	if _, problem, next, _ := access.New(c, s.options()).Probe(t.Context()); !strings.Contains(problem, "not enabled") || !strings.HasPrefix(next, "enable it at https://") {
		t.Errorf("it says %q, %q", problem, next)
	}
	s.provider.Fail(oauthtest.InvalidGrant)
	s.revoke()
	s.before = nil
	if _, _, next, _ := access.New(c, s.options()).Probe(t.Context()); next != "run: subconsciousctl auth google work" {
		t.Errorf("it says %q", next)
	}
}

// TestWaits: where Google says how long to wait, nothing is asked before.
func TestWaits(t *testing.T) {
	w := begin(t)
	asked := 0
	w.before = func(rw http.ResponseWriter, _ *http.Request) bool {
		asked++
		rw.Header().Set("Retry-After", "600")
		fail(rw, 403, "userRateLimitExceeded", "")
		return true
	}
	for range 3 {
		if _, err := w.sense.Collect(t.Context(), time.Now(), nil); err == nil {
			t.Fatal("there is no error")
		}
	}
	if asked != 1 {
		t.Errorf("it asks %d times, want once", asked)
	}
}

// TestSlowBody: what does not come to its end is cut off with its tick.
func TestSlowBody(t *testing.T) {
	w := begin(t)
	over := make(chan struct{})
	w.before = func(rw http.ResponseWriter, r *http.Request) bool {
		_, _ = io.WriteString(rw, "{")
		rw.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-over:
		}
		return true
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.sense.Collect(ctx, time.Now(), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	close(over)
}

// TestSignsInAgain: a token that ran out is renewed; a sign-in that was taken back
// is said to be, with what to run, in the same collect.
func TestSignsInAgain(t *testing.T) {
	w := begin(t)
	w.put(event("e", day(3)))
	w.shows("e 00:00")
	w.revoke()
	w.collect()
	w.provider.Fail(oauthtest.InvalidGrant)
	w.revoke()
	var again *oauth.SignInAgain
	if _, err := w.sense.Collect(t.Context(), time.Now(), w.kept.Cursor); !errors.As(err, &again) || again.Command != "subconsciousctl auth google work" {
		t.Fatalf("the error is %v", err)
	}
	w.provider.Fail(oauthtest.None)
	w.signIn(t)
	w.put(event("e", day(4)))
	w.shows("e moved_from 00:00")
}
