package conversation_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/conversation"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// world is a source of conversations, a sense over it, and what was committed.
type world struct {
	t      testing.TB
	source string // log, lines or markdown
	at     time.Time
	book   book
	dir    string
	config conversation.Config
	sense  senses.Sense
	sensetest.Kept
	// standing is what the ledger would hold, by identity.
	standing map[string]subconscious.Observation
}

func newWorld(t testing.TB, source string) *world {
	t.Helper()
	zone := testutil.Zone(t, "Europe/Berlin")
	w := &world{t: t, source: source, dir: t.TempDir(), standing: map[string]subconscious.Observation{}}
	w.at = time.Date(2026, 11, 16, 10, 0, 0, 0, zone)
	w.config = conversation.Config{ID: "agents", Path: w.dir}
	w.restart()
	return w
}

// restart opens the sense afresh over what was committed.
func (w *world) restart() {
	w.t.Helper()
	if w.source == "log" {
		w.sense = conversation.NewLog(&w.book, conversation.Options{Rows: w})
		return
	}
	s, err := conversation.New(w.config, conversation.Options{Rows: w})
	if err != nil {
		w.t.Fatal(err)
	}
	w.sense = s
}

// file is the transcript of a conversation.
func (w *world) file(name string) string {
	if w.source == "markdown" {
		return filepath.Join(w.dir, name+".md")
	}
	return filepath.Join(w.dir, name+".jsonl")
}

// say has somebody say something: "person", "agent", "mind", or an agent by
// name.
func (w *world) say(name, who, text string) {
	w.t.Helper()
	author, agent := conversation.Author(who), ""
	switch author {
	case conversation.Person, conversation.Agent, conversation.Mind:
	default:
		author, agent = conversation.Agent, who
	}
	switch w.source {
	case "log":
		w.book.post(w.at, name, author, text)
		w.book.messages[len(w.book.messages)-1].Name = agent
	case "markdown":
		speaker := map[conversation.Author]string{conversation.Person: "User", conversation.Agent: "Assistant", conversation.Mind: "Subconscious"}[author]
		if agent != "" {
			speaker = agent
		}
		w.append(name, fmt.Sprintf("**%s:** %s\n\n", speaker, text))
	default:
		role := map[conversation.Author]string{conversation.Person: "user", conversation.Agent: "assistant", conversation.Mind: "assistant"}[author]
		if author == conversation.Mind {
			agent = "subconsciousd"
		}
		line := testutil.JSON(w.t, map[string]string{"role": role, "name": agent, "content": text, "timestamp": w.at.Format(time.RFC3339)})
		w.append(name, string(line)+"\n")
	}
}

// append adds to a transcript, as it would have been done at that time.
func (w *world) append(name, text string) {
	w.t.Helper()
	appendTo(w.t, w.file(name), text)
	w.touch(name, w.at)
}

func (w *world) touch(name string, at time.Time) {
	w.t.Helper()
	if err := os.Chtimes(w.file(name), at, at); err != nil {
		w.t.Fatal(err)
	}
}

// write replaces a transcript.
func (w *world) write(name, text string) {
	w.t.Helper()
	testutil.Write(w.t, w.file(name), text)
	w.touch(name, w.at)
}

// collect collects without committing, a quarter of a minute after all that was
// said.
func (w *world) collect() senses.Batch {
	w.t.Helper()
	batch, err := w.sense.Collect(context.Background(), w.at.Add(15*time.Second), w.Cursor)
	if err != nil {
		w.t.Fatalf("Collect: %v", err)
	}
	return batch
}

// collect is one tick. It returns what was told.
func (w *world) tick() []subconscious.Observation {
	w.t.Helper()
	batch := w.collect()
	w.commit(batch)
	return batch.Changes
}

// commit keeps what a batch brought.
func (w *world) commit(batch senses.Batch) {
	for _, o := range batch.Changes {
		switch o.Change {
		case subconscious.Appeared:
			w.standing[o.ID] = o
		case subconscious.Gone:
			delete(w.standing, o.ID)
		}
	}
	w.Keep(batch)
}

// describe puts what was told in a few lines.
func describe(changes []subconscious.Observation, said map[string]string) string {
	var b strings.Builder
	for _, o := range changes {
		if o.Title != "" {
			said[o.ID] = o.Title
		}
		fmt.Fprintf(&b, "  %s %s %s: %s", o.Change, o.Trust, o.Kind, said[o.ID])
		if !o.Due.IsZero() {
			fmt.Fprintf(&b, " | due %s (%s)", o.Due.Format("Mon 2 Jan 15:04"), o.Attrs["date_text"])
		}
		if !o.Until.IsZero() {
			fmt.Fprintf(&b, " | until %s", o.Until.Format("2 Jan"))
		}
		if o.Text != "" {
			fmt.Fprintf(&b, " | text %q", o.Text)
		}
		if len(o.Links) > 1 {
			fmt.Fprintf(&b, " | %s", strings.Join(o.Links, " "))
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return "  nothing\n"
	}
	return b.String()
}
