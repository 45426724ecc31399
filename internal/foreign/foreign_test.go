package foreign_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite what the cases of testdata want")

// TestParse reads testdata/*.txtar: each file NAME is a case, and NAME.want is
// how it was split. A file named plain is read as plain text.
func TestParse(t *testing.T) {
	testutil.Archives(t, *update, "testdata/*.txtar", 1, func(t *testing.T, _ string, archive *txtar.Archive) {
		wanting(t, archive, 1, func(f txtar.File) string { return describe(foreign.Parse(f.Data, f.Name == "plain")) })
	})
}

// wanting puts behind each file of an archive, at least that many, what is read
// of it.
func wanting(t *testing.T, archive *txtar.Archive, least int, read func(txtar.File) string) {
	t.Helper()
	var all []txtar.File
	for _, f := range archive.Files {
		if !strings.HasSuffix(f.Name, ".want") {
			all = append(all, f, txtar.File{Name: f.Name + ".want", Data: []byte(read(f))})
		}
	}
	if archive.Files = all; len(all)/2 < least {
		t.Errorf("%d cases, want %d", len(all)/2, least)
	}
}

var (
	kinds = map[foreign.Kind]string{foreign.Paragraph: "text", foreign.Item: "item", foreign.Heading: "head", foreign.Quote: "quote", foreign.Code: "code", foreign.Comment: "comment"}
	tasks = map[foreign.Task]string{foreign.Open: " open", foreign.Done: " done", foreign.Cancelled: " cancelled"}
)

func describe(d foreign.Document) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.Fields)) {
		fmt.Fprintf(&b, "field %d %s = %q\n", d.Fields[name].Line, name, d.Fields[name].Value)
	}
	for _, block := range d.Blocks {
		fmt.Fprintf(&b, "%d %s%s", block.Line, kinds[block.Kind], tasks[block.Task])
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		fmt.Fprintf(&b, " %q", block.Lines)
		if len(block.Headings) > 0 {
			fmt.Fprintf(&b, " under %s", strings.Join(block.Headings, " / "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParseIsBounded(t *testing.T) {
	t.Run("bytes", func(t *testing.T) {
		d := foreign.Parse([]byte(strings.Repeat("é", foreign.MaxBytes)), false)
		if !utf8.ValidString(d.Blocks[0].Text()) || len(d.Blocks[0].Text()) > foreign.MaxBytes {
			t.Errorf("%d bytes", len(d.Blocks[0].Text()))
		}
	})
	t.Run("blocks", func(t *testing.T) {
		d := foreign.Parse([]byte(strings.Repeat("- a\n", foreign.MaxBlocks+10)), false)
		if len(d.Blocks) != foreign.MaxBlocks {
			t.Errorf("%d blocks", len(d.Blocks))
		}
	})
	t.Run("invalid bytes", func(t *testing.T) {
		d := foreign.Parse([]byte("a\xffb"), false)
		if got := d.Blocks[0].Text(); got != "a\uFFFDb" {
			t.Errorf("got %q", got)
		}
	})
	for name, source := range map[string]string{
		"many fields": strings.Repeat("a: b\n", 1) + numbered("k%d: v\n", 300),
		"many values": "a: [" + strings.Repeat("x,", 2000) + "]\n",
		"deep flow":   "a: " + strings.Repeat("[", 5000) + "\n",
		"deep block":  nested(20),
		"alias":       "a: &x 1\nb: *x\n",
		"anchor list": "a: [&x 1]\n",
		"key anchor":  "&x a: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := foreign.Parse([]byte("---\n"+source+"---\nthe rest\n"), false)
			if len(d.Blocks) != 1 || d.Blocks[0].Text() != "the rest" {
				t.Errorf("the rest was not read: %+v", d.Blocks)
			}
		})
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func nested(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sk:\n", strings.Repeat(" ", i))
	}
	return b.String() + strings.Repeat(" ", n) + "v: 1\n"
}

func FuzzParse(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/markdown.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data, false)
		f.Add(file.Data, true)
	}
	f.Add([]byte(strings.Repeat("> ", 500)+"a"), false)
	f.Add([]byte(strings.Repeat("- ", 500)+"a"), false)
	f.Fuzz(func(t *testing.T, data []byte, plain bool) {
		d := foreign.Parse(data, plain)
		last := 0
		for _, b := range d.Blocks {
			if b.Line <= last || len(b.Lines) == 0 {
				t.Fatalf("block %+v after line %d", b, last)
			}
			last = b.Line
			if !utf8.ValidString(b.Text()) {
				t.Fatalf("block %+v is no UTF-8", b)
			}
			if len(b.Headings) > 6 {
				t.Fatalf("%d headings", len(b.Headings))
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"note":   strings.Repeat("# head\n\n- [ ] do a thing by Friday\n\nI will send the report\nby Friday to all of them.\n\n", 30),
		"quotes": strings.Repeat("> ", foreign.MaxBytes/2),
		"open":   strings.Repeat("[a](", foreign.MaxBytes/4),
		"lists":  strings.Repeat("- ", foreign.MaxBytes/2),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				foreign.Parse([]byte(text), false)
			}
		})
	}
}

// Of a list the first value counts.
func TestFirstOfAList(t *testing.T) {
	d := foreign.Parse([]byte("---\ndue: [null, 2026-11-27]\nnone: [null]\n---\ntext\n"), false)
	due, ok := d.Fields["due"]
	if _, none := d.Fields["none"]; !ok || due.Value != "2026-11-27" || none {
		t.Errorf("due is %q, %v; none is there: %v", due.Value, ok, none)
	}
}
