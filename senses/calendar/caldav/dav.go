package caldav

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// multistatus is an answer about many things (RFC 4918, 13).
type multistatus struct {
	Responses []response `xml:"DAV: response"`
	Token     string     `xml:"DAV: sync-token"`
}

// response is about one of them.
type response struct {
	Href   string `xml:"DAV: href"`
	Status string `xml:"DAV: status"`
	Parts  []struct {
		Status     string     `xml:"DAV: status"`
		Properties properties `xml:"DAV: prop"`
	} `xml:"DAV: propstat"`
}

// properties are those that are asked for.
type properties struct {
	Type struct {
		Calendar *struct{} `xml:"urn:ietf:params:xml:ns:caldav calendar"`
	} `xml:"DAV: resourcetype"`
	Name      string `xml:"DAV: displayname"`
	ETag      string `xml:"DAV: getetag"`
	Token     string `xml:"DAV: sync-token"`
	Tag       string `xml:"http://calendarserver.org/ns/ getctag"`
	Principal hrefs  `xml:"DAV: current-user-principal"`
	Home      hrefs  `xml:"urn:ietf:params:xml:ns:caldav calendar-home-set"`
	Addresses hrefs  `xml:"urn:ietf:params:xml:ns:caldav calendar-user-address-set"`
	Kinds     struct {
		All []struct {
			Name string `xml:"name,attr"`
		} `xml:"urn:ietf:params:xml:ns:caldav comp"`
	} `xml:"urn:ietf:params:xml:ns:caldav supported-calendar-component-set"`
}

type hrefs struct {
	All []string `xml:"DAV: href"`
}

// good are the properties that the server has of a thing.
func (r response) good() properties {
	for _, part := range r.Parts {
		if code(part.Status) == http.StatusOK {
			return part.Properties
		}
	}
	return properties{}
}

// code is the number in "HTTP/1.1 404 Not Found", 0 for none.
func code(status string) int {
	words := append(strings.Fields(status), "", "")
	n, _ := strconv.Atoi(words[1])
	return n
}

const namespaces = `xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/"`

const (
	askAccount   = `<D:resourcetype/><D:displayname/><D:current-user-principal/><C:calendar-home-set/><C:calendar-user-address-set/>` + askCalendar
	askCalendar  = `<D:sync-token/><S:getctag/><C:supported-calendar-component-set/>`
	askCalendars = `<D:resourcetype/><D:displayname/>` + askCalendar
	askVersions  = `<D:getetag/><D:resourcetype/>`
)

// find asks for properties of a thing, and at depth 1 of what it holds. It also
// returns where the answer came from.
func (c *client) find(ctx context.Context, at *url.URL, depth, what string, looking bool) (*multistatus, *url.URL, error) {
	return c.ask(ctx, request{method: "PROPFIND", at: at, header: map[string]string{"Depth": depth}, most: maxListing, looking: looking,
		body: `<?xml version="1.0" encoding="utf-8"?><D:propfind ` + namespaces + `><D:prop>` + what + `</D:prop></D:propfind>`})
}

// changes asks what changed in a collection since a token, "" for all that it
// holds (RFC 6578).
func (c *client) changes(ctx context.Context, at *url.URL, token string) (*multistatus, error) {
	var text bytes.Buffer
	_ = xml.EscapeText(&text, []byte(token)) // a buffer takes all
	found, _, err := c.ask(ctx, request{method: "REPORT", at: at, header: map[string]string{"Depth": "0"}, most: maxListing,
		body: `<?xml version="1.0" encoding="utf-8"?><D:sync-collection ` + namespaces + `><D:sync-token>` + text.String() +
			`</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop></D:sync-collection>`})
	return found, err
}

// refused is an answer that says no.
type refused struct {
	host   string
	status int
}

func (r *refused) Error() string {
	return fmt.Sprintf("%s answers %d %s; check the address, and what the account may do", r.host, r.status, http.StatusText(r.status))
}

// ask asks for an answer about many things.
func (c *client) ask(ctx context.Context, r request) (*multistatus, *url.URL, error) {
	got, err := c.do(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if got.status != http.StatusMultiStatus {
		return nil, nil, &refused{shown(got.at.Host), got.status}
	}
	var all multistatus
	if err = bounded(got.body); err == nil {
		err = xml.Unmarshal(got.body, &all)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s answers what is no WebDAV: %s; check the address", shown(got.at.Host), shown(err.Error()))
	}
	return &all, got.at, nil
}

const (
	// maxDepth is how deep the elements of an answer may nest, and maxElements how
	// many it may have with their attributes: a dozen for each item of a list.
	maxDepth    = 50
	maxElements = 12 * maxListed
)

// bounded refuses what nests deeper or holds more: the library keeps all elements
// that are open, and makes much of one that is empty.
func bounded(text []byte) error {
	tooMany := fmt.Errorf("it holds more than %d elements", maxElements)
	if bytes.Count(text, []byte("=")) > maxElements {
		return tooMany // each attribute has one, and the library reads all of an element before it hands it over
	}
	for d, depth, elements := xml.NewDecoder(bytes.NewReader(text)), 0, 0; ; {
		token, err := d.RawToken()
		if err != nil {
			return nil // Unmarshal says it better
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			elements += 1 + len(token.Attr)
		case xml.EndElement:
			depth--
		}
		switch {
		case depth > maxDepth:
			return errors.New("it nests too deep")
		case elements > maxElements:
			return tooMany
		}
	}
}
