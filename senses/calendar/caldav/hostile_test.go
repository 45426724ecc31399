package caldav

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// other is a server that nobody may lead to. Whatever reaches it fails the test.
func other(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked: %s %s, with %q", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// flood writes without end.
func flood(w io.Writer, text string) {
	for {
		if _, err := io.WriteString(w, strings.Repeat(text, 1+64<<10/len(text))); err != nil {
			return
		}
	}
}

// TestHostileServers: whatever a server does is an error in words, soon, with
// nothing of the password in it, and nobody else is asked.
func TestHostileServers(t *testing.T) {
	evil := other(t)
	leads := func(to string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusTemporaryRedirect) }
	}
	says := func(text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusMultiStatus)
			_, _ = io.WriteString(w, text)
		}
	}
	multi := func(inside string) func(http.ResponseWriter, *http.Request) {
		return says(`<D:multistatus ` + namespaces + `>` + inside + `</D:multistatus>`)
	}
	for name, test := range map[string]struct {
		path string // "" for all
		does func(w http.ResponseWriter, r *http.Request)
		says string
	}{
		"leads to another host":   {"", leads(evil + "/cal/"), "where nothing is sent"},
		"leads to another scheme": {"", leads("ftp://" + strings.TrimPrefix(evil, "http://")), "without https"},
		"leads in a circle":       {"", leads("/round/"), "circle"},
		"leads nowhere":           {"", leads(""), ""},
		"principal elsewhere":     {"/start/", multi(of("/start/", "<D:current-user-principal><D:href>"+evil+"/me/</D:href></D:current-user-principal>")), "where nothing is sent"},
		"home elsewhere":          {"/me/", multi(of("/me/", "<C:calendar-home-set><D:href>"+evil+"/cal/</D:href></C:calendar-home-set>")), "where nothing is sent"},
		"calendar elsewhere":      {"/cal/", multi(of(evil+"/work/", "<D:resourcetype><C:calendar/></D:resourcetype>")), "where nothing is sent"},
		"event elsewhere":         {"/cal/work/", multi(of(evil+"/1.ics", `<D:getetag>"1"</D:getetag>`)), "where nothing is sent"},
		"principals in a circle":  {"/me/", multi(of("/me/", "<D:current-user-principal><D:href>/start/</D:href></D:current-user-principal>")), "no place for calendars"},
		"no XML":                  {"", says("<html><body>Welcome<br></body>"), "no WebDAV"},
		"an XML bomb":             {"", says(`<!DOCTYPE a [<!ENTITY b "` + strings.Repeat("b", 1000) + `">]><D:multistatus xmlns:D="DAV:"><D:response><D:href>&b;&b;</D:href></D:response></D:multistatus>`), "no WebDAV"},
		"nesting":                 {"", says(strings.Repeat("<a>", 1<<20)), "no WebDAV"},
		"empty elements":          {"", multi(strings.Repeat("<D:response/>", 1<<20)), "elements"},
		"one of many attributes":  {"", multi("<D:response" + strings.Repeat(" a=''", 1<<20) + "/>"), "elements"},
		"a list that never ends": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusMultiStatus)
			flood(w, of("/x", ""))
		}, "larger than 16 MiB"},
		"headers that never end": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
			w.WriteHeader(207)
		}, "cannot be reached"},
		"pages that never end":     {"/cal/work/", multi(of("/cal/work/1.ics", `<D:getetag>"1"</D:getetag>`) + "<D:response><D:href>/cal/work/</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response><D:sync-token>1</D:sync-token>"), "does not end"},
		"the sign-in is refused":   {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "password made for this program"},
		"it is no calendar server": {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "no calendars are found"},
		"nothing at all":           {"/cal/", multi(""), "shows no calendar with events, not work"},
		"an answer that is cut": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			w.WriteHeader(207)
		}, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			s.put("/cal/work/1.ics", event(1, 9))
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				its := test.path == "" || r.URL.Path == test.path
				if its {
					test.does(w, r)
				}
				return its
			}
			c := s.config()
			c.Calendars = []string{"work"}
			_, err := open(t, c, Options{}, &sensetest.Kept{}).Collect(t.Context(), time.Now(), nil)
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "; ") && test.says != "" && !strings.Contains(test.says, "end") {
				t.Errorf("it says %v, want %q and what to do", err, test.says)
			}
			if err != nil && (strings.Contains(err.Error(), password) || len(err.Error()) > 600) {
				t.Errorf("it says too much: %v", err)
			}
		})
	}
}

