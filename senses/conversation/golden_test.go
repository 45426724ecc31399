package conversation_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

var update = flag.Bool("update", false, "rewrite what the cases of testdata want")

// TestScripts reads testdata/*.txtar. The file "given" is a script, and "log",
// "lines" and "markdown" are what is told of it where it is said in the mind's
// own log or stands in transcripts. A line of the script is one of
//
//	at 2026-11-16 10:00      the time from now on
//	trust owner              whose word the person's in transcripts are
//	tick                     a tick
//	restart                  the sense is opened afresh
//	remove roof              the transcript is deleted
//	roof WHO: TEXT           person, agent, mind or an agent's name says it; "\n" ends a line
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range archive.Files {
				f := &archive.Files[i]
				if f.Name == "given" {
					continue
				}
				got := run(t, f.Name, string(archive.Files[0].Data))
				if !*update && got != string(f.Data) {
					t.Errorf("%s\ngot\n%swant\n%s", f.Name, got, f.Data)
				}
				f.Data = []byte(got)
			}
			if len(archive.Files) < 2 {
				t.Fatal("no source")
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func run(t *testing.T, source, script string) string {
	w := newWorld(t, source)
	said := map[string]string{}
	var b strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "at":
			at, err := time.ParseInLocation("2006-01-02 15:04", rest, w.at.Location())
			if err != nil {
				t.Fatal(err)
			}
			w.at = at
		case "trust":
			w.config.Trust = subconscious.Trust(rest)
			w.restart()
		case "restart":
			w.restart()
		case "remove":
			if source != "log" {
				if err := os.Remove(w.file(rest)); err != nil {
					t.Fatal(err)
				}
			}
		case "tick":
			b.WriteString("tick " + w.at.Format("2 Jan 15:04") + "\n" + describe(w.tick(), said))
		default:
			who, text, ok := strings.Cut(rest, ": ")
			if !ok {
				t.Fatalf("line %q", line)
			}
			w.say(word, who, strings.ReplaceAll(text, `\n`, "\n"))
		}
	}
	return b.String()
}
