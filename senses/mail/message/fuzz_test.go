package message

import (
	"reflect"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzParse: whatever the bytes are, reading them ends within bounds, and twice
// the same.
func FuzzParse(f *testing.F) {
	for _, path := range goldens(f) {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		whole := crlf(archive.Files[0].Data)
		f.Add(whole)
		f.Add(whole[:2*len(whole)/3])
	}
	for _, c := range addressCases {
		f.Add([]byte("From: " + c.value + "\r\nDate: " + c.value + "\r\n\r\n"))
	}
	for _, write := range hostile() {
		raw := write()
		f.Add([]byte(raw[:min(len(raw), 4<<10)]))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Parse(raw)
		if err != nil {
			return
		}
		check(t, m)
		if again, err := Parse(raw); err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("another result the second time: %v", err)
		}
	})
}

// FuzzText: the text of any HTML is clean, and what is fresh of any text is part
// of it.
func FuzzText(f *testing.F) {
	for _, path := range goldens(f) {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(archive.Files[0].Data))
		f.Add(string(archive.Files[1].Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var notes cuts
		text = text[:min(len(text), maxMessage)]
		for _, readable := range []string{tidy(clean(htmlText(text, &notes))), tidy(clean(text)), tidy(clean(unflow(clean(text), true)))} {
			checkText(t, "text", readable)
			checkFresh(t, readable, fresh(readable))
		}
	})
}