// TestSlowServer: a server that says nothing more holds nobody up.
func TestSlowServer(t *testing.T) {
	for name, config := range map[string]func(*server) calendar.Config{
		"an account": (*server).config,
		"an address": func(s *server) calendar.Config { return calendar.Config{ID: "club", URL: s.URL + "/club.ics"} },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			began, end := make(chan bool), make(chan bool)
			s.before = func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusMultiStatus)
				_ = http.NewResponseController(w).Flush()
				close(began)
				<-end
				return true
			}
			defer close(end)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-began; cancel(errors.New("the deadline")) }()
			if _, err := open(t, config(s), Options{}, &sensetest.Kept{}).Collect(ctx, time.Now(), nil); err == nil || !strings.Contains(err.Error(), "the deadline") {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}

// TestLargeAccount: 100 MB of events come in looks of a bounded size, and little of
// them is kept.
func TestLargeAccount(t *testing.T) {
	s := serve(t)
	const many = 60
	padding := strings.Repeat("X-PADDING:"+strings.Repeat("x", 1<<10)+"\r\n", 1_700)
	for n := range many {
		s.put(fmt.Sprintf("/cal/work/%d.ics", n), strings.Replace(event(n%20, 9), "UID:", padding+fmt.Sprintf("DESCRIPTION:%s\r\nUID:n%d-", strings.Repeat("x", 40<<10), n), 1))
	}
	kept := &sensetest.Kept{}
	sense := open(t, s.config(), Options{}, kept)
	shown := 0
	for looks := 1; ; looks++ {
		s.took()
		batch, err := sense.Collect(t.Context(), time.Now(), kept.Cursor)
		if err != nil || batch.Degraded != "" || looks > many {
			t.Fatalf("look %d: %v, %s", looks, err, batch.Degraded)
		}
		gets := slices.DeleteFunc(s.took(), func(asked string) bool { return !strings.HasPrefix(asked, "GET") })
		if most := (maxBytes+maxItem)>>20 + fetchers; len(gets) > most {
			t.Errorf("in look %d it fetches %d events, more than %d", looks, len(gets), most)
		}
		if kept.Keep(batch); len(batch.Sets) > 0 {
			shown = len(batch.Sets[0].Items)
		}
		if !batch.Starting {
			break
		}
	}
	size := 0
	for _, value := range kept.All {
		size += len(value)
	}
	if shown != many || size > many*3<<10 {
		t.Errorf("%d of %d events are shown, and %d bytes are kept", shown, many, size)
	}
}

