package source

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// FeedName is the name of the sense of feeds.
const FeedName = "feeds"

// FeedConfig is a feed, in RSS or Atom. What strangers publish there is an
// outsider's word.
type FeedConfig struct {
	ID       string        `mapstructure:"id" about:"A short name of your choice: lower-case letters, digits, - and _."`
	URL      string        `mapstructure:"url" about:"Its address, http or https. No other host is asked, wherever that redirects to."`
	Every    time.Duration `mapstructure:"every" about:"How often it is asked for what is new, at ticks: 5m to 168h; left out: 30m."`
	Severity Level         `mapstructure:"severity" about:"What an item is worth: plain (the default: threads with a model see it) or notable (a line of the digest)."`
}

const (
	feedEvery, leastFeedEvery, maxFeedEvery = 30 * time.Minute, 5 * time.Minute, 168 * time.Hour

	// maxFeed is how much is read of a feed, in bytes; maxItems, maxElements and
	// maxDepth bound what is parsed of it. What is new stands first in a feed.
	maxFeed     = 2 << 20
	maxItems    = 200
	maxElements = 20_000
	maxDepth    = 32
	// maxItem is how much of the text of an item is looked at, in bytes.
	maxItem = 16 << 10
	// itemsPerHour is how many new items count within an hour.
	itemsPerHour = 30
	redirects    = 5
	feedWithin   = 15 * time.Second
)

// Validate returns errors that name the key.
func (c FeedConfig) Validate() error {
	var f senses.Faults
	at, err := url.Parse(c.URL)
	f.Where(err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil,
		"url: %q is no address of a feed; write one as https://example.com/feed.xml, without a password", redact.Text(c.URL))
	f.Where(c.Every != 0 && (c.Every < leastFeedEvery || c.Every > maxFeedEvery),
		"every: is %s; it must be %s to %s, or left out for %s", c.Every, leastFeedEvery, maxFeedEvery, feedEvery)
	f.Where(c.Severity.Severity() > subconscious.Notable, "severity: %q is no stranger's to say; write plain or notable", c.Severity)
	return errors.Join(f...)
}

// Feed is the sense of one feed.
type Feed struct {
	config FeedConfig
	source Config
	client *http.Client
}

var _ senses.Sense = (*Feed)(nil)

// NewFeed returns the sense of a feed.
func NewFeed(c FeedConfig) (*Feed, error) {
	c.Every = cmp.Or(c.Every, feedEvery)
	return &Feed{c, Config{ID: c.ID, Trust: subconscious.Outsider, Kinds: []Kind{{ID: "item", Severity: c.Severity}}}, &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: sameHost, Timeout: feedWithin,
	}}, c.Validate()
}

// sameHost refuses a redirect to anywhere but the host that is configured.
func sameHost(to *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case len(via) > redirects:
		return fmt.Errorf("it redirects more than %d times", redirects)
	case to.URL.Hostname() != from.Hostname() || to.URL.Port() != from.Port() || to.URL.Scheme != from.Scheme && to.URL.Scheme != "https":
		return fmt.Errorf("it redirects to %s://%.80s; if that is right, write that address", to.URL.Scheme, to.URL.Host)
	}
	return nil
}

// Name returns "feeds".
func (s *Feed) Name() string { return FeedName }

// ID returns the configured instance.
func (s *Feed) ID() string { return s.config.ID }

// Collect asks for the feed where its time has come. What stood in it at first is no
// news.
func (s *Feed) Collect(ctx context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	m := remembered(cursor)
	if !m.due(at, s.config.Every) {
		return senses.Batch{Aside: m.Problem}, nil
	}
	first := m.Ran.IsZero()
	body, err := s.ask(ctx, &m)
	var reports []Report
	if err == nil && body != nil {
		reports, m.Problem, err = items(body)
	}
	if err != nil {
		return senses.Batch{}, fmt.Errorf("feeds %s: %w", s.config.ID, err)
	}
	var batch senses.Batch
	most := itemsPerHour
	if first {
		most = 0
	}
	if over := m.take(s.source, at, most, false, reports, &batch); over > 0 {
		m.Tag, m.Modified = "", "" // they are asked for again
		m.Problem = senses.Joined(m.Problem, fmt.Sprintf("%d new items wait, since %d an hour count", over, itemsPerHour))
	}
	if first {
		batch, m.New = senses.Batch{}, 0
	}
	m.Ran, batch.Aside = at, m.Problem
	batch.Cursor, err = m.cursor(false, &batch)
	return batch, err
}

