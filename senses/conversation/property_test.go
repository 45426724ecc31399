package conversation_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// model is what was written where, and what was told.
type model struct {
	*world
	rt    *rapid.T
	files map[string][]string // the messages of each transcript, in order
	next  int
	told  map[string]int
	times map[string]time.Time
}

// line is a message as it stands in a transcript; every third has a time.
func (m *model) line(text string) string {
	switch {
	case m.source == "markdown":
		return "## User\n\n" + text + "\n\n"
	case strings.HasSuffix(text, "3"):
		return fmt.Sprintf("{\"role\":\"user\",\"content\":%q,\"timestamp\":%q}\n", text, m.times[text].Format(time.RFC3339))
	}
	return fmt.Sprintf("{\"role\":\"user\",\"content\":%q}\n", text)
}

func (m *model) new() string {
	m.next++
	text := fmt.Sprintf("message number %d", m.next)
	m.times[text] = m.at
	return text
}

// pick draws a transcript that is there, "" for none.
func (m *model) pick() string {
	names := slices.Sorted(maps.Keys(m.files))
	if len(names) == 0 {
		return ""
	}
	return rapid.SampledFrom(names).Draw(m.rt, "file")
}

func (m *model) rewrite(name string, messages []string) {
	var b strings.Builder
	for _, text := range messages {
		b.WriteString(m.line(text))
	}
	m.write(name, b.String())
	m.files[name] = slices.Clone(messages)
}

func (m *model) move(from, to string) {
	if err := os.Rename(m.file(from), m.file(to)); err != nil {
		m.rt.Fatal(err)
	}
	m.files[to] = m.files[from]
	delete(m.files, from)
}

// steps are what may happen to the transcripts.
func (m *model) steps() map[string]func() {
	free := func() string { m.next++; return fmt.Sprintf("file-%d", m.next) }
	return map[string]func(){
		"append": func() {
			name := m.pick()
			if name == "" || rapid.IntRange(0, 4).Draw(m.rt, "another") == 0 {
				name = free()
			}
			for range rapid.IntRange(1, 3).Draw(m.rt, "messages") {
				text := m.new()
				m.append(name, m.line(text))
				m.files[name] = append(m.files[name], text)
			}
		},
		"in two": func() {
			name := m.pick()
			if name == "" || m.source == "markdown" {
				return
			}
			text := m.new()
			line := m.line(text)
			half := rapid.IntRange(1, len(line)-1).Draw(m.rt, "half")
			m.append(name, line[:half])
			m.tick1()
			m.append(name, line[half:])
			m.files[name] = append(m.files[name], text)
		},
		"rotate": func() {
			if name := m.pick(); name != "" {
				m.move(name, free())
				m.rewrite(name, []string{m.new()})
			}
		},
		"copy and truncate": func() {
			if name := m.pick(); name != "" {
				data := testutil.Read(m.rt, m.file(name))
				copied := free()
				m.write(copied, string(data))
				m.files[copied] = m.files[name]
				m.rewrite(name, nil)
			}
		},
		"rename": func() {
			if name := m.pick(); name != "" {
				m.move(name, free())
			}
		},
		"cut": func() {
			if name := m.pick(); name != "" {
				m.tick1() // as below
				all := m.files[name]
				from := rapid.IntRange(0, len(all)).Draw(m.rt, "from")
				to := rapid.IntRange(from, len(all)).Draw(m.rt, "to")
				m.rewrite(name, append(slices.Clone(all[from:to]), m.new()))
				// A copy of it that nobody saw before would be another transcript.
				m.tick1()
			}
		},
		"delete": func() {
			if name := m.pick(); name != "" {
				if err := os.Remove(m.file(name)); err != nil {
					m.rt.Fatal(err)
				}
				delete(m.files, name)
			}
		},
		"restart": m.restart,
		"fail":    func() { m.collect() },
		"tick":    m.tick1,
	}
}

// tick1 is a tick, after which all that is there must have been told once.
func (m *model) tick1() {
	for _, o := range m.world.tick() {
		m.told[o.Title]++
	}
	for _, messages := range m.files {
		for _, text := range messages {
			if m.told[text] == 0 {
				m.rt.Fatalf("%q is there and was not told", text)
			}
		}
	}
	for text, times := range m.told {
		if times > 1 {
			m.rt.Fatalf("%q was told %d times", text, times)
		}
	}
}

// TestNothingTwiceNothingMissed writes to transcripts, and rotates, cuts,
// copies, renames and deletes them, with collects, restarts and failed commits in
// between.
func TestNothingTwiceNothingMissed(t *testing.T) {
	for _, source := range []string{"lines", "markdown"} {
		t.Run(source, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				m := &model{world: newWorld(t, source), rt: rt, files: map[string][]string{}, told: map[string]int{}, times: map[string]time.Time{}}
				defer clearFolder(t, m.dir)
				m.world.tick()
				steps := m.steps()
				names := slices.Sorted(maps.Keys(steps))
				for range rapid.IntRange(1, 20).Draw(rt, "steps") {
					m.at = m.at.Add(time.Minute)
					steps[rapid.SampledFrom(names).Draw(rt, "step")]()
				}
				m.tick1()
				if again := m.world.tick(); len(again) > 0 {
					rt.Fatalf("nothing was done, and there is %s", describe(again, map[string]string{}))
				}
			})
		})
	}
}

func clearFolder(t testing.TB, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogNothingTwice posts, restarts and fails to commit.
func TestLogNothingTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, "log")
		w.tick()
		posted, told := 0, map[string]int{}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"post", "many", "tick", "fail", "restart"}).Draw(rt, "step") {
			case "post":
				posted++
				w.say(fmt.Sprint("c-", rapid.IntRange(0, 3).Draw(rt, "conversation")), "person", fmt.Sprint("message number ", posted))
			case "many":
				for range 120 {
					posted++
					w.say("c-0", "person", fmt.Sprint("message number ", posted))
				}
			case "fail":
				w.collect()
			case "restart":
				w.restart()
			case "tick":
				for _, o := range w.tick() {
					told[o.Title]++
				}
			}
		}
		for range 4 { // one collect tells so much at most
			for _, o := range w.tick() {
				told[o.Title]++
			}
		}
		for i := 1; i <= posted; i++ {
			if n := told[fmt.Sprint("message number ", i)]; n != 1 {
				rt.Fatalf("message %d was told %d times", i, n)
			}
		}
	})
}
