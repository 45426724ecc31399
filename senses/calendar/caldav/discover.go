package caldav

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
)

// wellKnown is where a server says where its calendars are (RFC 6764, 5).
const wellKnown = "/.well-known/caldav"

// home is where an account's calendars are.
type home struct {
	at []*url.URL
	// single is a calendar that was named by its own address.
	single    bool
	addresses []string // the person's own, as the server has them
}

// begin returns the addresses at which the account is looked for, in order, and
// admits what is configured.
func (a *Account) begin(ctx context.Context) ([]*url.URL, error) {
	domain, mailed := "", false
	if _, domain, mailed = strings.Cut(a.config.CalDAV, "@"); !mailed || strings.Contains(a.config.CalDAV, "://") {
		at, err := a.client.parse(a.config.CalDAV)
		if err != nil {
			return nil, err
		}
		at.Path = cmp.Or(at.Path, "/")
		return []*url.URL{at, at.ResolveReference(&url.URL{Path: wellKnown})}, nil
	}
	a.client.domain, a.client.hosts[strings.ToLower(domain)] = registered(domain), true
	first := []*url.URL{{Scheme: "https", Host: domain, Path: wellKnown}}
	if host, err := a.options.Service(ctx, domain); err == nil {
		at := &url.URL{Scheme: "https", Host: host, Path: wellKnown}
		if a.client.admit(at, true) != nil {
			return nil, fmt.Errorf("%s says that its calendars are at %s, which is another's; if that is right, write caldav: https://%s", domain, shown(host), shown(host))
		}
		first = append([]*url.URL{at, {Scheme: "https", Host: host, Path: "/"}}, first...)
	}
	return first, nil
}

// service looks up which host of a domain has its calendars (RFC 6764, 3).
func service(ctx context.Context, domain string) (string, error) {
	_, all, err := net.DefaultResolver.LookupSRV(ctx, "caldavs", "tcp", domain)
	if err != nil || len(all) == 0 || all[0].Target == "." {
		return "", errors.Join(err, errors.New("there is none"))
	}
	host := strings.TrimSuffix(all[0].Target, ".")
	if all[0].Port != 443 {
		host = net.JoinHostPort(host, strconv.Itoa(int(all[0].Port)))
	}
	return host, nil
}

// discover finds where the account's calendars are.
func (a *Account) discover(ctx context.Context) (*home, error) {
	candidates, err := a.begin(ctx)
	if err != nil {
		return nil, err
	}
	var problem error
	for _, at := range candidates {
		found, err := a.homeAt(ctx, at)
		if found != nil || errors.Is(err, ErrSignIn) || ctx.Err() != nil {
			return found, err
		}
		if no := (*refused)(nil); problem == nil || errors.As(problem, &no) { // what says more is said
			problem = err
		}
	}
	return nil, fmt.Errorf("no calendars are found: %w; write the address that the provider names for CalDAV under caldav", problem)
}

// homeAt asks one address for the home of the account, and its principal where it
// does not know itself.
func (a *Account) homeAt(ctx context.Context, at *url.URL) (*home, error) {
	for range 2 {
		all, from, err := a.client.find(ctx, at, "0", askAccount, true)
		if err != nil {
			return nil, err
		}
		if len(all.Responses) == 0 {
			return nil, fmt.Errorf("%s says nothing of itself", shown(from.Host))
		}
		p := all.Responses[0].good()
		found := &home{}
		for _, address := range p.Addresses.All {
			if mail, ok := strings.CutPrefix(strings.ToLower(address), "mailto:"); ok && len(found.addresses) < 20 && len(mail) < 255 {
				found.addresses = append(found.addresses, mail)
			}
		}
		switch {
		case p.Type.Calendar != nil:
			found.at, found.single = []*url.URL{from}, true
			return found, nil
		case len(p.Home.All) > 0:
			for _, href := range p.Home.All[:min(len(p.Home.All), 5)] {
				one, err := a.resolve(from, href, true)
				if err != nil {
					return nil, err
				}
				found.at = append(found.at, one)
			}
			return found, nil
		case len(p.Principal.All) == 0:
			return nil, fmt.Errorf("%s names no account", shown(from.Host))
		}
		if at, err = a.resolve(from, p.Principal.All[0], true); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s names no place for calendars", shown(at.Host))
}

// resolve reads what a server calls something by.
func (a *Account) resolve(from *url.URL, href string, looking bool) (*url.URL, error) {
	at, err := from.Parse(strings.TrimSpace(href))
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("%s names an address that is none", shown(from.Host))
	}
	at.User, at.Fragment, at.RawQuery = nil, "", ""
	return at, a.client.admit(at, looking)
}

// found is one calendar of the account.
type found struct {
	at    *url.URL
	name  string // as people call it
	state string // a token or tag; another one once something changed; "" for none
	syncs bool   // state is a token of sync-collection
}

// calendars are those of the account that are looked at. left are the names of the
// others, missing those that are configured and not there.
func (a *Account) calendars(ctx context.Context) (all []found, left, missing []string, err error) {
	depth := "1"
	if a.home.single {
		depth = "0"
	}
	wanted := map[string]bool{}
	for _, name := range a.config.Calendars {
		wanted[strings.ToLower(name)] = false
	}
	for _, at := range a.home.at {
		listed, from, err := a.client.find(ctx, at, depth, askCalendars, false)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, r := range listed.Responses {
			c, ok, err := a.calendar(from, r)
			if err != nil {
				return nil, nil, nil, err
			}
			if !ok {
				continue
			}
			_, named := wanted[strings.ToLower(c.name)]
			if named {
				wanted[strings.ToLower(c.name)] = true
			}
			if (named || len(wanted) == 0) && len(all) < maxCalendars {
				all = append(all, c)
			} else {
				left = append(left, c.at.String())
			}
		}
	}
	for _, name := range a.config.Calendars {
		if !wanted[strings.ToLower(name)] {
			missing = append(missing, name)
		}
	}
	if len(all) == 0 { // more likely a fault of the server than that all are gone
		return nil, nil, nil, fmt.Errorf("%s shows no calendar with events%s; check what the account may see, and calendars", shown(a.home.at[0].Host), strings.Join(append([]string{""}, missing...), ", not "))
	}
	return all, left, missing, nil
}

// calendar reads one thing of a home. ok is false where it holds no events.
func (a *Account) calendar(from *url.URL, r response) (c found, ok bool, err error) {
	p := r.good()
	if p.Type.Calendar == nil {
		return c, false, nil
	}
	at, err := a.resolve(from, r.Href, false)
	if err != nil {
		return c, false, err
	}
	events := len(p.Kinds.All) == 0
	for _, kind := range p.Kinds.All {
		events = events || strings.EqualFold(kind.Name, "VEVENT")
	}
	c = found{at: at, name: p.Name, state: p.Token, syncs: p.Token != ""}
	if c.state == "" && p.Tag != "" {
		c.state = tagged + p.Tag
	}
	if c.name == "" {
		parts := strings.Split(strings.Trim(at.Path, "/"), "/")
		c.name = parts[len(parts)-1]
	}
	return c, events, nil
}

var _ calendar.Source = (*Account)(nil)