// TestOneEventOfMany: what is wrong with one event, or with fetching it, costs that
// event alone, and is said for as long as it is so.
func TestOneEventOfMany(t *testing.T) {
	const many = 1000
	name := func(n int, text string) string {
		return strings.Replace(text, "event-", fmt.Sprintf("n%d-event-", n), 1)
	}
	check := func(t *testing.T, c calendar.Config, says string) {
		t.Helper()
		kept := &sensetest.Kept{}
		for range 2 {
			batch, err := open(t, c, Options{}, kept).Collect(t.Context(), time.Now(), kept.Cursor)
			if err != nil {
				t.Fatal(err)
			}
			kept.Keep(batch)
			if shown := len(batch.Sets[0].Items); shown < many-1 || !strings.Contains(batch.Degraded, says) || (batch.Degraded == "") != (says == "") {
				t.Errorf("%d events are shown, and it says %q, want %q", shown, batch.Degraded, says)
			}
		}
	}
	for title, test := range map[string]struct {
		text string
		does func(w http.ResponseWriter)
		says string
		file string // what is said of it within a file, if something else; "-" for nothing
	}{
		"no start":         {text: strings.Replace(event(1, 9), "DTSTART", "X-START", 1), says: "“Event 1”: this event has no DTSTART"},
		"cut off":          {text: event(1, 9)[:100] + "\r\n", says: "END:VCALENDAR", file: "has no END:VEVENT"},
		"no calendar":      {text: "hello\r\n", says: "BEGIN:VCALENDAR", file: "-"},
		"control letters":  {text: strings.Replace(event(1, 9), "SUMMARY:", "SUMMARY:\x00\x01", 1)},
		"a broken rule":    {text: strings.Replace(event(1, 9), "SUMMARY:", "RRULE:FREQ=SECONDLY\r\nSUMMARY:", 1), says: "FREQ=SECONDLY"},
		"it never ends":    {does: func(w http.ResponseWriter) { flood(w, "X") }, says: "larger than 2 MiB"},
		"it is not given":  {does: func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, says: "answers 403"},
		"its server fails": {does: func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }, says: "500"},
	} {
		t.Run(title, func(t *testing.T) {
			s := serve(t)
			for n := range many {
				s.put(fmt.Sprintf("/cal/work/%d.ics", n), name(n, event(n%20, 9)))
			}
			s.put("/cal/work/1.ics", test.text+strings.Repeat("X", 1-min(1, len(test.text))))
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				if test.does == nil || r.URL.Path != "/cal/work/1.ics" {
					return false
				}
				test.does(w)
				return true
			}
			check(t, s.config(), test.says)
		})
		if test.does != nil {
			continue
		}
		t.Run(title+", in a file", func(t *testing.T) {
			var file strings.Builder
			for n := range many {
				text := name(n, event(n%20, 9))
				if n == 1 {
					text = test.text
				}
				_, inside, whole := strings.Cut(text, "VERSION:2.0\r\n")
				if !whole {
					inside = text
				}
				file.WriteString(strings.TrimSuffix(inside, "END:VCALENDAR\r\n"))
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "BEGIN:VCALENDAR\r\n"+file.String()+"END:VCALENDAR\r\n")
			}))
			defer s.Close()
			check(t, calendar.Config{ID: "club", URL: s.URL + "/club.ics"}, strings.Trim(cmp.Or(test.file, test.says), "-"))
		})
	}
}

// TestGivenOutLater: what the server cannot give out now is asked for again, and many
// such do not cost the others.
func TestGivenOutLater(t *testing.T) {
	for _, status := range []int{http.StatusRequestTimeout, http.StatusLocked, http.StatusServiceUnavailable} {
		s := serve(t)
		const many = 20
		for n := range many {
			s.put(fmt.Sprintf("/cal/work/%02d.ics", n), event(n, 9))
		}
		kept, withheld := &sensetest.Kept{}, "/cal/work/01.ics"
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			no := r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, withheld)
			if no {
				w.WriteHeader(status)
			}
			return no
		}
		sense := open(t, s.config(), Options{}, kept)
		look := func() int {
			batch, err := sense.Collect(t.Context(), time.Now(), kept.Cursor)
			if err != nil {
				t.Fatal(err)
			}
			kept.Keep(batch)
			return len(batch.Sets[0].Items)
		}
		first := look()
		withheld = "/none"
		if second := look(); first != many-1 || second != many {
			t.Errorf("%d: %d events are shown, and then %d", status, first, second)
		}
	}
}

// TestRefusedToken: a token that the server does not take any more brings a full
// look, which fetches nothing that is known, and misses nothing.
func TestRefusedToken(t *testing.T) {
	for _, status := range []int{http.StatusForbidden, http.StatusConflict, http.StatusGone, http.StatusPreconditionFailed} {
		s := serve(t)
		s.refuses = status
		for n := range 5 {
			s.put(fmt.Sprintf("/cal/work/%d.ics", n), event(n, 9))
		}
		kept := &sensetest.Kept{}
		sense := open(t, s.config(), Options{}, kept)
		look := func() senses.Batch {
			batch, err := sense.Collect(t.Context(), time.Now(), kept.Cursor)
			if err != nil {
				t.Fatal(err)
			}
			kept.Keep(batch)
			return batch
		}
		look()
		s.put("/cal/work/1.ics", "")
		s.put("/cal/work/2.ics", event(2, 14))
		s.oldest = len(s.log)
		s.took()
		batch := look()
		gets := slices.DeleteFunc(s.took(), func(asked string) bool { return !strings.HasPrefix(asked, "GET") })
		if len(batch.Sets) != 1 || len(batch.Sets[0].Items) != 4 || !slices.Equal(gets, []string{"GET /cal/work/2.ics"}) || batch.Degraded != "" {
			t.Errorf("after %d there are %d sets, %q were fetched, %s", status, len(batch.Sets), gets, batch.Degraded)
		}
		if again := look(); len(again.Sets) != 0 || len(s.took()) != 1 {
			t.Errorf("after %d it is not quiet again", status)
		}
	}
}

