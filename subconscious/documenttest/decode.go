// Package documenttest reads subconscious.json as strictly as its schema
// describes it, for tests and evaluations of what publishes it. The daemon
// itself never reads it.
package documenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const largest = 1 << 20 // of what is published, in bytes

// Decode returns the document that data holds. Whatever the schema does not
// take, what is not as it would be written again, such as a name that is there
// twice, and what the schema cannot say are errors.
func Decode(data []byte) (subconscious.Document, error) {
	doc, err := decode(data)
	if err != nil {
		return subconscious.Document{}, fmt.Errorf("decode document: %w", err)
	}
	return doc, nil
}

func decode(data []byte) (doc subconscious.Document, err error) {
	if len(data) > largest {
		return doc, fmt.Errorf("it has %d bytes, at most %d are published", len(data), largest)
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return doc, err
	}
	if err := takenBySchema(data); err != nil {
		return doc, err
	}
	var compact, again bytes.Buffer
	encoder := json.NewEncoder(&again)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return doc, err
	}
	if err := json.Compact(&compact, data); err != nil {
		return doc, err
	}
	if written := bytes.TrimSuffix(again.Bytes(), []byte("\n")); !bytes.Equal(compact.Bytes(), written) {
		return doc, fmt.Errorf("it would be written again as %s", written)
	}
	return doc, entries(doc)
}

func takenBySchema(data []byte) error {
	var schema jsonschema.Schema
	if err := json.Unmarshal(subconscious.Schema, &schema); err != nil {
		return err
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}

// entries checks of entries what a schema cannot say: it counts characters and
// not bytes, and compares neither times nor entries.
func entries(doc subconscious.Document) error {
	seen := map[subconscious.EntryID]bool{}
	for _, e := range slices.Concat(doc.ActiveThreads, doc.Patterns, doc.Hunches, doc.Insights) {
		words := len(strings.Fields(e.Summary))
		switch {
		case seen[e.ID]:
			return fmt.Errorf("%q is used twice", e.ID)
		case words == 0 || words > subconscious.SummaryWords:
			return fmt.Errorf("%s: the summary has %d words", e.ID, words)
		case len(e.Summary) > subconscious.SummaryBytes:
			return fmt.Errorf("%s: the summary is %d bytes long", e.ID, len(e.Summary))
		case e.LastSeen.IsZero():
			return fmt.Errorf("%s: last_seen is missing", e.ID)
		}
		seen[e.ID] = true
	}
	return nil
}
