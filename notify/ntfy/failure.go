package ntfy

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxSaid bounds what is told of a server's words.
	maxSaid = 200 // bytes
	// maxAfter bounds how long a server is left alone because it asks for it.
	maxAfter = 24 * time.Hour
	// quotaRest is how long it is left alone where a day's allowance is used
	// up and it does not say until when.
	quotaRest = time.Hour
)

// unreached is a request that got no answer, and was not taken.
func (c *Client) unreached(err error) *notify.Error {
	text, next := c.network(err)
	return &notify.Error{Trouble: notify.Unavailable, Err: bare(err), Text: text, Next: next}
}

// unanswered is a message that got no answer. Whether it was written decides
// whether it may have been taken.
func (c *Client) unanswered(err error, written bool) *notify.Error {
	failure := c.unreached(err)
	if written {
		failure.Trouble = notify.Unknown
		failure.Text = "the message was sent to " + c.host + ", and no answer came: it may have arrived"
		failure.Next = "look at the phone; if this happens often, check the connection to " + c.host
	}
	return failure
}

// bare drops the address from an error, which has the topic in it.
func bare(err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		return at.Err
	}
	return err
}

// network says what came between.
func (c *Client) network(err error) (text, next string) {
	host := c.host
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return "the name " + subconscious.Clip(dns.Name, 100) + " is not found", "check the url of the channel and the connection of this machine"
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		return "the certificate of " + host + " is not good", "check the url of the channel, the server's certificate, and the clock of this machine"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return host + " does not speak TLS", "begin the url of the channel with http://, or name the port of https"
	case errors.Is(err, syscall.ECONNREFUSED):
		return host + " refuses the connection", "start the server, or correct the url of the channel"
	case errors.Is(err, context.Canceled):
		return "sending was broken off before it was done", "nothing; it is sent again later"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return host + " does not answer in time", "check the server and the connection to it"
	}
	return "there is no connection to " + host, "check the server and the connection to it"
}

// said is an error as ntfy words it.
type said struct {
	Code  int    `json:"code"` // the status and two digits more
	HTTP  int    `json:"http"`
	Error string `json:"error"`
	Link  string `json:"link"`
}

// parseError reads an error document; ok is false where it is none.
func parseError(body []byte) (said, bool) {
	var s said
	if len(body) > maxBody || json.Unmarshal(body, &s) != nil || s.Code < 40000 || s.Code > 59999 || s.Code/100 != s.HTTP {
		return said{}, false
	}
	s.Error, s.Link = line(s.Error, maxSaid), ""
	return s, true
}

// refusal is what an answer other than 200 means for the message.
func (c *Client) refusal(response *http.Response, body []byte) *notify.Error {
	const never, later = notify.Refused, notify.Unavailable
	s, ours := parseError(body)
	host, status := c.host, response.StatusCode
	more := " (" + strconv.Itoa(cmp.Or(s.Code, status)) + ")"
	limited, faulty, fault := status == http.StatusTooManyRequests, status >= 500, host+" reports an error of its own"+more
	other, check := host+" refuses the message"+more, "check that the url of the channel is that of an ntfy server, and its version"
	if s.Error != "" {
		other += ": " + s.Error
	}
	meanings := []struct {
		is         bool
		trouble    notify.Trouble
		text, next string
	}{
		{status >= 300 && status < 400, later, host + " sends on to " + target(response) + more, "write the address where the server really is into the url of the channel"},
		{status == http.StatusUnauthorized, never, host + " does not accept the key of the channel" + more, "put a valid token or password where the configuration of the channel says it is"},
		{status == http.StatusForbidden && c.signs(), never, "the account may not use the topic on " + host + more, "give it the right: ntfy access USER TOPIC read-write, or choose another topic"},
		{status == http.StatusForbidden, never, host + " lets nobody use the topic without signing in" + more, "set token_file, or username and password_file, of the channel"},
		{status == http.StatusNotFound, never, "there is nothing at this address of " + host + more, "check the url of the channel: it is the server's address without the topic"},
		{status == http.StatusRequestEntityTooLarge || s.Code == 40014 && status < http.StatusTooManyRequests, never, "the message is too long for " + host + more, "raise message-size-limit of the server to 4096 bytes"},
		{limited && s.daily(), later, "the day's allowance of messages at " + host + " is used up" + more, "wait until tomorrow, or use a server or account that allows more"},
		{limited, later, host + " is asked too often" + more, "wait; where it happens often, use a server or account that allows more"},
		// Something before the server gave up waiting for it.
		{(status == http.StatusGatewayTimeout || status == 524) && !ours, notify.Unknown, fault, "wait, or look at the server's log"},
		{faulty, later, fault, "wait, or look at the server's log"},
		{status < 300 || slices.Contains([]int{http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly,
			http.StatusProxyAuthRequired}, status), later, other, check},
		{true, never, other, check},
	}
	failure := &notify.Error{}
	for _, m := range meanings {
		if m.is {
			failure.Trouble, failure.Text, failure.Next = m.trouble, m.text, m.next
			break
		}
	}
	if failure.Trouble == later && (limited || faulty) {
		failure.After = c.after(response, s)
	}
	return failure
}

// daily tells the limits of a day from those of a moment.
func (s said) daily() bool { return s.Code == 42905 || s.Code == 42908 }

// after is how long a server asks to be left alone.
func (c *Client) after(response *http.Response, s said) time.Duration {
	value := strings.TrimSpace(response.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(0, min(time.Duration(seconds)*time.Second, maxAfter))
	}
	if at, err := http.ParseTime(value); err == nil {
		now := c.options.Now()
		if theirs, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			now = theirs // the clock that its dates are of
		}
		return max(0, min(at.Sub(now), maxAfter))
	}
	if s.daily() {
		return quotaRest
	}
	return 0
}

// target is where a redirect leads, without path and query.
func target(response *http.Response) string {
	where, err := url.Parse(response.Header.Get("Location"))
	if err != nil || where.Host == "" {
		return "another address"
	}
	return fmt.Sprintf("%s://%s", subconscious.Clip(where.Scheme, 10), line(where.Host, 100))
}

// line makes one bounded line of what a server said, without what looks like
// a secret.
func line(text string, limit int) string {
	return subconscious.Clip(redact.Text(subconscious.Line(subconscious.Clip(text, 4*limit))), limit)
}