// TestGoneInMidPaging: the token of the next page of changes is refused, and then
// that of the next page of all there is: the calendar is listed, and what is known
// is not fetched again.
func TestGoneInMidPaging(t *testing.T) {
	s := serve(t)
	s.refuses = http.StatusGone
	for n := range 5 {
		s.put(fmt.Sprintf("/cal/work/%d.ics", n), event(n, 9))
	}
	kept := &sensetest.Kept{}
	sense := open(t, s.config(), Options{}, kept)
	look := func(want int) (asked []string) {
		t.Helper()
		batch, err := sense.Collect(t.Context(), time.Now(), kept.Cursor)
		if err != nil || batch.Degraded != "" || want > 0 && (len(batch.Sets) != 1 || len(batch.Sets[0].Items) != want) || want == 0 && len(batch.Sets) != 0 {
			t.Fatalf("%d sets, %v, %s", len(batch.Sets), err, batch.Degraded)
		}
		kept.Keep(batch)
		return s.took()
	}
	look(5)
	s.page = 1
	s.put("/cal/work/1.ics", "")
	s.put("/cal/work/2.ics", event(2, 14))
	reports := 0
	s.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == "REPORT" {
			if reports++; reports == 2 { // for the second page
				s.oldest = len(s.log)
			}
		}
		return false
	}
	if gets := slices.DeleteFunc(look(4), func(asked string) bool { return !strings.HasPrefix(asked, "GET") }); !slices.Equal(gets, []string{"GET /cal/work/2.ics"}) || reports < 4 {
		t.Errorf("%q are fetched after %d reports", gets, reports)
	}
	s.page, s.oldest = 0, 0
	look(0)
	s.put("/cal/work/2.ics", event(2, 9))
	look(4)
}

// TestDiscovery finds an account by a mail address, or by where it is, over the
// hosts of one domain, and sends nothing to any other.
func TestDiscovery(t *testing.T) {
	s := serve(t)
	s.Close()
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	s.put("/cal/work/1.ics", event(1, 9))
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	for name, test := range map[string]struct{ caldav, service, home, says string }{
		"mail address":              {caldav: "me@example.com"},
		"a service of the domain":   {caldav: "me@example.com", service: "dav.example.com"},
		"a service of another":      {caldav: "me@example.com", service: "dav.example.org", says: "dav.example.org"},
		"a home on another host":    {caldav: "https://dav.example.com", home: "https://p42-dav.example.com/cal/"},
		"a home on another port":    {caldav: "https://dav.example.com", home: "https://p42-dav.example.com:8443/cal/"},
		"a home of somebody else":   {caldav: "https://dav.example.com", home: "https://example.org/cal/", says: "example.org"},
		"a home without protection": {caldav: "https://dav.example.com", home: "http://p42-dav.example.com/cal/", says: "without https"},
		"one calendar":              {caldav: "https://dav.example.com/cal/work/"},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var dialled []string
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				its := test.home != "" && r.URL.Path == "/me/"
				if its {
					s.say(w, "", of("/me/", "<C:calendar-home-set><D:href>"+test.home+"</D:href></C:calendar-home-set>"))
				}
				return its
			}
			c := s.config()
			c.CalDAV = test.caldav
			batch, err := open(t, c, Options{RootCAs: roots,
				Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
					mu.Lock()
					dialled = append(dialled, address)
					mu.Unlock()
					return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
				},
				Service: func(context.Context, string) (string, error) {
					if test.service == "" {
						return "", errors.New("no such name")
					}
					return test.service, nil
				}}, &sensetest.Kept{}).Collect(t.Context(), time.Now(), nil)
			if test.says == "" && (err != nil || len(batch.Sets[0].Items) != 1) || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("it ends with %v, want %q", err, test.says)
			}
			if i := slices.IndexFunc(dialled, func(address string) bool { return !strings.Contains(address, "example.com:") }); i >= 0 {
				t.Errorf("it asked %s", dialled[i])
			}
		})
	}
}

