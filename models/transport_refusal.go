package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// refused turns an answer of another status than 2xx into an *Error.
func (t *trip) refused(response *http.Response, body []byte) *Error {
	said := parseComplaint(body)
	failure := said.failure(response.StatusCode)
	failure.Attempts = 1
	if response.StatusCode < 400 {
		failure.Text = fmt.Sprintf("it answers %d and sends on to %s; requests are not sent on, since they carry the key", response.StatusCode, target(response))
		failure.Next = "set base_url of the provider to the address it really has"
	} else if said.message != "" {
		failure.Text += ": " + said.message
	} else if isMarkup(response.Header.Get("Content-Type"), body) {
		failure.Text += ", with a web page: a proxy or a sign-in page may stand in between"
	}
	failure.Text = t.clean(failure.Text)
	if wait := retryAfter(response.Header, t.options.Now()); wait > 0 {
		failure.RetryAfter = wait
	}
	return failure
}

// unusable is an answer of status 2xx in another form than was asked for.
func (t *trip) unusable(response *http.Response, media string) *Error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxError))
	if failure := t.inside(response, media, body); failure != nil {
		return failure
	}
	if t.stream {
		return t.failed(KindAnswer, "it answers in one piece although a stream was asked for", "choose a provider that streams")
	}
	return t.failed(KindAnswer, "it answers with a stream although one piece was asked for", "check base_url of the provider")
}

// inside looks into an answer of status 2xx: is it JSON, and no complaint?
func (t *trip) inside(response *http.Response, media string, body []byte) *Error {
	if isMarkup(media, body) {
		return t.failed(KindAnswer, "a web page answers instead of a model: a proxy or a sign-in page may stand in between",
			"check base_url of the provider, and whether this network asks to sign in")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return t.failed(KindAnswer, "its answer is empty", "")
	}
	if media == eventStream {
		return nil
	}
	var envelope struct {
		Error   json.RawMessage
		Choices json.RawMessage
		Content json.RawMessage
	}
	err := json.Unmarshal(body, &envelope)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(body)):
		return t.failed(KindCut, "its answer ends in the middle", "")
	case err != nil:
		return t.failed(KindAnswer, "its answer is not JSON: "+quoted(body), "check base_url of the provider")
	case envelope.Choices != nil || envelope.Content != nil || len(envelope.Error) == 0 || string(envelope.Error) == "null":
		return nil
	}
	failure := t.complains(body)
	if wait := retryAfter(response.Header, t.options.Now()); wait > 0 {
		failure.RetryAfter = wait
	}
	return failure
}

// complains turns a complaint that came inside of an answer into an *Error. It
// may have come after work was done.
func (t *trip) complains(body []byte) *Error {
	failure := Complaint(body)
	failure.Text = t.clean(failure.Text)
	return failure
}

// Complaint reads an error that a provider reported inside of an answer or a
// stream, as {"error": {…}}. The answer may nevertheless be paid for. Its text
// is redacted and bounded.
func Complaint(body []byte) *Error {
	said := parseComplaint(body)
	failure := said.failure(said.status)
	failure.Status = 0
	if said.message != "" {
		failure.Text += ": " + said.message
	}
	failure.Text = scrubbed(failure.Text, nil)
	failure.Attempts, failure.Unsure = 1, 1
	return failure
}

func isMarkup(media string, body []byte) bool {
	if strings.Contains(media, "html") || strings.Contains(media, "xml") {
		return true
	}
	start := bytes.TrimSpace(body[:min(len(body), 200)])
	return len(start) > 0 && start[0] == '<'
}

// target is where a redirect leads, without path and query.
func target(response *http.Response) string {
	where, err := url.Parse(response.Header.Get("Location"))
	switch {
	case err != nil || where.Host == "" && where.Path == "":
		return "another address"
	case where.Host == "":
		return "another path"
	}
	return bounded(where.Scheme+"://"+where.Host, 100)
}

// quoted is the beginning of what came instead of JSON.
func quoted(body []byte) string {
	return fmt.Sprintf("%q", bounded(string(bytes.ToValidUTF8(body[:min(len(body), 300)], nil)), 80))
}

// secretsOf are the keys in a request's headers and address.
func secretsOf(request *http.Request) []string {
	var found []string
	add := func(s string) {
		if len(s) >= 4 {
			found = append(found, s)
		}
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key", "Proxy-Authorization"} {
		for _, value := range request.Header.Values(name) {
			_, token, _ := strings.Cut(value, " ")
			add(value)
			add(strings.TrimSpace(token))
		}
	}
	if request.URL.User != nil {
		password, _ := request.URL.User.Password()
		add(password)
	}
	return found
}
