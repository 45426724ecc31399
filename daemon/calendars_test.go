package daemon_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// roof is the one event of a calendar that is served in every way.
type roof struct {
	mu     sync.Mutex
	at     time.Time // zero once it was removed
	off    bool      // it is cancelled
	turn   int       // how often it changed
	locked bool      // nobody is let in
	syncs  bool      // the CalDAV server has sync-collection
}

func (r *roof) set(at time.Time, off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.off, r.turn = at, off, r.turn+1
}

func (r *roof) lock(locked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.locked = locked
}

// ics is the calendar as a file.
func (r *roof) ics() string {
	if r.at.IsZero() {
		return icsOf()
	}
	text := icsOf(event{"roof@example.org", "Roof inspection", r.at, time.Hour})
	if r.off {
		text = strings.Replace(text, "SUMMARY", "STATUS:CANCELLED\r\nSUMMARY", 1)
	}
	return text
}

// ServeHTTP is a CalDAV server with the calendar /work/, and the file /work.ics.
func (r *roof) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	const ok = "HTTP/1.1 200 OK"
	of := func(href, properties, status string) string {
		return "<D:response><D:href>" + href + "</D:href><D:propstat><D:prop>" + properties + "</D:prop><D:status>" + status + "</D:status></D:propstat></D:response>"
	}
	say := func(parts ...string) {
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, `<D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">`+strings.Join(parts, "")+"</D:multistatus>")
	}
	token, item := "", of("/work/1.ics", fmt.Sprintf(`<D:getetag>"%d"</D:getetag>`, r.turn), ok)
	if r.syncs {
		token = fmt.Sprintf("<D:sync-token>%d</D:sync-token>", r.turn)
	}
	_, word, _ := q.BasicAuth()
	switch {
	case q.URL.Path == "/work.ics":
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint(r.turn)))
		_, _ = io.WriteString(w, r.ics())
	case r.locked || word != "sample":
		w.WriteHeader(http.StatusUnauthorized)
	case q.Method == "REPORT" && r.at.IsZero():
		say("<D:response><D:href>/work/1.ics</D:href><D:status>HTTP/1.1 404 Not Found</D:status></D:response>", token)
	case q.Method == "REPORT":
		say(item, token)
	case q.Method == "PROPFIND" && (r.at.IsZero() || q.Header.Get("Depth") == "0"):
		say(of("/work/", "<D:resourcetype><C:calendar/></D:resourcetype>"+token, ok))
	case q.Method == "PROPFIND":
		say(of("/work/", "<D:resourcetype><C:calendar/></D:resourcetype>"+token, ok), item)
	case q.URL.Path == "/work/1.ics" && !r.at.IsZero():
		_, _ = io.WriteString(w, r.ics())
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// google answers as Google does, with what changed since a token.
func (r *roof) google(q *http.Request) (int, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.HasSuffix(q.URL.Path, "calendarList") {
		return http.StatusOK, `{"items": [{"id": "me@example.com", "primary": true, "selected": true, "accessRole": "owner"}]}`
	}
	items := ""
	switch since := q.URL.Query().Get("syncToken"); {
	case since == fmt.Sprint(r.turn), since == "" && r.at.IsZero():
	case r.at.IsZero() || r.off:
		items = `{"id": "roof", "status": "cancelled"}`
	default:
		items = fmt.Sprintf(`{"id": "roof", "iCalUID": "roof@example.org", "status": "confirmed", "summary": "Roof inspection", "start": {"dateTime": %q}, "end": {"dateTime": %q}}`,
			r.at.Format(time.RFC3339), r.at.Add(time.Hour).Format(time.RFC3339))
	}
	return http.StatusOK, fmt.Sprintf(`{"nextSyncToken": "%d", "items": [%s]}`, r.turn, items)
}

// account lets the mind look at the calendar on a CalDAV server.
func (r *roof) account(t *testing.T, w *world) calendar.Config {
	w.options.Env = func(string) (string, bool) { return "sample", true }
	return calendar.Config{CalDAV: r.serve(t) + "/work/", User: "me@example.com", Password: secret.Ref{Env: "CALENDAR_PASSWORD"}}
}

func (r *roof) serve(t *testing.T) string {
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return s.URL
}

// TestChangesOfAnEventAreToldOnce: whatever a calendar is kept in, that an event was
// moved is pushed once, and one that is cancelled or removed does not stand any
// more and is spoken of no further.
func TestChangesOfAnEventAreToldOnce(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]func(t *testing.T, w *world, r *roof) calendar.Config{
		"a file": func(_ *testing.T, w *world, r *roof) calendar.Config {
			return calendar.Config{ICS: filepath.Join(w.dir, "roof.ics")}
		},
		"CalDAV with sync-collection": func(t *testing.T, w *world, r *roof) calendar.Config {
			r.syncs = true
			return r.account(t, w)
		},
		"CalDAV without": func(t *testing.T, w *world, r *roof) calendar.Config { return r.account(t, w) },
		"an address": func(t *testing.T, w *world, r *roof) calendar.Config {
			return calendar.Config{URL: r.serve(t) + "/work.ics"}
		},
		"Google": func(t *testing.T, w *world, r *roof) calendar.Config {
			provider := oauthtest.New(oauthtest.Options{ClientID: "sample"})
			t.Cleanup(provider.Close)
			signIn := oauth.Config{Provider: oauth.Custom, ClientID: "sample", AuthURL: provider.AuthURL(), TokenURL: provider.TokenURL(), Scopes: []string{"calendar"}}
			signInAt(t, oauth.Options{Config: signIn, Path: oauth.Path(w.state, "calendar", "work")})
			w.options.Google = google(r.google)
			return calendar.Config{Google: "me@example.com", OAuth: &signIn}
		},
	} {
		for _, out := range []string{"cancelled", "removed"} {
			t.Run(name+", "+out, func(t *testing.T) {
				w := newWorld(t)
				phone := phoned(w)
				r := &roof{}
				c := config(t, w, r)
				c.ID, c.Trust = "work", subconscious.Owner
				w.options.Config.Senses.Calendar = []calendar.Config{c}
				set := func(at time.Time, off bool) {
					if r.set(at, off); c.ICS != "" {
						save(t, c.ICS, r.ics())
					}
				}
				standing := func() int { return w.sense("calendar", "work").Standing }
				set(start.Add(20*time.Hour), false)
				w.begin()
				w.ticks(3)
				if standing() != 1 {
					t.Fatalf("%d events stand: %+v", standing(), w.sense("calendar", "work"))
				}
				w.pushed(phone, "as it was known")
				set(start.Add(22*time.Hour), false)
				w.tick()
				w.pushed(phone, "when it is moved", "Roof inspection moved")
				w.ticks(8)
				w.restart()
				w.ticks(4)
				w.pushed(phone, "moved long ago", "Roof inspection moved")
				if out == "cancelled" {
					set(start.Add(22*time.Hour), true)
				} else {
					set(time.Time{}, false)
				}
				w.tick()
				if standing() != 0 {
					t.Errorf("%s, %d stand", out, standing())
				}
				w.ticks(8)
				said := "No longer in your calendar: Roof inspection"
				if out == "cancelled" && name != "Google" { // which does not tell one from the other
					said = "Cancelled in your calendar: Roof inspection"
				}
				w.pushed(phone, out, "Roof inspection moved", said)
				if e, ok := w.entry("Roof inspection"); ok {
					t.Errorf("%s, it is followed as %+v", out, e)
				}
			})
		}
	}
}
