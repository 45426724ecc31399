package harness

import (
	"context"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// feedItems is how many items a feed keeps.
const feedItems = 200

// Feed is a feed in RSS, which others publish and the mind reads over the loopback.
type Feed struct {
	// URL is where it is, on a port of this machine.
	URL string

	mu    sync.Mutex
	items []feedItem // the newest first
	down  bool
}

type feedItem struct {
	XMLName     xml.Name `xml:"item"`
	ID          string   `xml:"guid"`
	Title       string   `xml:"title"`
	Description string   `xml:"description"`
}

// Feed serves a feed that has nothing yet.
func (w *World) Feed() *Feed {
	f := &Feed{}
	server := httptest.NewServer(f)
	w.Later(func(context.Context) error { server.Close(); return nil })
	f.URL = server.URL
	return f
}

// Publish puts an item before the others, in the place of one of that id. The words
// are HTML.
func (f *Feed) Publish(id, title, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(id)
	f.items = slices.Insert(f.items, 0, feedItem{ID: id, Title: title, Description: text})
	f.items = f.items[:min(len(f.items), feedItems)]
}

// Withdraw takes an item out.
func (f *Feed) Withdraw(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(id)
}

func (f *Feed) drop(id string) {
	f.items = slices.DeleteFunc(f.items, func(i feedItem) bool { return i.ID == id })
}

// Fail lets the feed answer nobody, or lets it be well again.
func (f *Feed) Fail(failing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = failing
}

// ServeHTTP implements http.Handler.
func (f *Feed) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var items strings.Builder
	if err := xml.NewEncoder(&items).Encode(f.items); err != nil || f.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte(`<rss version="2.0"><channel><title>News</title>` + items.String() + `</channel></rss>`))
}
