package conversation_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
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
	testutil.Archives(t, *update, "testdata/*.txtar", 8, func(t *testing.T, _ string, archive *txtar.Archive) {
		for i := range archive.Files {
			if f := &archive.Files[i]; f.Name != "given" {
				f.Data = []byte(run(t, f.Name, string(archive.Files[0].Data)))
			}
		}
		if len(archive.Files) < 2 {
			t.Fatal("no source")
		}
	})
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
