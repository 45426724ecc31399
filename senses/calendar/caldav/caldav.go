// Package caldav asks calendars on servers: the account of a CalDAV server
// (Account), and the iCalendar file at an address (Subscription). Both are a
// calendar.Source, see Open.
//
// It speaks WebDAV by itself: discovery (RFC 6764), what changed by
// sync-collection (RFC 6578) where it is offered and by etags elsewhere, and each
// event by its own GET, so that one that is broken costs no other. It never asks a
// server to filter or to expand. It stores nothing; the daemon opens it, and
// doctor asks Probe.
package caldav

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
)

// What one Look may bring. What is more comes with the next.
const (
	maxCalendars = 100
	maxListed    = 20_000   // items of one calendar
	maxFetched   = 4_000    // items
	maxBytes     = 16 << 20 // of items
	maxPages     = 50       // of one list of changes
	fetchers     = 6        // items asked for at once
	// reserve is how long before its deadline a Look begins to ask for no more.
	reserve = 6 * time.Second
)

// Options are what a Source needs beside its configuration. Every field may be
// left out.
type Options struct {
	// Env looks up variables; nil is os.LookupEnv.
	Env func(string) (string, bool)
	// RootCAs are whom to trust beside ca_file; nil are those of the system.
	RootCAs *x509.CertPool
	// Dial connects; nil is a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Service looks up the host of a domain that has its calendars; nil asks the
	// domain name system.
	Service func(ctx context.Context, domain string) (host string, err error)
}

// Open returns the Source of a calendar that is no file. It asks nobody yet.
func Open(c calendar.Config, o Options) (calendar.Source, error) {
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		if o.RootCAs = x509.NewCertPool(); !o.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ca_file: %s holds no certificate; give a PEM file", c.CAFile)
		}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: dialsWithin}).DialContext
	}
	if o.Service == nil {
		o.Service = service
	}
	var password func(context.Context) (secret.Value, error)
	if len(c.Password.Names()) > 0 {
		password = func(context.Context) (secret.Value, error) { return c.Password.Resolve(o.Env) }
	}
	client := newClient(o, c.User, password)
	if c.CalDAV != "" {
		return &Account{config: c, options: o, client: client}, nil
	}
	return &Subscription{config: c, options: o, client: client}, nil
}

// Account is an account on a CalDAV server.
type Account struct {
	config  calendar.Config
	options Options
	client  *client
	home    *home // once it was found
}

// Look lists the calendars of the account with one request, and asks those that
// changed what did.
func (a *Account) Look(ctx context.Context, kept calendar.Kept) (calendar.Found, error) {
	defer a.client.rest()
	if err := a.client.wake(ctx); err != nil {
		return calendar.Found{}, err
	}
	all, left, missing, err := a.list(ctx)
	if err != nil {
		return calendar.Found{}, err
	}
	l := &look{account: a, kept: kept}
	out := calendar.Found{Owner: a.home.addresses, Left: left}
	if strings.Contains(a.config.User, "@") {
		out.Owner = append(slices.Clip(out.Owner), a.config.User)
	}
	var problems []string
	var failed error
	for _, c := range all {
		collection, err := l.collection(ctx, c)
		if errors.Is(err, ErrSignIn) || ctx.Err() != nil {
			return calendar.Found{}, cmp.Or(err, context.Cause(ctx))
		}
		if err != nil {
			failed = err
			problems = append(problems, fmt.Sprintf("the calendar %s could not be looked at: %v", shown(c.name), err))
		}
		out.Collections = append(out.Collections, collection)
	}
	if len(problems) > 0 && len(problems) == len(all) {
		return calendar.Found{}, failed
	}
	if len(missing) > 0 {
		problems = append(problems, fmt.Sprintf("there is no calendar %s; correct calendars", strings.Join(missing, ", ")))
	}
	if l.lost != nil {
		problems = append(problems, fmt.Sprintf("an event could not be fetched and is tried again: %v", l.lost))
	}
	out.Degraded, out.Starting = strings.Join(problems, "; "), l.left
	return out, nil
}

// list finds the calendars, and the account where it is not known yet or has moved.
func (a *Account) list(ctx context.Context) (all []found, left, missing []string, err error) {
	known := a.home != nil
	for {
		if a.home == nil {
			home, err := a.discover(ctx)
			if err != nil {
				return nil, nil, nil, err
			}
			a.home = home
		}
		all, left, missing, err = a.calendars(ctx)
		if no := (*refused)(nil); errors.As(err, &no) {
			if a.home = nil; known {
				known = false
				continue
			}
		}
		return all, left, missing, err
	}
}

// look is one Look.
type look struct {
	account *Account
	kept    calendar.Kept
	fetched int
	bytes   int
	// left: there was no time or no room for all. lost is why an item could not be had.
	left bool
	lost error
}

// collection sees what changed in one calendar. With an error it is as it was.
func (l *look) collection(ctx context.Context, c found) (calendar.Collection, error) {
	name := c.at.String()
	token, known := l.kept.Tokens[name]
	same := calendar.Collection{Name: name, Token: token}
	if known && token != "" && token == c.state {
		return same, nil
	}
	var listed listing
	var err error = &refused{}
	no := (*refused)(nil)
	if c.syncs && token != "" && !strings.HasPrefix(token, tagged) {
		listed, err = l.since(ctx, c, token)
	}
	if c.syncs && errors.As(err, &no) { // or the token is too old: a full look
		listed, err = l.since(ctx, c, "")
	}
	if errors.As(err, &no) {
		listed, err = l.everything(ctx, c)
	}
	if err != nil {
		return same, err
	}
	return l.take(ctx, same, listed)
}

