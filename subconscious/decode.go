package subconscious

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

const (
	// documentRead bounds what is read as a document, in bytes.
	documentRead = 1 << 20
	// problemsShown is how many of a document's problems are named.
	problemsShown = 10
)

// DecodeDocument reads a document strictly: a field that is unknown, missing,
// null or there twice, a second value, or anything that Validate refuses is an
// error that names it.
func DecodeDocument(data []byte) (Document, error) {
	doc, err := decodeDocument(data)
	if err != nil {
		return Document{}, fmt.Errorf("decode document: %w", err)
	}
	return doc, nil
}

func decodeDocument(data []byte) (doc Document, err error) {
	if len(data) > documentRead {
		return doc, fmt.Errorf("it has %d bytes, at most %d are read", len(data), documentRead)
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return doc, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := checkShape(dec, reflect.TypeFor[Document](), ""); err != nil {
		return doc, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return doc, errors.New("more than one JSON value")
	}
	return doc, doc.Validate()
}

// checkShape reads one value and compares it with its type: encoding/json by
// itself lets names differ in case, and values be absent, null or there twice.
func checkShape(dec *json.Decoder, t reflect.Type, path string) error {
	token, err := dec.Token()
	switch {
	case err != nil:
		return err
	case token == nil:
		return fmt.Errorf("%s: is null", strings.TrimPrefix(path, "."))
	case t == reflect.TypeFor[time.Time]():
		return nil
	case t.Kind() == reflect.Struct:
		return checkFields(dec, t, path)
	case t.Kind() == reflect.Map:
		return eachName(dec, path, func(name string) error { return checkShape(dec, t.Elem(), path+"."+name) })
	case t.Kind() == reflect.Slice:
		for i := 0; dec.More(); i++ {
			if err := checkShape(dec, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		_, err = dec.Token()
		return err
	}
	return nil
}

func checkFields(dec *json.Decoder, t reflect.Type, path string) error {
	fields, wanted := map[string]reflect.Type{}, map[string]bool{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name], wanted[name] = t.Field(i).Type, options == ""
	}
	err := eachName(dec, path, func(name string) error {
		field, known := fields[name]
		if !known {
			return fmt.Errorf("%s: is unknown", strings.TrimPrefix(path+"."+name, "."))
		}
		wanted[name] = false
		return checkShape(dec, field, path+"."+name)
	})
	if err != nil {
		return err
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); wanted[name] {
			return fmt.Errorf("%s: is missing", strings.TrimPrefix(path+"."+name, "."))
		}
	}
	return nil
}

// eachName calls value for each name of an object, to read what it names.
func eachName(dec *json.Decoder, path string, value func(name string) error) error {
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return fmt.Errorf("%s: is there twice", strings.TrimPrefix(path+"."+name, "."))
		}
		seen[name] = true
		if err := value(name); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}
