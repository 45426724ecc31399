package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// titles are what was told, by title.
func titles(changes []subconscious.Observation) string {
	var all []string
	for _, o := range changes {
		all = append(all, o.Title)
	}
	return strings.Join(all, "; ")
}

func wantTold(t *testing.T, what string, changes []subconscious.Observation, want string) {
	t.Helper()
	if got := titles(changes); got != want {
		t.Errorf("%s: told %q, want %q", what, got, want)
	}
}

func TestMarkedTranscript(t *testing.T) {
	for _, source := range []string{"lines", "markdown"} {
		w := newWorld(t, source)
		w.tick()
		w.say("roof", "person", subconscious.Mark)
		w.say("roof", "person", "I'll send the plan by Friday.")
		wantTold(t, source+", marked from the first", w.tick(), "")
		w.say("garden", "person", "I'll send the plan by Friday.")
		wantTold(t, source, w.tick(), "I'll send the plan by Friday")
		w.write("garden", subconscious.Mark+"\n")
		if w.tick(); len(w.standing) > 0 {
			t.Errorf("%s: marked later, and there stand %v", source, w.standing)
		}
	}
}

// TestTurnUnderWay: what an agent says is told when it has stopped, and of a
// markdown transcript that is being written the last message waits.
func TestTurnUnderWay(t *testing.T) {
	for _, source := range []string{"lines", "markdown"} {
		w := newWorld(t, source)
		w.tick()
		w.say("roof", "codex", "Shall I begin?")
		w.touch("roof", w.at.Add(10*time.Second)) // a collect comes 15 seconds after w.at
		wantTold(t, source+", under way", w.tick(), "")
		w.restart()
		wantTold(t, source+", under way, after a restart", w.tick(), "")
		w.touch("roof", w.at)
		wantTold(t, source+", at rest", w.tick(), "codex asks: Shall I begin?")
		wantTold(t, source+", again", w.tick(), "")
	}
}

func TestLineInTwoParts(t *testing.T) {
	w := newWorld(t, "lines")
	w.tick()
	line := `{"role":"user","content":"hello there"}`
	w.append("roof", line[:20])
	wantTold(t, "half a line", w.tick(), "")
	w.append("roof", line[20:])
	wantTold(t, "a whole line without its end", w.tick(), "hello there")
	w.append("roof", "\n"+strings.ReplaceAll(line, "hello", "good day")+"\n")
	wantTold(t, "the next", w.tick(), "good day there")
	w.append("roof", `{"role":"user","content":"`+strings.Repeat("x", 1<<20)+"\"}\n"+strings.ReplaceAll(line, "hello", "well")+"\n")
	wantTold(t, "behind a line that is too long", w.tick(), "well there")
}

func TestTooLarge(t *testing.T) {
	for source, size := range map[string]int64{"lines": 64<<20 + 1, "markdown": 1<<20 + 1} {
		w := newWorld(t, source)
		w.say("roof", "person", "I'll send the plan by Friday.")
		w.tick()
		if err := os.Truncate(w.file("roof"), size); err != nil {
			t.Fatal(err)
		}
		batch := w.collect()
		w.commit(batch)
		if !strings.Contains(batch.Degraded, "too large") || len(w.standing) != 1 || len(batch.Changes) > 0 {
			t.Errorf("%s: degraded %q, standing %v, told %s", source, batch.Degraded, w.standing, titles(batch.Changes))
		}
		if err := os.Remove(w.file("roof")); err != nil {
			t.Fatal(err)
		}
		if batch := w.collect(); batch.Degraded != "" {
			t.Errorf("%s: degraded %q", source, batch.Degraded)
		}
	}
}

// TestRewrittenLong: a transcript of which only the last messages are known by
// hash is written anew.
func TestRewrittenLong(t *testing.T) {
	for _, source := range []string{"lines", "markdown"} {
		w := newWorld(t, source)
		w.tick()
		line := func(n int) string {
			if source == "markdown" {
				return fmt.Sprintf("**User:** number %d\n\n", n)
			}
			return fmt.Sprintf("{\"role\":\"user\",\"content\":\"number %d\"}\n", n)
		}
		lines := func(from, to int) string {
			var b strings.Builder
			for n := from; n < to; n++ {
				b.WriteString(line(n))
			}
			return b.String()
		}
		w.append("roof", lines(0, 1000))
		if told := w.tick(); len(told) != 1000 {
			t.Fatalf("%s: %d told", source, len(told))
		}
		w.append("roof", line(1000))
		wantTold(t, source+", added to", w.tick(), "number 1000")
		w.at = w.at.Add(time.Minute)
		w.write("roof", lines(500, 1002))
		wantTold(t, source+", cut at its head", w.tick(), "number 1001")
		w.restart()
		w.write("roof", line(2000)+lines(3, 1003))
		wantTold(t, source+", with another head", w.tick(), "number 1002")
		w.write("roof", lines(5000, 5010))
		if told := w.tick(); len(told) != 10 {
			t.Errorf("%s: of another conversation %d were told", source, len(told))
		}
	}
}

