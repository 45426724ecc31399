package deliberate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxArguments bounds what a model writes for one tool, in bytes, maxDepth
	// how deep it is.
	maxArguments = 16 << 10
	maxDepth     = 16
)

// decode reads the arguments of a tool: one object of known fields, none of them
// twice. An error is in words for the model.
func decode(arguments string, into any) error {
	if len(arguments) > maxArguments {
		return fmt.Errorf("the arguments have %d bytes, and may have %d", len(arguments), maxArguments)
	}
	if err := single([]byte(arguments)); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(arguments)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("the arguments do not fit: %w", err)
	}
	return nil
}

// single refuses what is not one object, is too deep, or has a field twice: what
// one reader of it takes, each takes.
func single(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	first, err := decoder.Token()
	if err != nil || first != json.Delim('{') {
		return errors.New("the arguments are no JSON object")
	}
	if err := object(decoder, 1); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one JSON object")
	}
	return nil
}

// object reads up to the end of an object that was begun.
func object(decoder *json.Decoder, depth int) error {
	fields := map[string]bool{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return errors.New("the arguments are no JSON object")
		}
		text, _ := name.(string)
		text = strings.ToLower(strings.ToUpper(text)) // as the decoder reads names
		if fields[text] {
			return fmt.Errorf("the field %.40q is there twice", text)
		}
		fields[text] = true
		if err := value(decoder, depth); err != nil {
			return err
		}
	}
	return closed(decoder)
}

func value(decoder *json.Decoder, depth int) error {
	token, err := decoder.Token()
	switch {
	case err != nil:
		return errors.New("the arguments are no JSON object")
	case depth >= maxDepth && (token == json.Delim('{') || token == json.Delim('[')):
		return fmt.Errorf("the arguments are more than %d deep", maxDepth)
	case token == json.Delim('{'):
		return object(decoder, depth+1)
	case token == json.Delim('['):
		for decoder.More() {
			if err := value(decoder, depth+1); err != nil {
				return err
			}
		}
		return closed(decoder)
	}
	return nil
}

func closed(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return errors.New("the arguments are no JSON object")
	}
	return nil
}
