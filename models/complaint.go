package models

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/redact"
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
	return line(where.Scheme+"://"+where.Host, 100)
}

// quoted is the beginning of what came instead of JSON.
func quoted(body []byte) string {
	return fmt.Sprintf("%q", line(string(bytes.ToValidUTF8(body[:min(len(body), 300)], nil)), 80))
}

// secretsOf are the keys in a request's headers.
func secretsOf(header http.Header) []string {
	bearer := header.Get("Authorization")
	return slices.DeleteFunc([]string{header.Get("X-Api-Key"), bearer, strings.TrimPrefix(bearer, "Bearer ")}, func(s string) bool { return len(s) < 4 })
}

// complaint is what a provider says in the body of an error.
type complaint struct {
	message string
	marks   string // code, type and status, in lower case
	status  int    // what the body claims, 0 where it does not
	wait    time.Duration
}

// parseComplaint understands the shapes of OpenAI, Anthropic, Gemini (which
// wraps its own in a list), Ollama and those who copy them.
func parseComplaint(body []byte) complaint {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message any             `json:"message"`
		Detail  any             `json:"detail"`
		Type    any             `json:"type"`
		Code    any             `json:"code"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return complaint{}
	}
	var inner struct {
		Message any               `json:"message"`
		Type    any               `json:"type"`
		Code    any               `json:"code"`
		Status  any               `json:"status"`
		Details []json.RawMessage `json:"details"`
	}
	said := complaint{message: firstText(outer.Message, outer.Detail)}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != nil {
		said.message = firstText(inner.Message)
	} else if text := ""; json.Unmarshal(outer.Error, &text) == nil {
		said.message = text
	}
	for _, mark := range []any{inner.Code, inner.Type, inner.Status, outer.Code, outer.Type} {
		switch mark := mark.(type) {
		case string:
			said.marks += " " + strings.ToLower(mark)
		case float64:
			said.marks += " " + strconv.Itoa(int(mark))
			if mark >= 400 && mark < 600 && said.status == 0 {
				said.status = int(mark)
			}
		}
	}
	for _, detail := range inner.Details {
		said.wait = max(said.wait, said.detail(detail))
	}
	said.wait = max(said.wait, waitInWords(said.message))
	return said
}

// detail reads Gemini's google.rpc.RetryInfo and ErrorInfo.
func (c *complaint) detail(raw json.RawMessage) time.Duration {
	var detail struct {
		RetryDelay string `json:"retryDelay"`
		Reason     string `json:"reason"`
	}
	if json.Unmarshal(raw, &detail) != nil {
		return 0
	}
	c.marks += " " + strings.ToLower(detail.Reason)
	wait, err := time.ParseDuration(detail.RetryDelay)
	if err != nil || wait < 0 {
		return 0
	}
	return wait
}

func firstText(values ...any) string {
	for _, value := range values {
		switch value := value.(type) {
		case string:
			return value
		case nil:
		default:
			if text, err := json.Marshal(value); err == nil {
				return string(text)
			}
		}
	}
	return ""
}

// says tells whether one of the words is in what the provider says.
func (c complaint) says(words ...string) bool {
	text := c.marks + " " + strings.ToLower(c.message)
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// empty tells whether the account is empty, which is no matter of waiting.
func (c complaint) empty() bool {
	return c.says("insufficient_quota", "insufficient balance", "insufficient_balance", "credit balance", "billing", "payment required", "out of credits", " 1113")
}

// failure sorts a complaint. Status 0 is an error without one.
func (c complaint) failure(status int) *Error {
	kind, text, next := c.sort(status)
	return &Error{Kind: kind, Status: status, Text: text, Next: next, RetryAfter: c.wait}
}

func (c complaint) sort(status int) (kind Kind, text, next string) {
	code := ""
	if status != 0 {
		code = " (" + strconv.Itoa(status) + ")"
	}
	switch {
	case status == http.StatusPaymentRequired, status != 0 && status < 500 && c.empty():
		return KindRate, "the account is empty or has no plan" + code, "top up the account or correct its billing at the provider"
	case status == http.StatusUnauthorized, c.says("api_key_invalid", "invalid_api_key", "authentication_error", "api key not valid", "incorrect api key"):
		return KindKey, "the key is refused" + code, "put a valid key where the configuration says it is"
	case status == http.StatusForbidden, c.says("permission_error", "permission_denied"):
		return KindKey, "the key may not do this" + code, "check the key's rights and whether the account may use this model"
	case status < 500 && c.says("model_not_found", "model not exist", "unknown model", "invalid model", "invalid_model", "model_not_exist", " 1211"):
		return KindModel, "there is no such model" + code, "check the model's name; subconsciousctl models lists what is configured"
	case status == http.StatusNotFound && (c.message != "" || c.marks != ""):
		return KindModel, "there is no such model or address" + code, "check the model's name and base_url of the provider"
	case status == http.StatusNotFound:
		return KindModel, "there is nothing at this address" + code, "check base_url of the provider: most end in /v1"
	case status == http.StatusTooManyRequests, c.says("rate_limit", "resource_exhausted", "too many requests"):
		return KindRate, "it is asked too often" + code, ""
	case c.says("context_length_exceeded", "context length", "prompt is too long", "maximum context"), status == http.StatusRequestEntityTooLarge:
		return KindRequest, "the request is too long for the model" + code, "choose a model that takes more in"
	case status == http.StatusRequestTimeout:
		return KindServer, "it gave up waiting" + code, ""
	case status == 529, c.says("overloaded"):
		return KindServer, "it is overloaded" + code, ""
	case status >= 500, status == 0:
		return KindServer, "it reports an error of its own" + code, ""
	default:
		return KindRequest, "it refuses the request" + code, ""
	}
}

// inWords finds "try again in 1m2.5s".
var inWords = lazy.Regexp(`(?:try again|retry) in ((?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?s)?|\d+(?:\.\d+)?ms)(?:[ .,"]|$)`)

func waitInWords(message string) time.Duration {
	found := inWords().FindStringSubmatch(strings.ToLower(message[:min(len(message), 2000)]))
	if found == nil {
		return 0
	}
	wait, err := time.ParseDuration(found[1])
	if err != nil {
		return 0
	}
	return wait
}

// retryAfter is how long the headers of an answer ask to be left alone.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date // the server's clock is the one that its dates are of
	}
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return limited(ms / 1000)
	}
	if value := strings.TrimSpace(header.Get("Retry-After")); value != "" {
		if seconds, err := strconv.ParseFloat(value, 64); err == nil {
			return limited(seconds)
		}
		if date, err := http.ParseTime(value); err == nil {
			return limited(date.Sub(now).Seconds())
		}
	}
	return resets(header, now)
}

