package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
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
	// MaxPage and DefaultPage are how many of anything a page has.
	MaxPage     = 100
	DefaultPage = 20
	// MaxWords is the longest text that is searched for, in bytes.
	MaxWords = 500

	// MaxLater is how far ahead a snooze or a reminder can be.
	MaxLater = 366 * 24 * time.Hour

	// MaxID is the longest id of anything, in bytes.
	MaxID = 96

	// elsewhere is what to do about a text that is too long.
	elsewhere = "make it shorter, or put it into a file of a notes folder"

	maxThread = 32
	maxHabit  = 256 // whose letters
	maxHash   = 128
)

// CommandRequest is the body of POST /v1/commands: a command without what the
// server knows better than its client.
type CommandRequest struct {
	// As is the name of the agent that speaks; empty for the person. Nothing is
	// learnt from an agent's answers, and it confirms nothing.
	As    string                   `json:"as,omitempty" is:"agent"`
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

// number reads a whole number above 0.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not a whole number above 0", clip(text))
	}
	return n, nil
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

// onlyOnce refuses parameters that are not among names, and those that are
// there twice.
func onlyOnce(query url.Values, names ...string) error {
	for key, values := range query {
		if !slices.Contains(names, key) || len(values) != 1 {
			return badRequest("use "+listed(names)+", each once", "the query has %q, or has it more than once", clip(key))
		}
	}
	return nil
}

// listed is names as a sentence lists them.
func listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// isID reports whether text is 1 to most bytes of letters, digits and "-_.", and
// begins with a letter or a digit.
func isID(text string, most int) bool {
	return text != "" && len(text) <= most && utf8.ValidString(text) && !strings.ContainsAny(text[:1], "-_.") &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return r != '-' && r != '_' && r != '.' && !unicode.IsDigit(r) && !unicode.IsLetter(r)
		})
}

// isHabit reports whether text is the name of a habit.
func isHabit(text string, most int) bool {
	return len(text) <= most && strings.ContainsAny(text, "@:") && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// kind is a sort of name that questions have: the field's tag "is".
type kind struct {
	most int // its length, in bytes
	ok   func(text string, most int) bool
	what string // what another text is not
	next string
}

// kinds are the names that questions have.
var kinds = map[string]kind{
	"entry":        {MaxID, isName, "not an entry's id", "take an id from `subconsciousctl status`"},
	"incident":     {MaxID, isName, "not an incident's id", "take an id from `subconsciousctl inbox`"},
	"thread":       {maxThread, isName, "not a thread's name", "use watcher, librarian, oracle, dreamer, or one of your own"},
	"asked":        {maxThread, isName, "neither a role nor a provider", "use the id of a role or of a provider"},
	"calibrated":   {maxThread, isName, "not one that is calibrated", "take it from `subconsciousctl calibration`, or leave it out"},
	"habit":        {maxHabit, isHabit, "not whose letters anything was learnt of", "take it from `subconsciousctl calibration`, as it stands there"},
	"channel":      {maxThread, isName, "not a channel's id", "take one from `subconsciousctl notify list`"},
	"agent":        {maxAgent, isName, "not an agent's name", "use lower-case letters, digits and hyphens"},
	"source":       {maxThread, isName, "not a source's id", "take it from senses.post in the configuration"},
	"tag":          {MaxTag, isName, "not a tag", "use lower-case letters, digits and hyphens"},
	"hash":         {maxHash, isName, "not a proposal's hash", "send the hash that the proposal was shown with"},
	"proposal":     {MaxID, isID, "not a proposal's id", "take an id from `subconsciousctl proposals`"},
	"run":          {MaxID, isID, "not a run's id", "take an id from `subconsciousctl undo --list`"},
	"deliberation": {MaxID, isID, "not a deliberation's id", "take it from `subconsciousctl why`"},
	"conversation": {MaxID, isID, "not a conversation's name", "take it from `subconsciousctl messages`, or use letters, digits and hyphens"},
	"memory":       {MaxID, isID, "not a memory's id", "take an id from `subconsciousctl memory list`"},
	"key":          {MaxID, isID, "not a key", "use letters, digits and hyphens"},
	"mark":         {MaxID, isID, "not a page's mark", "take it from the page before, as it stands there"},
}

// checkName refuses a text that is no name of that kind.
func checkName(field, is, text string) error {
	k := kinds[is]
	if k.ok(text, k.most) {
		return nil
	}
	return badRequest(k.next, "%s: %q is %s", field, clip(text), k.what)
}

// checkNames refuses a question in which a name is none of its kind. One that may
// be left out may be empty.
func checkNames(question reflect.Value) error {
	for field, value := range question.Fields() {
		is, ok := field.Tag.Lookup("is")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		path := field.Tag.Get("path")
		needed := path != "" || name != "" && options == ""
		name = cmp.Or(path, field.Tag.Get("query"), name)
		texts, ok := value.Interface().([]string)
		if !ok && (needed || value.String() != "") {
			texts = []string{value.String()}
		}
		for _, text := range texts {
			if err := checkName(name, is, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkText refuses a text that is too long, or no text.
func checkText(next, field, text string, most int) error {
	switch {
	case len(text) > most:
		return badRequest(next, "%s: %d bytes, and at most %d are taken", field, len(text), most)
	case !utf8.ValidString(text):
		return badRequest("send UTF-8", "%s: it is not valid UTF-8", field)
	}
	return nil
}

// plainWords are words to search for, one line of plain text.
func plainWords(words string) (string, error) {
	err := checkText("search for fewer words", "words", words, MaxWords)
	if err == nil && words != "" && !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		err = badRequest("search for a word", "words: there is none in %q", clip(words))
	}
	return strings.TrimSpace(subconscious.Printable(words)), err
}

// plainText checks a text of people and drops what a screen would obey and not
// show; its lines stay.
func plainText(field, text string, most int) (string, error) {
	if err := checkText("make it shorter", field, text, most); err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(subconscious.Printable(line), " ")
	}
	text = strings.TrimSpace(strings.Join(lines, "\n"))
	if text == "" {
		return "", badRequest("write a few words", "%s: it is empty", field)
	}
	return text, nil
}