// TestSubscriptionConformance runs the suite of all senses over the file at an
// address.
func TestSubscriptionConformance(t *testing.T) {
	var mu sync.Mutex
	var down bool
	events := map[int]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		text := ""
		for n := range 10 {
			_, one, _ := strings.Cut(events[n], "VERSION:2.0\r\n")
			text += strings.TrimSuffix(one, "END:VCALENDAR\r\n")
		}
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint(events)))
		_, _ = io.WriteString(w, "BEGIN:VCALENDAR\r\n"+text+"END:VCALENDAR\r\n")
	}))
	t.Cleanup(s.Close)
	under := func(f func()) { mu.Lock(); defer mu.Unlock(); f() }
	sensetest.Run(t, sensetest.Harness{
		OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense {
			return open(t, calendar.Config{ID: "club", URL: s.URL + "/club.ics"}, Options{}, rows)
		},
		Add:    func(_ testing.TB, n int) { under(func() { events[n] = event(n, 9) }) },
		Change: func(_ testing.TB, n int) { under(func() { events[n] = event(n, 14) }) },
		Remove: func(_ testing.TB, n int) { under(func() { events[n] = without(n) }) },
		Break:  func(testing.TB) { under(func() { down = true }) }, Mend: func(testing.TB) { under(func() { down = false }) },
		Collects: 60,
	})
}

// TestSubscription: the file at an address is fetched where it changed, within
// bounds, and its address is in no error.
func TestSubscription(t *testing.T) {
	var mode string
	served := map[string]int{}
	evil := other(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served[mode]++
		switch mode {
		case "large":
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			flood(packed, "X")
		case "away":
			http.Redirect(w, r, evil, http.StatusFound)
		case "locked":
			w.WriteHeader(http.StatusUnauthorized)
		case "page":
			_, _ = io.WriteString(w, "<html>Please sign in</html>")
		case "half":
			_, _ = io.WriteString(w, event(1, 9)[:80])
		case "round":
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		case "gone":
			w.WriteHeader(http.StatusGone)
		case "moved":
			http.Redirect(w, r, "/other", http.StatusMovedPermanently)
			mode = "good"
		default:
			w.Header().Set("ETag", `"`+mode+`"`)
			if r.Header.Get("If-None-Match") == `"`+mode+`"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, event(1, map[string]int{"good": 9, "changed": 14}[mode]))
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("CALENDAR_URL", s.URL+"/private-Vq7mZx2LwR9tKpB4/basic.ics")
	kept := &sensetest.Kept{}
	sense := open(t, calendar.Config{ID: "club", SecretURL: secret.Ref{Env: "CALENDAR_URL"}}, Options{}, kept)
	for _, step := range []struct {
		mode, says string
		sets       int
	}{
		{"moved", "", 1}, {"good", "", 0}, {"large", "larger than 16 MiB", 0}, {"away", "where nothing is sent", 0}, {"round", "leads in a circle", 0}, {"gone", "answers 410", 0}, {"locked", "password_file", 0},
		{"page", "no iCalendar file", 0}, {"half", "no whole calendar", 0}, {"good", "", 0}, {"changed", "", 1}, {"changed", "", 0},
	} {
		mode = step.mode
		batch, err := sense.Collect(t.Context(), time.Now(), kept.Cursor)
		if (err == nil) != (step.says == "") || err != nil && (!strings.Contains(err.Error(), step.says) || strings.Contains(err.Error(), "private")) || len(batch.Sets) != step.sets {
			t.Errorf("%s: %d sets, and it says %v", step.mode, len(batch.Sets), err)
		}
		if err == nil {
			kept.Keep(batch)
		}
	}
}
