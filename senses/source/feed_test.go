package source_test

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// published is a feed of so many items.
func published(items ...string) string {
	return `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>` + strings.Join(items, "") + `</channel></rss>`
}

func item(id, title string) string {
	return fmt.Sprintf(`<item><guid>%s</guid><title>%s</title><description>&lt;p&gt;More &amp;amp; more&lt;script&gt;x()&lt;/script&gt;&lt;/p&gt;</description><dc:creator>A</dc:creator><link>https://news.example/%s</link></item>`, id, title, id)
}

// serve serves a feed.
func serve(t testing.TB, answer http.HandlerFunc) *source.Feed {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	s, err := source.NewFeed(source.FeedConfig{ID: "news", URL: server.URL + "/feed.xml"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFeedConforms: what is published is told once, and nothing of what was there at
// first; a feed that is as it was is not sent again.
func TestFeedConforms(t *testing.T) {
	items, broken, same := map[int]string{}, false, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := published(slices.Sorted(maps.Values(items))...)
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text)))
		switch {
		case broken:
			w.WriteHeader(http.StatusBadGateway)
		case r.Header.Get("If-None-Match") == tag:
			same++
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", tag)
			_, _ = w.Write([]byte(text))
		}
	}))
	t.Cleanup(server.Close)
	titled := func(title string) func(testing.TB, int) {
		return func(_ testing.TB, n int) { items[n] = item(fmt.Sprint(n), title) }
	}
	sensetest.Run(t, sensetest.Harness{
		Open: func(t testing.TB) senses.Sense {
			s, err := source.NewFeed(source.FeedConfig{ID: "news", URL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Add: titled("First"), Change: titled("Second"), Remove: titled("Last"), Momentary: true, SilentBaseline: true,
		Break: func(testing.TB) { broken = true }, Mend: func(testing.TB) { broken = false },
		Now: halfHours(), Collects: 100,
	})
	if same == 0 {
		t.Error("the feed was sent each time")
	}
}

func halfHours() func() time.Time {
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	return func() time.Time { at = at.Add(40 * time.Minute); return at }
}

// TestHostileFeeds: whatever a server sends, it is bounded in time and memory, no other
// host is asked, and what is wrong is said.
func TestHostileFeeds(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(other.Close)
	text := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
	}
	endless := func(w http.ResponseWriter, begin, more string) {
		_, err := w.Write([]byte(begin))
		for n := 0; err == nil; n++ {
			_, err = fmt.Fprintf(w, more, n)
		}
	}
	begin := strings.TrimSuffix(published(), "</channel></rss>")
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		found  int
		says   string
	}{
		"well":     {text(published(item("1", "One"), item("2", "Two"))), 2, ""},
		"atom":     {text(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title>One</title><content type="html">&lt;b&gt;x&lt;/b&gt;</content><link href="https://news.example/1"/></entry></feed>`), 1, ""},
		"latin":    {text(`<?xml version="1.0" encoding="ISO-8859-1"?><rss version="2.0"><channel><item><title>Caf` + "\xe9" + `</title></item></channel></rss>`), 1, ""},
		"no feed":  {text("<html><body>Sign in</body></html>"), 0, "cannot be read as RSS or Atom"},
		"nothing":  {text(""), 0, "cannot be read"},
		"half":     {text(begin + item("1", "One") + item("2", "Two") + "<item><title>Thr"), 2, "first 2 items"},
		"entities": {text(`<!DOCTYPE x [<!ENTITY a "` + strings.Repeat("ha", 500) + `"><!ENTITY b "` + strings.Repeat("&a;", 500) + `"><!ENTITY c SYSTEM "` + other.URL + `">]>` + published(item("1", strings.Repeat("&b;&c;", 100)))), 1, ""},
		"never ends": {func(w http.ResponseWriter, _ *http.Request) {
			endless(w, begin, "<item><guid>%d</guid><title>More</title></item>")
		}, 200, "first 200 items"},
		"many": {func(w http.ResponseWriter, _ *http.Request) { endless(w, begin, "<item/><!--%d-->") }, -1, "first 200 items"},
		"extensions": {func(w http.ResponseWriter, _ *http.Request) {
			endless(w, begin+item("1", "One")+"<item>", "<dc:x>%d</dc:x>")
		}, 1, "first 1 items"},
		"deep":       {func(w http.ResponseWriter, _ *http.Request) { endless(w, begin, "<x%d>") }, 0, "cannot be read"},
		"attributes": {func(w http.ResponseWriter, _ *http.Request) { endless(w, begin+"<x ", `a%d="1" `) }, 0, "cannot be read"},
		"zipped":     {bomb(begin), 0, "cannot be read"},
		"loop":       {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) }, 0, "redirects more than"},
		"elsewhere":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) }, 0, "write that address"},
		"other name": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost/", http.StatusFound)
		}, 0, "write that address"},
		"another way": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, 0, "write that address"},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, 0, "answers 403"},
		"breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte("<rss>"))
		}, 0, "broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.answer)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			first, err := s.Collect(t.Context(), time.Now(), nil)
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 96<<20 {
				t.Errorf("it takes %d MB", grown>>20)
			}
			said := first.Aside
			if err != nil {
				said = err.Error()
			}
			if !strings.Contains(said, c.says) || (said == "") != (c.says == "") || c.found >= 0 && strings.Count(string(first.Cursor), `"d":`) != c.found || len(first.Changes) > 0 {
				t.Errorf("%q, %.300s", said, first.Cursor)
			}
		})
	}
	if asked {
		t.Error("another host was asked")
	}
}

// bomb is a gigabyte of nothing, as a feed that was made small.
func bomb(begin string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, err := z.Write([]byte(begin))
		for n := 0; err == nil && n < 1<<10; n++ {
			_, err = z.Write(make([]byte, 1<<20))
		}
	}
}

// TestRetitledItem: an item without a name of its own that has another title is the
// same, and no other beside it.
func TestRetitledItem(t *testing.T) {
	title := "Storm"
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(published("<item><title>" + title + "</title><link>https://news.example/storm</link></item>")))
	})
	now, cursor, ids := halfHours(), []byte(nil), map[string]bool{}
	for range 3 {
		batch, err := s.Collect(t.Context(), now(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range batch.Changes {
			ids[o.ID] = true
		}
		cursor, title = batch.Cursor, title+" (updated)"
	}
	if len(ids) != 1 {
		t.Errorf("it is %d items: %v", len(ids), ids)
	}
}

// TestItemsOfOneLink: items without a name of their own are told apart by their titles.
func TestItemsOfOneLink(t *testing.T) {
	same := func(title string) string {
		return "<item><title>" + title + "</title><link>https://news.example/</link></item>"
	}
	items := []string{same("One"), same("Two")}
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(published(items...))) })
	now, cursor := halfHours(), []byte(nil)
	for look, want := range []int{0, 0, 1, 0} {
		if look == 2 {
			items = append([]string{same("Three")}, items...)
		}
		batch, err := s.Collect(t.Context(), now(), cursor)
		if err != nil || len(batch.Changes) != want {
			t.Errorf("look %d has %d items, %v", look, len(batch.Changes), err)
		}
		cursor = batch.Cursor
	}
}

// TestSlowFeed: a server that says nothing does not hold a collect up for longer than
// that may take.
func TestSlowFeed(t *testing.T) {
	stop := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("<rss>"))
		_ = http.NewResponseController(w).Flush()
		<-stop
	})
	t.Cleanup(func() { close(stop) })
	ctx, cancel := contextWithin(t, 100*time.Millisecond)
	defer cancel()
	if _, err := s.Collect(ctx, time.Now(), nil); err == nil || !strings.Contains(err.Error(), "broke off") {
		t.Error(err)
	}
}

// TestFeedItems: an item is an outsider's, of the feed's own, in plain text; so many
// count an hour, and the others later.
func TestFeedItems(t *testing.T) {
	var items []string
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(published(items...))) })
	now := halfHours()
	first, err := s.Collect(t.Context(), now(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		items = append(items, item(fmt.Sprint("disk:/", n), fmt.Sprintf("Release <b>%d</b>", n)))
	}
	second, err := s.Collect(t.Context(), now(), first.Cursor)
	if err != nil || len(second.Changes) != 30 || !strings.Contains(second.Aside, "10 new items wait") {
		t.Fatalf("%d, %q, %v", len(second.Changes), second.Aside, err)
	}
	if o := second.Changes[0]; o.ID != "news/disk:/0" || o.Kind != "news.item" || o.Trust != subconscious.Outsider || len(o.Links) > 0 ||
		o.Text != "More & more\nhttps://news.example/disk:/0" || o.Change != subconscious.Momentary {
		t.Errorf("%+v", o)
	}
	_ = now()
	third, err := s.Collect(t.Context(), now(), second.Cursor)
	if err != nil || len(third.Changes) != 10 {
		t.Errorf("%d, %v", len(third.Changes), err)
	}
	for want, c := range map[string]source.FeedConfig{
		"url":      {URL: "ftp://example.com/x"},
		"password": {URL: "https://anna:secret@example.com/x"},
		"severity": {URL: "https://example.com/x", Severity: "critical"},
		"every":    {URL: "https://example.com/x", Every: time.Second},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func contextWithin(t testing.TB, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
