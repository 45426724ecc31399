package caldav

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
)

// unchecked is how often a file is fetched whose server cannot say that it is the
// same.
const unchecked = time.Hour

// Subscription is the iCalendar file at one address. It is one item of one
// collection.
type Subscription struct {
	config  calendar.Config
	options Options
	client  *client
	fetched time.Time // last, in whole
}

// address is where the file is.
func (s *Subscription) address() (*url.URL, error) {
	text := s.config.URL
	if text == "" {
		value, err := s.config.SecretURL.Resolve(s.options.Env)
		if err != nil {
			return nil, fmt.Errorf("no address: %w", err)
		}
		text = strings.TrimSpace(value.Reveal())
	}
	return s.client.parse(text)
}

// Look fetches the file where it is another one than before. Its token are the
// two by which the server knows that: an etag and a date.
func (s *Subscription) Look(ctx context.Context, kept calendar.Kept) (calendar.Found, error) {
	const name = "file"
	defer s.client.rest()
	token, known := kept.Tokens[name]
	out := calendar.Collection{Name: name, Token: token}
	same := calendar.Found{Collections: []calendar.Collection{out}}
	etag, date, _ := strings.Cut(token, "\n")
	if known && token == "\n" && time.Since(s.fetched) < unchecked {
		return same, nil
	}
	at, err := s.address()
	if err = cmp.Or(err, s.client.wake(ctx)); err != nil {
		return calendar.Found{}, err
	}
	r := request{method: http.MethodGet, at: at, most: maxListing, looking: true, header: map[string]string{"Accept": "text/calendar, */*;q=0.1"}}
	if etag != "" {
		r.header["If-None-Match"] = etag
	}
	if date != "" {
		r.header["If-Modified-Since"] = date
	}
	got, err := s.client.do(ctx, r)
	switch {
	case err != nil:
		return calendar.Found{}, err
	case got.status == http.StatusNotModified && known:
		return same, nil
	case got.status != http.StatusOK:
		return calendar.Found{}, fmt.Errorf("%w; check the address", &refused{shown(got.at.Host), got.status})
	}
	if _, err := calendar.Count(got.body); err != nil {
		return calendar.Found{}, fmt.Errorf("what %s sends is no whole calendar: %w", shown(got.at.Host), err)
	}
	s.fetched = time.Now()
	out.Token = got.header.Get("ETag") + "\n" + got.header.Get("Last-Modified")
	out.Changed = []calendar.Item{{Name: name, Data: got.body}}
	return calendar.Found{Collections: []calendar.Collection{out}}, nil
}

var _ calendar.Source = (*Subscription)(nil)
