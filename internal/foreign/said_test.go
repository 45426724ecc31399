package foreign_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// readSaid reads a case of testdata/said.
func readSaid(file string, data []byte) []foreign.Said {
	if file == "markdown.txtar" {
		return foreign.ReadTranscript(data)
	}
	var all []foreign.Said
	for line := range bytes.Lines(data) {
		if said, ok := foreign.ReadLine(line); ok {
			all = append(all, said)
		} else {
			all = append(all, foreign.Said{Text: "not a line"})
		}
	}
	return all
}

// TestSaid reads testdata/said/*.txtar as TestParse does.
func TestSaid(t *testing.T) {
	testutil.Archives(t, *update, "testdata/said/*.txtar", 2, func(t *testing.T, path string, archive *txtar.Archive) {
		wanting(t, archive, 5, func(f txtar.File) string { return describeSaid(readSaid(filepath.Base(path), f.Data)) })
	})
}

func describeSaid(all []foreign.Said) string {
	var b strings.Builder
	for _, s := range all {
		by := string(s.By)
		if by == "" {
			by = "nobody"
		}
		fmt.Fprintf(&b, "%s %q", by, s.Text)
		if s.Name != "" {
			fmt.Fprintf(&b, " name=%s", s.Name)
		}
		if s.ID != "" {
			fmt.Fprintf(&b, " id=%s", s.ID)
		}
		if !s.At.IsZero() {
			fmt.Fprintf(&b, " at=%s", s.At.Format(time.RFC3339Nano))
		}
		if s.Calls {
			b.WriteString(" calls")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestSaidIsBounded(t *testing.T) {
	long := strings.Repeat("é", foreign.MaxSaid)
	line := testutil.JSON(t, map[string]string{"role": "user", "content": long})
	said, ok := foreign.ReadLine(line)
	if !ok || len(said.Text) > foreign.MaxSaid || !utf8.ValidString(said.Text) {
		t.Errorf("a long message: read %v, %d bytes", ok, len(said.Text))
	}
	if _, ok := foreign.ReadLine([]byte(`{"role":"user","content":"` + strings.Repeat("a", foreign.MaxLine) + `"}`)); ok {
		t.Error("a line that is too long was read")
	}
	if _, ok := foreign.ReadLine([]byte(`{"role":"user","content":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`)); ok {
		t.Error("a line nested 20,000 deep was read")
	}
	many := foreign.ReadTranscript([]byte(strings.Repeat("User: a\n", foreign.MaxMessages+10)))
	if len(many) != foreign.MaxMessages {
		t.Errorf("%d messages, want %d", len(many), foreign.MaxMessages)
	}
	tags := strings.Repeat("<a-b>\n", 5000)
	if said, _ := foreign.ReadLine([]byte(fmt.Sprintf(`{"role":"user","content":%q}`, tags))); said.Text != "" {
		t.Errorf("tags that are never closed: %d bytes", len(said.Text))
	}
}

// check holds what is true of every message.
func check(t *testing.T, s foreign.Said) {
	t.Helper()
	if len(s.Text) > foreign.MaxSaid || !utf8.ValidString(s.Text) || !utf8.ValidString(s.Name) || len(s.Name) > 64 || len(s.ID) > 128 {
		t.Fatalf("message %+v", s)
	}
	if s.By == foreign.Nobody && (s.Text != "" || s.Calls) {
		t.Fatalf("nobody says %+v", s)
	}
	if year := s.At.UTC().Year(); !s.At.IsZero() && (year < 1990 || year > 2100) {
		t.Fatalf("said at %v", s.At)
	}
}

func FuzzReadLine(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/said/lines.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		for line := range bytes.Lines(file.Data) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		said, ok := foreign.ReadLine(line)
		if !ok && said != (foreign.Said{}) {
			t.Fatalf("no line, and %+v", said)
		}
		check(t, said)
	})
}

func FuzzReadTranscript(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/said/markdown.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, said := range foreign.ReadTranscript(data) {
			check(t, said)
			if said.By == foreign.Nobody {
				t.Fatalf("message %+v", said)
			}
		}
	})
}

func BenchmarkReadLine(b *testing.B) {
	for name, line := range map[string]string{
		"message": `{"type":"user","uuid":"u-1","timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":[{"type":"text","text":"` + strings.Repeat("Look at the roof. ", 20) + `"}]}}`,
		"result":  `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"` + strings.Repeat("x", 100<<10) + `"}]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				foreign.ReadLine([]byte(line))
			}
		})
	}
}