// TestFlood: more than one collect tells comes later, and once.
func TestFlood(t *testing.T) {
	for _, source := range []string{"log", "lines", "markdown"} {
		w := newWorld(t, source)
		w.tick()
		const many = 4500
		var b strings.Builder
		for n := range many {
			switch source {
			case "log":
				w.say("roof", "person", fmt.Sprint("number ", n))
			case "lines":
				fmt.Fprintf(&b, "{\"role\":\"user\",\"content\":\"number %d\"}\n", n)
			default:
				fmt.Fprintf(&b, "**User:** number %d\n", n)
			}
		}
		if source != "log" {
			w.append("roof", b.String())
		}
		told := map[string]int{}
		for range 3 {
			batch := w.collect()
			if len(batch.Changes) > 4200 {
				t.Fatalf("%s: %d changes in one collect", source, len(batch.Changes))
			}
			w.commit(batch)
			for _, o := range batch.Changes {
				told[o.Title]++
			}
		}
		for title, n := range told {
			if n != 1 {
				t.Fatalf("%s: %q told %d times", source, title, n)
			}
		}
		if len(told) != many {
			t.Errorf("%s: %d of %d told", source, len(told), many)
		}
		for key, row := range w.All {
			if len(row) > 32<<10 {
				t.Errorf("%s: the row %s has %d bytes", source, key, len(row))
			}
		}
	}
}

// TestSessionGoesOn: a session that goes on in a new file repeats what was said,
// and a found transcript of last month is no news.
func TestSessionGoesOn(t *testing.T) {
	w := newWorld(t, "lines")
	w.tick()
	line := func(id, text string, at time.Time) string {
		return fmt.Sprintf("{\"type\":\"user\",\"uuid\":%q,\"timestamp\":%q,\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":%q}}\n", id, at.Format(time.RFC3339), text)
	}
	w.append("one", line("u1", "first", w.at)+line("u2", "second", w.at))
	wantTold(t, "the first file", w.tick(), "first; second")
	w.append("two", `{"type":"summary","summary":"x"}`+"\n"+line("u1", "first", w.at)+line("u2", "second", w.at)+line("u3", "third", w.at))
	wantTold(t, "the second file", w.tick(), "third")
	w.append("old", line("u9", "long ago", w.at.AddDate(0, -1, 0))+line("u10", "I'll pay by 2026-12-01", w.at.AddDate(0, -1, 0)))
	wantTold(t, "an old file", w.tick(), "")
}

// TestRotatedKeepsOpen: what is open in a transcript that is rotated stands, and
// is ended by what is said in the new one.
func TestRotatedKeepsOpen(t *testing.T) {
	w := newWorld(t, "lines")
	w.tick()
	w.say("roof", "codex", "Shall I begin?")
	w.tick()
	if err := os.Rename(w.file("roof"), w.file("roof.1")); err != nil {
		t.Fatal(err)
	}
	w.say("roof", "person", "Yes.")
	wantTold(t, "rotated", w.tick(), "; Yes.")
	if len(w.standing) > 0 {
		t.Errorf("there stand %v", w.standing)
	}
}

