package notes

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/internal/links"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// FuzzPromises reads any text as a note.
func FuzzPromises(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data, false)
		}
	}
	f.Add([]byte(strings.Repeat("I will ", 300)+"by Friday"), true)
	f.Add([]byte("- [ ] \xff\xfe by \x00 Friday ~~~~ [[[[ **"), false)
	f.Fuzz(func(t *testing.T, data []byte, plain bool) {
		found := readPromises(foreign.Parse(data, plain), "2026-11-20.md")
		if len(found) > maxPromises {
			t.Fatalf("%d promises", len(found))
		}
		seen := map[key]bool{}
		lines := strings.Count(string(data), "\n") + 1
		for _, p := range found {
			if p.title == "" || !utf8.ValidString(p.title) || strings.ContainsAny(p.title, "\n\r\t") {
				t.Fatalf("title %q", p.title)
			}
			if seen[p.key] {
				t.Fatalf("%q comes twice", p.title)
			}
			seen[p.key] = true
			if p.line < 1 || p.line > lines {
				t.Fatalf("line %d of %d", p.line, lines)
			}
			base := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
			if (p.dated != "") != !p.resolve(base).IsZero() {
				t.Fatalf("%q: dated %q and due %v", p.title, p.dated, p.resolve(base))
			}
			for _, link := range links.Of(p.source) {
				if scheme, rest, ok := strings.Cut(link, ":"); !ok || scheme == "" || rest == "" || !utf8.ValidString(link) {
					t.Fatalf("link %q", link)
				}
			}
		}
	})
}

// FuzzEntry reads any bytes as a row, and back what it writes.
func FuzzEntry(f *testing.F) {
	f.Add((&entry{mtime: 1, size: 2, hash: 3, origin: "a.md", open: true, memos: []memo{{due: 4, gone: 5}}, lines: []uint32{6, 7}}).encode())
	f.Add([]byte{entryVersion, 0})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, row []byte) {
		e, err := decodeEntry(row)
		if err != nil {
			return
		}
		again, err := decodeEntry(e.encode())
		if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", e) {
			t.Fatalf("%+v became %+v, %v", e, again, err)
		}
	})
}

// TestRowFits: the largest row is one that the ledger keeps.
func TestRowFits(t *testing.T) {
	e := &entry{mtime: time.Now().UnixNano(), size: 1 << 20, hash: 1 << 63, origin: strings.Repeat("x", bounds.Path), memos: make([]memo, 2*maxPromises), lines: make([]uint32, maxLines)}
	for i := range e.memos {
		e.memos[i] = memo{due: 1 << 40, gone: 1 << 40}
	}
	if n := len(e.encode()); n > senses.MaxRowValue {
		t.Errorf("%d bytes, more than %d", n, senses.MaxRowValue)
	}
}

// BenchmarkHostile reads files of 1 MiB that are made to take long.
func BenchmarkHostile(b *testing.B) {
	for _, piece := range []string{
		"I will ", "I will send it by Friday. ", "I will send it\n", "~~", "[[", "[a](", "*a", "_a ", "`", "ich werde ", "by the ", "a.", "1.2. ", "\"“", "TODO: ",
		"- [ ] a\n", "- [ ] by Friday at 15:00 on /var https://example.com/ invoice 4711 ", "> ", "é", "wenn, ",
	} {
		text := []byte(strings.Repeat(piece, foreign.MaxBytes/len(piece)))
		b.Run(strings.TrimSpace(strings.Map(func(r rune) rune {
			if r == '/' || r == '\n' {
				return -1
			}
			return r
		}, piece)), func(b *testing.B) {
			for b.Loop() {
				for _, p := range readPromises(foreign.Parse(text, false), "a.md") {
					links.Of(folder.Head(p.source, 4*prose.MaxSentence))
				}
			}
		})
	}
}
