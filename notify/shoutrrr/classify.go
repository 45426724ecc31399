package shoutrrr

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// status finds the status of HTTP in the text of an error. The services say it
// each in its own words: "status code: 401 Unauthorized", "HTTP 401",
// "unexpected status 401".
var status = lazy.Regexp(`(?i)\b(?:status|code|unexpected|http|failed|notification)\b[ :a-z]{0,24}[ :]([345][0-9]{2})\b`)

// maxRead is how much of the text of an error is looked at.
const maxRead = 4 << 10

// unusable is an address that the service cannot read.
func unusable(scheme string) *notify.Error {
	if scheme == "matrix" { // it signs in while it reads its address
		return &notify.Error{Trouble: notify.Unavailable, After: time.Minute, Text: "matrix did not let us sign in, or cannot be reached",
			Next: "look whether the server answers, and at name and password in its address"}
	}
	return &notify.Error{Trouble: notify.Refused, Text: scheme + " cannot use its address", Next: "write it anew: " + form}
}

// classify says what became of a message, as far as the error tells. Nothing of
// its text is passed on: the address can be in it.
func classify(scheme string, err error) *notify.Error {
	text := err.Error()
	text = text[:min(len(text), maxRead)]
	if found := status().FindStringSubmatch(text); found != nil {
		code, _ := strconv.Atoi(found[1]) // three digits
		return byStatus(scheme, code)
	}
	if unreached(err, text) {
		return &notify.Error{Trouble: notify.Unavailable, Text: scheme + " cannot be reached", Next: "look whether there is a network, and at the host in its address"}
	}
	return &notify.Error{Trouble: notify.Unknown, Text: scheme + " failed, and did not say whether the message arrived",
		Next: "look at its address: subconsciousctl doctor"}
}

// unreached reports whether no connection was made, so that nothing was sent.
// Most services keep no more of the cause than its text.
func unreached(err error, text string) bool {
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		return operation.Op == "dial"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	for _, sign := range []string{"dial tcp", "dial udp", "no such host", "connection refused", "network is unreachable",
		"tls: failed to verify certificate", "server gave HTTP response to HTTPS client"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// byStatus says what a status of HTTP means for the message.
func byStatus(scheme string, code int) *notify.Error {
	e := &notify.Error{Trouble: notify.Refused, Text: scheme + " answered " + strconv.Itoa(code)}
	if words := http.StatusText(code); words != "" {
		e.Text += " (" + words + ")"
	}
	switch {
	case code == http.StatusRequestTimeout, code == http.StatusBadGateway, code == http.StatusGatewayTimeout:
		// Who answers is not who was asked.
		e.Trouble, e.Next = notify.Unknown, "nothing, if it goes away; else look at the service"
	case code == http.StatusTooManyRequests, code >= 500:
		e.Trouble, e.After, e.Next = notify.Unavailable, time.Minute, "nothing, if it goes away; else look at the service"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		e.Next = "look at the key in its address; it may have been taken back"
	case code == http.StatusNotFound, code == http.StatusGone:
		e.Next = "look at its address; the webhook or the chat may be gone"
	default:
		e.Next = "look at its address: " + form
	}
	return e
}
