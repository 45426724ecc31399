package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// MaxNote and MaxHint are the longest note and focus hint, in bytes.
	MaxNote = 2000
	MaxHint = 280
	// MaxTicks and DefaultTicks are how many reports a page has.
	MaxTicks     = 100
	DefaultTicks = 20

	// MaxLater is how far ahead a snooze or a reminder can be.
	MaxLater = 366 * 24 * time.Hour

	// MaxID is the longest id of anything, in bytes.
	MaxID = 96

	maxID     = MaxID
	maxThread = 32
)

// CommandRequest is the body of POST /v1/commands: a command without what the
// server knows better than its client.
type CommandRequest struct {
	// As is the name of the agent that speaks; empty for the person. Nothing is
	// learnt from an agent's answers, and it confirms nothing.
	As    string                   `json:"as,omitempty"`
	Kind  subconscious.CommandKind `json:"kind"`
	Entry subconscious.EntryID     `json:"entry,omitempty"`
	// Incident instead of Entry: ack, dismiss, snooze, remind and close take
	// either.
	Incident subconscious.IncidentID `json:"incident,omitempty"`
	Thread   subconscious.ThreadName `json:"thread,omitempty"`
	Text     string                  `json:"text,omitempty"`
	Forever  bool                    `json:"forever,omitempty"` // close, dismiss
	// Feedback is the word of an ack: useful, not_useful, or none.
	Feedback subconscious.Feedback `json:"feedback,omitempty"`
	// Until (RFC 3339) or For (as Go writes durations: "2h") is when snooze and
	// remind let it speak again, at most MaxLater ahead. A snooze may have
	// neither.
	Until string `json:"until,omitempty"`
	For   string `json:"for,omitempty"`
}

// pauseBody is the body of POST /v1/pause.
type pauseBody struct {
	For string `json:"for"` // as Go writes durations: "2h", "1h30m"; empty: until resumed
}

func badRequest(next, format string, args ...any) error {
	return Errorf(CodeBadRequest, next, format, args...)
}

// decode reads exactly one JSON object of the fields of T. No body at all is an
// empty object.
func decode[T any](body []byte) (T, error) {
	var value T
	if len(bytes.TrimSpace(body)) == 0 {
		return value, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if bytes.TrimSpace(body)[0] != '{' {
		return value, badRequest("send one JSON object", "the body is not a JSON object")
	}
	if err := decoder.Decode(&value); err != nil {
		return value, badRequest("send one JSON object with the documented fields", "the body cannot be read: %s", decodeText(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return value, badRequest("send one JSON object and nothing after it", "the body goes on after its first object")
	}
	return value, nil
}

// decodeText says what is wrong with a body in words that name no type of Go.
func decodeText(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		article := "a"
		if strings.HasPrefix(wrong.Value, "array") || strings.HasPrefix(wrong.Value, "object") {
			article = "an"
		}
		return fmt.Sprintf("%s: %s %s is not what belongs there", clip(wrong.Field), article, wrong.Value)
	}
	text := subconscious.Printable(strings.TrimPrefix(err.Error(), "json: "))
	if len(text) > 120 {
		text = strings.ToValidUTF8(text[:120], "") + "…"
	}
	return text
}

// decodeTick reads the body of POST /v1/tick.
func decodeTick(body []byte) (TickRequest, error) {
	request, err := decode[TickRequest](body)
	if err != nil {
		return TickRequest{}, err
	}
	if request.Thread != "" {
		if err := checkThread(subconscious.ThreadName(request.Thread)); err != nil {
			return TickRequest{}, err
		}
	}
	return request, nil
}

// decodeModelTest reads the body of POST /v1/models/test.
func decodeModelTest(body []byte) (ModelTestRequest, error) {
	request, err := decode[ModelTestRequest](body)
	if err == nil && request.Who != "" && !isName(request.Who, maxThread) {
		err = badRequest("use the id of a role or of a provider", "who: %q is neither a role nor a provider", clip(request.Who))
	}
	return request, err
}

// sinceQuery reads since of GET /v1/report: a time in RFC 3339. Without it the
// report is of the last 24 hours.
func sinceQuery(query url.Values, now time.Time) (time.Time, error) {
	for key, values := range query {
		if key != "since" || len(values) != 1 {
			return time.Time{}, badRequest("use since, once", "the query has %q, or has it more than once", clip(key))
		}
	}
	text := query.Get("since")
	if text == "" {
		return now.Add(-24 * time.Hour), nil
	}
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, badRequest(`write it like "2026-03-14T08:00:00Z"`, "since: %q is not a time", clip(text))
	}
	if since.After(now) {
		return time.Time{}, badRequest("name a time that is past", "since: %s is not yet", clip(text))
	}
	return since, nil
}

// decodePause reads the body of POST /v1/pause.
func decodePause(body []byte) (PauseRequest, error) {
	request, err := decode[pauseBody](body)
	if err != nil || request.For == "" {
		return PauseRequest{}, err
	}
	length, err := time.ParseDuration(request.For)
	if err != nil {
		return PauseRequest{}, badRequest(`write it with its unit, like "90m" or "2h"`, "for: %q is not a length of time", clip(request.For))
	}
	if length <= 0 || length > MaxPause {
		return PauseRequest{}, badRequest("leave it out to pause until resumed", "for: %s is not between 0 and 366 days", length)
	}
	return PauseRequest{For: length}, nil
}

// decodeResume reads the body of POST /v1/resume, which says nothing.
func decodeResume(body []byte) (PauseRequest, error) {
	_, err := decode[struct{}](body)
	return PauseRequest{Resume: true}, err
}

// pageQuery reads limit and before of GET /v1/ticks.
func pageQuery(query url.Values) (before int64, limit int, err error) {
	limit = DefaultTicks
	for key, values := range query {
		if !slices.Contains([]string{"limit", "before"}, key) || len(values) != 1 {
			return 0, 0, badRequest("use limit and before, each once", "the query has %q, or has it more than once", clip(key))
		}
		n, err := number(values[0])
		if err != nil {
			return 0, 0, badRequest("use a whole number above 0", "%s: %w", key, err)
		}
		if key == "before" {
			before = n
			continue
		}
		limit = int(min(n, MaxTicks))
	}
	return before, limit, nil
}

// number reads a whole number above 0.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not a whole number above 0", clip(text))
	}
	return n, nil
}

func checkEntry(id subconscious.EntryID) error {
	if isName(string(id), maxID) {
		return nil
	}
	return badRequest("take an id from `subconsciousctl status`", "entry: %q is not an entry's id", clip(string(id)))
}

func checkThread(name subconscious.ThreadName) error {
	if isName(string(name), maxThread) {
		return nil
	}
	return badRequest("use watcher, librarian, oracle, dreamer, or one of your own", "thread: %q is not a thread's name", clip(string(name)))
}

func checkText(text string, most int) error {
	switch {
	case len(text) > most:
		return badRequest("make it shorter, or put it into a file of a notes folder", "text: %d bytes, and at most %d are taken", len(text), most)
	case !utf8.ValidString(text):
		return badRequest("send UTF-8", "text: it is not valid UTF-8")
	}
	return nil
}

// isName reports whether text is 1 to most bytes of lower-case letters, digits,
// hyphens and underscores.
func isName(text string, most int) bool {
	return text != "" && len(text) <= most && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '-' && r != '_' && !unicode.IsDigit(r) && (!unicode.IsLetter(r) || unicode.IsUpper(r))
	})
}

// clip shortens what a client sent, so that an answer never repeats much of it.
func clip(text string) string {
	return subconscious.Clip(subconscious.Printable(text), 43)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
