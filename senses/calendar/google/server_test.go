package google

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gcal "google.golang.org/api/calendar/v3"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/calendar/google/access"
)

const me = "me@example.com"

// server is the calendar API of one account, and who gives tokens for it. It
// refuses what Google refuses, and answers with the fields that are asked for.
type server struct {
	*httptest.Server
	provider *oauthtest.Server
	path     string // of the sign-in
	mu       sync.Mutex
	good     map[string]bool // access tokens
	list     []*gcal.CalendarListEntry
	events   map[string][]*gcal.Event // by calendar, in the order in which they changed
	raw      map[string]string        // in place of an event, by its id
	page     int                      // how many events a page has at most
	oldest   int                      // sync tokens before it are gone
	before   func(w http.ResponseWriter, r *http.Request) (handled bool)
	asked    []url.Values // of lists of events
	got      []string     // ids that were asked for
}

func serve(t testing.TB) *server {
	t.Helper()
	s := &server{good: map[string]bool{}, events: map[string][]*gcal.Event{}, raw: map[string]string{}, page: 2500,
		path: filepath.Join(t.TempDir(), "calendar-work.json"),
		list: []*gcal.CalendarListEntry{{Id: me, Summary: "Me", Primary: true, Selected: true, AccessRole: "owner"}}}
	s.provider = oauthtest.New(oauthtest.Options{ClientID: "sample", Issued: func(access string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.good[access] = true
	}})
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); s.provider.Close() })
	s.signIn(t)
	return s
}

// options sign in at the provider.
func (s *server) options() access.Options {
	return access.Options{Endpoint: s.URL + "/calendar/v3/", SignIn: oauth.Options{Path: s.path, Command: "subconsciousctl auth google work",
		Config: oauth.Config{Provider: oauth.Custom, ClientID: "sample", AuthURL: s.provider.AuthURL(), TokenURL: s.provider.TokenURL(), Scopes: []string{"calendar"}}}}
}

func (s *server) signIn(t testing.TB) {
	t.Helper()
	flow, err := oauth.Begin(s.options().SignIn, oauth.Request{Listen: true})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if page, err := http.Get(flow.URL()); err == nil {
			_ = page.Body.Close()
		}
	}()
	if _, err := flow.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := flow.Close(); err != nil {
		t.Fatal(err)
	}
}

// revoke takes all access tokens back.
func (s *server) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.good)
}

func (s *server) config() calendar.Config {
	config := s.options().SignIn.Config
	return calendar.Config{ID: "work", Google: me, OAuth: &config}
}

// put changes an event of a calendar, the primary one's by default.
func (s *server) put(e *gcal.Event) { s.putIn(me, e) }

func (s *server) putIn(id string, e *gcal.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Status = cmp.Or(e.Status, "confirmed"); e.RecurringEventId == "" && e.Status != cancelled {
		e.ICalUID = cmp.Or(e.ICalUID, e.Id+"@google.com")
	}
	e.Etag = fmt.Sprintf(`"%d"`, len(s.events[id]))
	s.events[id] = append(s.events[id], e)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/calendar/v3/")
	parts := strings.Split(path, "/")
	switch {
	case !s.good[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]:
		fail(w, http.StatusUnauthorized, "authError", "Invalid Credentials")
	case r.Method != http.MethodGet || !ok:
		fail(w, http.StatusNotFound, "notFound", "Not Found")
	case path == "users/me/calendarList":
		answer(w, "", map[string]any{"items": s.list})
	case len(parts) == 3 && parts[0] == "calendars" && parts[2] == "events":
		s.asked = append(s.asked, r.URL.Query())
		s.listEvents(w, parts[1], r.URL.Query())
	case len(parts) == 4 && parts[2] == "events":
		s.got = append(s.got, parts[3])
		e := s.latest(parts[1], 0)[parts[3]]
		if e == nil {
			fail(w, http.StatusNotFound, "notFound", "Not Found")
			return
		}
		answer(w, r.URL.Query().Get("fields"), e)
	default:
		fail(w, http.StatusNotFound, "notFound", "Not Found")
	}
}

// latest are the last versions of the events that changed after a revision.
func (s *server) latest(id string, since int) map[string]*gcal.Event {
	all := map[string]*gcal.Event{}
	for _, e := range s.events[id][min(since, len(s.events[id])):] {
		all[e.Id] = e
	}
	return all
}

