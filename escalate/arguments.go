package escalate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth is how deep what a model writes for a tool may be.
const maxDepth = 16

var errNoObject = errors.New("the arguments are no JSON object")

// Arguments reads what a model wrote for a tool: one JSON object, in which nothing
// is too deep or has a field twice, so that what one reader of it takes, each
// takes. Numbers are a json.Number. An error is in words for the model.
func Arguments(raw []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	read, err := argument(decoder, 0)
	if err != nil {
		return nil, err
	}
	object, ok := read.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON object")
	}
	return object, nil
}

// argument reads a value with all that is in it.
func argument(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, errNoObject
	}
	opening, nested := token.(json.Delim)
	if !nested {
		return token, nil
	}
	if depth >= maxDepth {
		return nil, fmt.Errorf("the arguments are more than %d deep", maxDepth)
	}
	object, known := map[string]any{}, map[string]bool{}
	for decoder.More() {
		name := ""
		if opening == '{' {
			token, err := decoder.Token()
			if err != nil {
				return nil, errNoObject
			}
			name, _ = token.(string)
			folded := strings.ToLower(strings.ToUpper(name)) // as encoding/json reads names
			if known[folded] {
				return nil, fmt.Errorf("the field %.40q is there twice", folded)
			}
			known[folded] = true
		}
		if object[name], err = argument(decoder, depth+1); err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, errNoObject
	}
	if opening == '[' {
		return []any{}, nil
	}
	return object, nil
}