// tagged begins a token that is a tag of the calendar, and none of sync-collection.
const tagged = "tag "

// listing is what a server said of a calendar.
type listing struct {
	items   []listed
	removed []string
	token   string
	full    bool
}

// listed is one item: what it is called, where it is, and its version.
type listed struct {
	name, version string
	at            *url.URL
}

// everything lists a calendar by its etags.
func (l *look) everything(ctx context.Context, c found) (listing, error) {
	all, from, err := l.account.client.find(ctx, c.at, "1", askVersions, false)
	if err != nil {
		return listing{}, err
	}
	out := listing{full: true}
	if !c.syncs {
		out.token = c.state
	}
	return out, l.read(&out, from, all)
}

// since lists what changed since a token, page by page where the server has so
// much to say.
func (l *look) since(ctx context.Context, c found, token string) (listing, error) {
	out := listing{full: token == "", token: token}
	for range maxPages {
		all, err := l.account.client.changes(ctx, c.at, out.token)
		if err != nil {
			return out, err
		}
		more := false
		for _, r := range all.Responses {
			more = more || code(r.Status) == http.StatusInsufficientStorage
		}
		again := all.Token == out.token
		out.token = all.Token
		if err := l.read(&out, c.at, all); err != nil || !more {
			return out, err
		}
		if again || all.Token == "" {
			break
		}
	}
	return out, errors.New("its list of changes does not end")
}

// read takes in the things of an answer.
func (l *look) read(out *listing, from *url.URL, all *multistatus) error {
	for _, r := range all.Responses {
		at, err := l.account.resolve(from, r.Href, false)
		if err != nil {
			return err
		}
		p := r.good()
		switch {
		case strings.TrimSuffix(at.Path, "/") == strings.TrimSuffix(from.Path, "/"), strings.HasSuffix(at.Path, "/"):
		case code(r.Status) == http.StatusNotFound:
			out.removed = append(out.removed, at.Path)
		case p.ETag != "":
			out.items = append(out.items, listed{at.Path, p.ETag, at})
		}
		if len(out.items) > maxListed {
			return fmt.Errorf("it holds more than %d events; name the other calendars under calendars, or move old events to another one", maxListed)
		}
	}
	return nil
}

// take fetches what is not kept yet.
func (l *look) take(ctx context.Context, before calendar.Collection, found listing) (calendar.Collection, error) {
	out := calendar.Collection{Name: before.Name, Token: found.token, Full: found.full, Removed: found.removed}
	var wanted []listed
	for _, item := range found.items {
		if l.kept.Has(before.Name, item.name, item.version) {
			out.Same = append(out.Same, item.name)
		} else {
			wanted = append(wanted, item)
		}
	}
	got, left, err := l.fetch(ctx, wanted)
	if err != nil {
		return before, err
	}
	out.Changed = got
	for _, item := range left { // they stay as they are kept until then
		out.Same = append(out.Same, item.name)
	}
	if len(left) > 0 {
		out.Token = before.Token
	}
	return out, nil
}

// fetch asks for items, some at a time. Those that there was no time for, or that
// could not be had just now, are left.
func (l *look) fetch(ctx context.Context, wanted []listed) (got []calendar.Item, left []listed, failed error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan listed)
	for range min(fetchers, len(wanted)) {
		all.Go(func() {
			for item := range next {
				one, gone, err := l.get(ctx, item)
				mu.Lock()
				switch {
				case errors.Is(err, ErrSignIn):
					failed = err
				case err != nil:
					l.lost = err
					left = append(left, item)
				case !gone:
					l.bytes += len(one.Data)
					got = append(got, one)
				}
				mu.Unlock()
			}
		})
	}
	deadline, bounded := ctx.Deadline()
	for i, item := range wanted {
		mu.Lock()
		full := failed != nil || l.fetched >= maxFetched || l.bytes >= maxBytes || l.lost != nil && len(left) > 20
		mu.Unlock()
		if full || ctx.Err() != nil || bounded && time.Until(deadline) < reserve {
			mu.Lock()
			left, l.left = append(left, wanted[i:]...), true
			mu.Unlock()
			break
		}
		l.fetched++
		next <- item
	}
	close(next)
	all.Wait()
	return got, left, failed
}

// transient are answers that may be another one soon.
var transient = []int{http.StatusRequestTimeout, http.StatusLocked, http.StatusTooManyRequests}

// get asks for one item. What the server will not give, or is too large, is an
// item with a problem, until it changes; what is there no more is gone.
func (l *look) get(ctx context.Context, item listed) (got calendar.Item, gone bool, err error) {
	got = calendar.Item{Name: item.name, Version: item.version}
	answer, err := l.account.client.do(ctx, request{method: http.MethodGet, at: item.at, header: map[string]string{"Accept": "text/calendar"}, most: maxItem})
	switch {
	case errors.Is(err, errTooLarge):
		got.Problem = fmt.Sprintf("is larger than %d MiB", maxItem>>20)
		return got, false, nil
	case err != nil:
		return got, false, err
	case answer.status == http.StatusNotFound, answer.status == http.StatusGone:
		return got, true, nil
	case answer.status >= 500, slices.Contains(transient, answer.status):
		return got, false, &refused{shown(item.at.Host), answer.status}
	case answer.status != http.StatusOK:
		got.Problem = fmt.Sprintf("is not given out by the server, which answers %d", answer.status)
		return got, false, nil
	}
	got.Data = answer.body
	return got, false, nil
}