// listEvents is events.list. A token holds the revision and the parameters that
// it was given for.
func (s *server) listEvents(w http.ResponseWriter, id string, q url.Values) {
	same := "singleEvents=" + q.Get("singleEvents") + " maxResults=" + q.Get("maxResults")
	for key := range q {
		if !slices.Contains([]string{"alt", "prettyPrint", "fields", "maxResults", "singleEvents", "timeMin", "syncToken", "pageToken"}, key) {
			fail(w, http.StatusBadRequest, "invalid", "unknown "+key)
			return
		}
	}
	since, from, until := 0, 0, len(s.events[id])
	if token := q.Get("syncToken"); token != "" {
		n, parameters, _ := strings.Cut(token, "|")
		since, _ = strconv.Atoi(n)
		switch {
		case q.Has("timeMin") || parameters != same:
			fail(w, http.StatusBadRequest, "invalid", "other parameters beside a sync token")
			return
		case since < s.oldest:
			fail(w, http.StatusGone, "fullSyncRequired", "Sync token is no longer valid, a full sync is required.")
			return
		}
	}
	if token := q.Get("pageToken"); token != "" {
		var parameters string
		if n, _ := fmt.Sscanf(token, "%d,%d|%q", &from, &until, &parameters); n != 3 || parameters != same+q.Get("syncToken")+q.Get("timeMin") {
			fail(w, http.StatusBadRequest, "invalid", "bad page token")
			return
		}
	}
	all := s.latest(id, since)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
		e := all[name]
		return since == 0 && e.Status == cancelled && (e.RecurringEventId == "" || all[e.RecurringEventId] == nil || all[e.RecurringEventId].Status == cancelled) ||
			since == 0 && e.End != nil && e.Recurrence == nil && e.End.Date == "" && e.End.DateTime < q.Get("timeMin")
	})
	out := map[string]any{"kind": "calendar#events", "timeZone": "UTC"}
	most, _ := strconv.Atoi(q.Get("maxResults"))
	to := min(len(names), from+min(s.page, most))
	items := []any{}
	for _, name := range names[from:to] {
		items = append(items, all[name])
		if text := s.raw[name]; text != "" {
			items[len(items)-1] = json.RawMessage(text)
		}
	}
	if out["items"] = items; to < len(names) {
		out["nextPageToken"] = fmt.Sprintf("%d,%d|%q", to, until, same+q.Get("syncToken")+q.Get("timeMin"))
	} else {
		out["nextSyncToken"] = fmt.Sprintf("%d|%s", until, same)
	}
	answer(w, q.Get("fields"), out)
}

func fail(w http.ResponseWriter, status int, reason, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": status, "message": message, "errors": []any{map[string]string{"reason": reason, "domain": "global"}}}})
}

// answer answers with the fields of a mask, all where it is empty.
func answer(w http.ResponseWriter, mask string, value any) {
	text, _ := json.Marshal(value)
	var plain any
	_ = json.Unmarshal(text, &plain)
	if mask != "" {
		plain, _ = masked(plain, mask)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(plain)
}

// masked keeps the fields of "a,b(c,d)", up to a closing bracket, and returns what
// follows that.
func masked(value any, mask string) (kept any, rest string) {
	if list, ok := value.([]any); ok {
		_, rest = masked(nil, mask)
		for i := range list {
			list[i], _ = masked(list[i], mask)
		}
		return list, rest
	}
	from, object := value.(map[string]any)
	out := map[string]any{}
	for {
		end := strings.IndexAny(mask+",", ",()")
		name := mask[:end]
		field, there := from[name]
		if mask = mask[end:]; strings.HasPrefix(mask, "(") {
			field, mask = masked(field, mask[1:])
		}
		if there {
			out[name] = field
		}
		switch {
		case strings.HasPrefix(mask, ","):
			mask = mask[1:]
		case object:
			return out, strings.TrimPrefix(mask, ")")
		default:
			return value, strings.TrimPrefix(mask, ")")
		}
	}
}

// TestFieldsAreKnown: a mask with a field that the API does not have is refused by
// Google, whatever this server makes of it.
func TestFieldsAreKnown(t *testing.T) {
	known := map[string]bool{"nextPageToken": true, "nextSyncToken": true, "timeZone": true, "items": true}
	for _, of := range []any{gcal.Event{}, gcal.EventAttendee{}, gcal.EventOrganizer{}, gcal.ConferenceData{}, gcal.EntryPoint{}} {
		for field := range reflect.TypeOf(of).Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			known[name] = true
		}
	}
	for _, name := range strings.FieldsFunc(fields, func(r rune) bool { return strings.ContainsRune(",()", r) }) {
		if !known[name] {
			t.Errorf("there is no field %s", name)
		}
	}
}

// open opens the sense over the server.
func (s *server) open(t testing.TB, c calendar.Config, rows senses.RowReader) *calendar.Sense {
	t.Helper()
	source, err := Open(c, s.options())
	if err != nil {
		t.Fatal(err)
	}
	sense, err := calendar.New(c, calendar.Options{Rows: rows, Source: source, Zone: func() *time.Location { return time.UTC }})
	if err != nil {
		t.Fatal(err)
	}
	return sense
}