// ask asks for the feed; nil where it is as it was.
func (s *Feed) ask(ctx context.Context, m *memory) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.config.URL, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "subconsciousd")
	request.Header.Set("Accept", "application/rss+xml, application/atom+xml, application/xml, text/xml")
	for name, value := range map[string]string{"If-None-Match": m.Tag, "If-Modified-Since": m.Modified} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w; open the address in a browser, or correct url", err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusNotModified:
		return nil, nil
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers %.60s; open the address in a browser, or correct url", s.config.URL, answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxFeed))
	if err != nil {
		return nil, fmt.Errorf("%s broke off: %w; open the address in a browser, or correct url", s.config.URL, err)
	}
	m.Tag, m.Modified = subconscious.Head(answer.Header.Get("ETag"), 256), subconscious.Head(answer.Header.Get("Last-Modified"), 64)
	return body, nil
}

// items reads the items of a feed, the first of them; cut says how many that are
// where there are more.
func items(body []byte) (reports []Report, cut string, err error) {
	body, root, cut, err := prune(body)
	if err != nil {
		return nil, "", err
	}
	add := func(title, text, link string, ids ...string) {
		id := cmp.Or(append(ids, link, title)...)
		if len(id) > maxID {
			sum := sha256.Sum256([]byte(id))
			id = hex.EncodeToString(sum[:])
		}
		text = plain(text)
		if title = cmp.Or(plain(title), subconscious.Shorten(text, 120), link); title != "" {
			reports = append(reports, Report{ID: id, Kind: "item", Title: redact.Text(title), Text: redact.Text(text + "\n" + link)})
		}
	}
	if root == "feed" {
		feed, err := (&atom.Parser{}).Parse(bytes.NewReader(body))
		if err != nil {
			return nil, "", unreadable(err)
		}
		for _, e := range feed.Entries {
			link, text := "", e.Summary
			if len(e.Links) > 0 {
				link = e.Links[0].Href
			}
			if text == "" && e.Content != nil {
				text = e.Content.Value
			}
			add(e.Title, text, link, e.ID)
		}
		return reports, cut, nil
	}
	feed, err := (&rss.Parser{}).Parse(bytes.NewReader(body))
	if err != nil {
		return nil, "", unreadable(err)
	}
	sharing := map[string]int{}
	for _, item := range feed.Items {
		sharing[item.Link]++
	}
	for _, item := range feed.Items {
		id := ""
		switch {
		case item.GUID != nil && item.GUID.Value != "":
			id = item.GUID.Value
		case sharing[item.Link] > 1:
			id = strings.TrimSpace(item.Link + " " + item.Title)
		}
		add(item.Title, cmp.Or(item.Description, item.Content), item.Link, id)
	}
	return reports, cut, nil
}

func unreadable(err error) error {
	return fmt.Errorf("it cannot be read as RSS or Atom (%.120v); open the address in a browser, or correct url", err)
}

// prune leaves of a feed what is small enough to be parsed: its first items, and what
// is open there closed again. root is the name of its first element.
func prune(body []byte) (pruned []byte, root, cut string, err error) {
	// Of what is no ASCII only the place counts.
	d := xml.NewDecoder(bytes.NewReader(ascii(body)))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var open, within []string // the elements that are open, and those around the last item
	var last int64
	for elements, found := 0, 0; ; {
		before := d.InputOffset()
		token, err := d.RawToken()
		if err == io.EOF && (len(open) == 0 || found < 2) && len(body) < maxFeed {
			return body, root, "", nil
		}
		begins, isBegin := token.(xml.StartElement)
		_, isEnd := token.(xml.EndElement)
		name := begins.Name.Local
		if isItem := isBegin && (name == "item" || name == "entry"); isItem && err == nil {
			found, last, within = found+1, before, slices.Clone(open)
		}
		switch {
		case err != nil, found > maxItems, elements > maxElements, len(open) > maxDepth:
			if found < 2 {
				return nil, "", "", unreadable(cmp.Or(err, errors.New("it holds too much that is no item")))
			}
			pruned = slices.Clone(body[:last])
			for _, name := range slices.Backward(within) {
				pruned = append(pruned, "</"+name+">"...)
			}
			return pruned, root, fmt.Sprintf("its first %d items are looked at", found-1), nil
		case isBegin:
			elements++
			root = cmp.Or(root, name)
			if begins.Name.Space != "" {
				name = begins.Name.Space + ":" + name
			}
			open = append(open, name)
		case isEnd && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
}

// ascii is a text with a letter for each byte that is no ASCII.
func ascii(text []byte) []byte {
	text = slices.Clone(text)
	for i, b := range text {
		if b >= 0x80 {
			text[i] = 'x'
		}
	}
	return text
}

// tags are those of HTML, with what is not shown.
var tags = lazy.Regexp(`(?is)<script\b.*?</script>|<style\b.*?</style>|<[^>]*>`)

// plain is the text of HTML, in one line.
func plain(text string) string {
	text = html.UnescapeString(tags().ReplaceAllString(subconscious.Head(text, maxItem), " "))
	return strings.Join(strings.Fields(text), " ")
}