// resets reads when the limits that are used up begin anew: x-ratelimit-reset-*
// and anthropic-ratelimit-*-reset. Where none is said to be used up it is the
// longest of them.
func resets(header http.Header, now time.Time) time.Duration {
	var used, any time.Duration
	for _, what := range []string{"requests", "tokens", "input-tokens", "output-tokens"} {
		for _, names := range [][2]string{
			{"X-Ratelimit-Reset-" + what, "X-Ratelimit-Remaining-" + what},
			{"Anthropic-Ratelimit-" + what + "-Reset", "Anthropic-Ratelimit-" + what + "-Remaining"},
		} {
			wait := moment(header.Get(names[0]), now)
			any = max(any, wait)
			if header.Get(names[1]) == "0" {
				used = max(used, wait)
			}
		}
	}
	if used > 0 {
		return used
	}
	return max(any, moment(header.Get("X-Ratelimit-Reset"), now))
}

// moment reads "6m0s", seconds, an RFC 3339 date, and times since 1970 in
// seconds or milliseconds.
func moment(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if wait, err := time.ParseDuration(value); err == nil {
		return limited(wait.Seconds())
	}
	if date, err := time.Parse(time.RFC3339, value); err == nil {
		return limited(date.Sub(now).Seconds())
	}
	number, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return 0
	case number > 1e11:
		return limited(number/1e3 - float64(now.Unix()))
	case number > 1e9:
		return limited(number - float64(now.Unix()))
	}
	return limited(number)
}

// limited is a wait of so many seconds, between 0 and 31 days.
func limited(seconds float64) time.Duration {
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, 31*24*3600) * float64(time.Second))
}

// maxSaid bounds the text of an Error, in bytes.
const maxSaid = 400

// scrubbed takes the given secrets, and whatever looks like one, out of text,
// and makes it one bounded line.
func scrubbed(text string, secrets []string) string {
	for _, secret := range secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret))} {
			text = strings.ReplaceAll(text, form, "[key]")
		}
	}
	return line(redact.Text(line(text, 4*maxSaid)), maxSaid)
}
