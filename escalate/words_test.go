package escalate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestWords writes messages of testdata/words.txtar: each file is a wish as
// JSON, how it was told before, and the message that is made of it.
func TestWords(t *testing.T) {
	const file = "testdata/words.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil || len(archive.Files) < 10 {
		t.Fatalf("there were 10 wishes and more: %v", err)
	}
	for i, f := range archive.Files {
		wish, golden, _ := bytes.Cut(f.Data, []byte("\n---\n"))
		var given struct {
			subconscious.Asked
			Severity, Before subconscious.Severity
			Again            string
			Sense            string
			In               string // until it is due
		}
		if err := json.Unmarshal(wish, &given); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		in := plainInput()
		asked := &in.Asked[0].Asked
		asked.Summary, asked.Reason = given.Summary, given.Reason
		in.Evidence[0].Latest.Severity = given.Severity
		if given.Kind != "" {
			asked.Kind = given.Kind
		}
		if given.In != "" {
			ahead, err := time.ParseDuration(given.In)
			if err != nil {
				t.Fatal(err)
			}
			asked.Due = noon.Add(ahead)
		}
		switch given.Again {
		case "":
		case "reminder":
			toldBefore(&in, 26*time.Hour, given.Before)
			telling(&in).Remind, telling(&in).Feedback = noon, subconscious.Useful
		case "returned":
			toldBefore(&in, 26*time.Hour, given.Before)
			telling(&in).State = subconscious.TellingResolved
		default:
			toldBefore(&in, 3*time.Hour, given.Before)
		}
		out := escalate.Decide(in)
		all := messages(out)
		if len(all) != 1 {
			t.Fatalf("%s: %d messages: %s", f.Name, len(all), asJSON(out.Decisions))
		}
		checkMessage(t, all[0])
		text := fmt.Sprintf("%s\n%s\n", all[0].Title, all[0].Text)
		if *update {
			archive.Files[i].Data = fmt.Appendf(nil, "%s\n---\n%s", bytes.TrimSpace(wish), text)
			continue
		}
		if text != string(golden) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name, text, golden)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDigestWords checks that a digest names the most important and counts the
// rest, however many and however long.
func TestDigestWords(t *testing.T) {
	for _, n := range []int{1, 2, 9, 200} {
		for _, length := range []int{0, 5, 60, 400} {
			p := newPlay(t, noon.Add(-4*time.Hour))
			for i := range n {
				name := fmt.Sprintf("file%d", i)
				p.thing(name, "file")
				p.happen(name, subconscious.Appeared, 0)
				p.ask(p.key(name), subconscious.Asked{Thread: subconscious.Watcher, Kind: subconscious.KindIdea, Importance: 5, Summary: strings.Repeat("ä", length)}, name)
			}
			p.decide()
			p.at = noon
			out := p.decide()
			if len(out.Digests) != 1 || len(out.Digests[0].Incidents) != n {
				t.Fatalf("%d digests", len(out.Digests))
			}
			checkMessage(t, out.Digests[0].Message)
			if n > 9 && !strings.Contains(out.Digests[0].Message.Text, " more") {
				t.Errorf("%q counts nothing", out.Digests[0].Message.Text)
			}
		}
	}
}
