package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Bounds of what is looked through for JSON.
const (
	maxAnswerText = 256 << 10 // bytes
	maxDepth      = 64
	maxObjects    = 32
)

// What can be wrong with an answer, in words that a model understands.
var (
	errEmpty     = errors.New("it is empty")
	errThoughts  = errors.New("it has thoughts and no answer")
	errNoObject  = errors.New("there is no JSON object in it")
	errArray     = errors.New("it is a JSON array, not an object")
	errAmbiguous = errors.New("there is more than one JSON object in it, and they differ")
	errCut       = errors.New("its JSON ends in the middle")
	errBroken    = errors.New("its JSON cannot be read")
	errLarge     = fmt.Errorf("it is larger than %d KiB", maxAnswerText>>10)
	errDeep      = fmt.Errorf("its JSON is nested deeper than %d", maxDepth)
)

// Extract finds the one JSON object in what a model wrote: behind its thoughts,
// in a fence, between words. Small slips are repaired, where that adds and drops
// no letter and no digit: a comma too many, quotes of the wrong kind, closing
// brackets that are missing at the end. What remains in doubt is an error.
//
// The object comes back with sorted keys, each of them once.
func Extract(text string) (object json.RawMessage, repaired bool, err error) {
	if len(text) > maxAnswerText {
		return nil, false, errLarge
	}
	text = strings.ToValidUTF8(text, "�")
	if strings.TrimSpace(text) == "" {
		return nil, false, errEmpty
	}
	found, err := candidates(text)
	if err != nil {
		return nil, false, err
	}
	if object, err := onlyOne(found, strictObject); object != nil || err != nil {
		return object, false, err
	}
	object, err = onlyOne(found, repairedObject)
	if object == nil && err == nil {
		err = errBroken
		if last := found[len(found)-1]; last.open {
			err = errCut
		}
	}
	return object, err == nil, err
}

// onlyOne returns what read makes of the candidates, if it is the same for all
// that it can read; nil if it can read none.
func onlyOne(found []candidate, read func(candidate) json.RawMessage) (json.RawMessage, error) {
	var only json.RawMessage
	for _, c := range found {
		object := read(c)
		if object == nil {
			continue
		}
		if only != nil && !bytes.Equal(only, object) {
			return nil, errAmbiguous
		}
		only = object
	}
	return only, nil
}

// strictObject reads JSON as it stands, and writes it anew.
func strictObject(c candidate) json.RawMessage {
	if c.open {
		return nil
	}
	return asObject(c.text)
}

// asObject returns nil where text is no JSON object.
func asObject(text string) json.RawMessage {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil || decoder.More() {
		return nil
	}
	written, err := plainJSON(object)
	if err != nil {
		return nil
	}
	return written
}