func TestWhatIsNotRead(t *testing.T) {
	w := newWorld(t, "lines")
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	const line = "{\"role\":\"user\",\"content\":\"I'll pay by 2026-12-01\"}\n"
	testutil.Write(t, outside, line)
	for link, target := range map[string]string{"link.jsonl": outside, "dir": filepath.Dir(outside), "up": ".."} {
		if err := os.Symlink(target, filepath.Join(w.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "skipped", ".hidden", "node_modules"} {
		if err := os.Mkdir(filepath.Join(w.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		w.append(name+"/a", line)
	}
	w.append("draft-1", line)
	w.append("binary", "\x00"+line)
	appendTo(t, filepath.Join(w.dir, "a.txt"), line)
	w.config.Ignore = []string{"skipped/", "draft-*"}
	s, err := conversation.New(w.config, conversation.Options{Rows: w, Exclude: []string{filepath.Join(w.dir, "state")}})
	if err != nil {
		t.Fatal(err)
	}
	w.sense = s
	wantTold(t, "nothing of it", w.tick(), "")
	if _, err := conversation.New(w.config, conversation.Options{Exclude: []string{filepath.Dir(w.dir)}}); err == nil {
		t.Error("a folder inside the daemon's own was taken")
	}
}

// TestSecretsInNames: the name of a transcript is kept without its secrets, and
// the keys of rows hold none of it.
func TestSecretsInNames(t *testing.T) {
	const secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3xR6"
	if redact.Text(secret) == secret {
		t.Fatal("this is no secret")
	}
	w := newWorld(t, "lines")
	w.tick()
	w.say(secret, "person", "I'll send the plan by Friday, "+strings.Repeat("and so on ", 40)+secret)
	told := w.tick()
	if len(told) != 1 {
		t.Fatalf("told %s", titles(told))
	}
	o := told[0]
	if all := o.ID + o.Attrs["conversation"] + strings.Join(o.Links, " ") + o.Title; strings.Contains(all, secret) {
		t.Errorf("the secret is in %s", all)
	}
	for key, row := range w.All {
		if strings.Contains(key+string(row), secret) {
			t.Errorf("the secret is in the row %s: %s", key, row)
		}
	}
}

// TestUnreadableState: a cursor or a row that cannot be read is a first collect, and
// no error.
func TestUnreadableState(t *testing.T) {
	for _, source := range []string{"log", "lines"} {
		w := newWorld(t, source)
		w.tick()
		w.say("roof", "codex", "Shall I begin?")
		w.tick()
		for key := range w.All {
			w.All[key] = []byte(`{"o":-1`)
		}
		w.Cursor = []byte("x")
		w.restart()
		wantTold(t, source, w.tick(), "")
		w.say("roof", "person", "Yes.")
		wantTold(t, source+", later", w.tick(), "Yes.")
	}
}

func TestHostileMessages(t *testing.T) {
	w := newWorld(t, "log")
	w.tick()
	for _, text := range []string{
		strings.Repeat("I will pay by Friday. ", 20_000), strings.Repeat("> ", 30_000), strings.Repeat("a?", 30_000), strings.Repeat("[a](", 20_000),
		strings.Repeat("Shall I? ", 10_000), "\xff\xfe I'll send it by Friday", strings.Repeat("é", 40_000), "\u202eI'll send the plan by Friday", strings.Repeat("\n", 60_000) + "x",
	} {
		w.say("roof", "person", text)
		w.say("roof", strings.Repeat("n", 1000), text)
	}
	for _, o := range w.tick() {
		if len(o.Title) > 200 || len(o.Text) > 4<<10 || !utf8.ValidString(o.Title+o.Text) && utf8.ValidString(o.Title) || len(o.Attrs["name"]) > 64 || len(o.Links) > 16 {
			t.Errorf("%d bytes of title, %d of text, name %q, %d links", len(o.Title), len(o.Text), o.Attrs["name"], len(o.Links))
		}
		if o.Change != subconscious.Gone && (o.Title == "" || o.Title != subconscious.Printable(o.Title)) {
			t.Errorf("title %q", o.Title)
		}
	}
}

func TestLogOutOfOrder(t *testing.T) {
	w := newWorld(t, "log")
	w.tick()
	w.say("roof", "person", "one")
	w.say("roof", "person", "two")
	w.book.messages[1].ID = 1
	if _, err := w.sense.Collect(context.Background(), w.at, w.Cursor); err == nil {
		t.Error("no error")
	}
	w.book.messages[1].ID = 2
	w.book.broken = errors.New("closed")
	if _, err := w.sense.Collect(context.Background(), w.at, w.Cursor); !errors.Is(err, w.book.broken) {
		t.Errorf("error %v", err)
	}
	w.book.broken = nil
	told := w.tick()
	wantTold(t, "mended", told, "one; two")
	if want := subconscious.NewRef(conversation.Name, "chat/roof#1"); told[0].Ref() != want {
		t.Errorf("Ref is %s, want %s", told[0].Ref(), want)
	}
}

func TestValidate(t *testing.T) {
	good := conversation.Config{ID: "agents", Path: "/home/me/transcripts", Trust: subconscious.Owner, Ignore: []string{"*.bak"}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*conversation.Config){
		`id: "Chat"`:            func(c *conversation.Config) { c.ID = "Chat" },
		`id: "chat" is that of`: func(c *conversation.Config) { c.ID = "chat" },
		`path: "x"`:             func(c *conversation.Config) { c.Path = "x" },
		"ignore: pattern 1":     func(c *conversation.Config) { c.Ignore = []string{" "} },
		`trust: "machine"`:      func(c *conversation.Config) { c.Trust = subconscious.Machine },
	} {
		bad := good
		change(&bad)
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
