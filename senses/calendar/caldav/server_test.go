package caldav

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

const password = "Vq7mZx2LwR9tKpB4"

// server is a CalDAV server with one account, whose calendars are below /cal/.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	items map[string]string // path to what is in it
	etags map[string]int
	log   []string // paths, by what changed
	// syncs: it has sync-collection, in pages of so many. tags: it says when
	// something changed.
	syncs, tags bool
	page        int
	oldest      int // tokens before it are refused, with a status
	refuses     int
	before      func(w http.ResponseWriter, r *http.Request) (handled bool)
	asked       []string // methods and paths
	authorized  map[string]bool
}

func serve(t testing.TB) *server {
	s := &server{items: map[string]string{}, etags: map[string]int{}, syncs: true, tags: true, refuses: http.StatusForbidden, authorized: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Setenv("CALENDAR_PASSWORD", password)
	return s
}

// put writes an event; "" removes it.
func (s *server) put(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, path)
	s.etags[path]++
	if s.items[path] = text; text == "" {
		delete(s.items, path)
	}
}

func (s *server) config() calendar.Config {
	return calendar.Config{ID: "work", CalDAV: s.URL, User: "me@example.com", Password: secret.Ref{Env: "CALENDAR_PASSWORD"}}
}

// took returns what was asked since the last call.
func (s *server) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.before != nil && s.before(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	body, _ := io.ReadAll(r.Body)
	if user, word, _ := r.BasicAuth(); user != "me@example.com" || word != password {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	at := r.URL.Path
	switch depth := r.Header.Get("Depth"); {
	case r.Method == "PROPFIND" && at == wellKnown:
		http.Redirect(w, r, "/start/", http.StatusMovedPermanently)
	case r.Method == "PROPFIND" && at == "/start/":
		s.say(w, "", of(at, `<D:current-user-principal><D:href>/me/</D:href></D:current-user-principal>`))
	case r.Method == "PROPFIND" && at == "/me/":
		s.say(w, "", of(at, `<C:calendar-home-set><D:href>/cal/</D:href></C:calendar-home-set>
			<C:calendar-user-address-set><D:href>mailto:Anna@Example.com</D:href></C:calendar-user-address-set>`))
	case r.Method == "PROPFIND" && at == "/cal/" && depth == "1":
		s.say(w, "", of(at, `<D:resourcetype><D:collection/></D:resourcetype>`), s.collection("work"), s.collection("family"),
			of("/cal/tasks/", `<D:resourcetype><C:calendar/></D:resourcetype><C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set>`))
	case r.Method == "PROPFIND" && depth == "1" && strings.HasPrefix(at, "/cal/"):
		s.say(w, "", append([]string{s.collection(strings.Split(at, "/")[2])}, s.list(slices.Sorted(maps.Keys(s.items)), at)...)...)
	case r.Method == "REPORT" && s.syncs:
		_, since, _ := strings.Cut(string(body), "<D:sync-token>")
		since, _, _ = strings.Cut(since, "</D:sync-token>")
		s.report(w, at, since)
	case r.Method == http.MethodGet && s.items[at] != "":
		w.Header().Set("Content-Type", "text/calendar")
		_, _ = io.WriteString(w, s.items[at])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *server) report(w http.ResponseWriter, at, since string) {
	from, upTo := 0, len(s.log)
	if since != "" {
		if from, _ = strconv.Atoi(strings.TrimPrefix(since, "sync:")); from < s.oldest {
			w.WriteHeader(s.refuses)
			return
		}
	}
	var more []string
	if s.page > 0 && upTo-from > s.page {
		upTo = from + s.page
		more = []string{"<D:response><D:href>" + at + "</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response>"}
	}
	changed := slices.Compact(slices.Sorted(slices.Values(s.log[from:upTo])))
	s.say(w, fmt.Sprintf("sync:%d", upTo), append(s.list(changed, at), more...)...)
}

func (s *server) collection(name string) string {
	text := `<D:resourcetype><D:collection/><C:calendar/></D:resourcetype><D:displayname>` + strings.ToUpper(name) + `</D:displayname>`
	if s.syncs {
		text += fmt.Sprintf("<D:sync-token>sync:%d</D:sync-token>", len(s.log))
	}
	if s.tags {
		text += fmt.Sprintf("<S:getctag>%d</S:getctag>", len(s.log))
	}
	return of("/cal/"+name+"/", text)
}

func (s *server) list(paths []string, below string) (all []string) {
	for _, path := range paths {
		switch {
		case !strings.HasPrefix(path, below):
		case s.items[path] == "":
			all = append(all, "<D:response><D:href>"+path+"</D:href><D:status>HTTP/1.1 404 Not Found</D:status></D:response>")
		default:
			all = append(all, of(path, fmt.Sprintf(`<D:getetag>"%d"</D:getetag>`, s.etags[path])))
		}
	}
	return all
}

func of(path, properties string) string {
	return "<D:response><D:href>" + path + "</D:href><D:propstat><D:prop>" + properties + "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
}

func (s *server) say(w http.ResponseWriter, token string, responses ...string) {
	if token != "" {
		token = "<D:sync-token>" + token + "</D:sync-token>"
	}
	w.WriteHeader(http.StatusMultiStatus)
	_, _ = io.WriteString(w, `<?xml version="1.0"?><D:multistatus `+namespaces+`>`+strings.Join(responses, "")+token+`</D:multistatus>`)
}

// event is an iCalendar object with one event, three days and n from now.
func event(n, hour int) string {
	start := time.Now().UTC().AddDate(0, 0, 3+n).Format("20060102")
	return fmt.Sprintf("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:event-%d@example.org\r\nDTSTART:%sT%02d0000Z\r\nSUMMARY:Event %d\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n", n, start, hour, n)
}

// without is what is left of event n once it is out: nothing, or for each other
// one that it is cancelled.
func without(n int) string {
	if n%2 == 1 {
		return ""
	}
	return strings.Replace(event(n, 14), "SUMMARY", "STATUS:CANCELLED\r\nSUMMARY", 1)
}

// open opens a sense over a configuration.
func open(t testing.TB, c calendar.Config, o Options, rows senses.RowReader) *calendar.Sense {
	t.Helper()
	source, err := Open(c, o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := calendar.New(c, calendar.Options{Rows: rows, Source: source, Zone: func() *time.Location { return time.UTC }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestConformance runs the suite of all senses over servers that say what changed
// in each of the three ways.
func TestConformance(t *testing.T) {
	for name, set := range map[string]func(*server){
		"sync-collection": func(s *server) {},
		"paged":           func(s *server) { s.page = 1 },
		"tags":            func(s *server) { s.syncs = false },
		"etags alone":     func(s *server) { s.syncs, s.tags = false, false },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			set(s)
			path := func(n int) string { return fmt.Sprintf("/cal/work/%d.ics", n) }
			down := false
			s.before = func(w http.ResponseWriter, _ *http.Request) bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				if down {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				return down
			}
			turn := func(to bool) func(testing.TB) {
				return func(testing.TB) {
					s.mu.Lock()
					defer s.mu.Unlock()
					down = to
				}
			}
			sensetest.Run(t, sensetest.Harness{
				OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense { return open(t, s.config(), Options{}, rows) },
				Add:      func(_ testing.TB, n int) { s.put(path(n), event(n, 9)) },
				Change:   func(_ testing.TB, n int) { s.put(path(n), event(n, 14)) },
				Remove:   func(_ testing.TB, n int) { s.put(path(n), without(n)) },
				Break:    turn(true), Mend: turn(false),
				Collects: 60,
			})
		})
	}
}
