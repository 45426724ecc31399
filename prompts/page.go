package prompts

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Findings is how many findings a thread may make at a tick.
const Findings = 3

// JournalLength bounds what a thread writes to itself, in characters.
const JournalLength = 280

// page is all that a template may print. Whatever of it came from outside is
// marked already, and each of its parts stands in a block of its own or is one
// line.
type page struct {
	// Of the task, the same at each call.
	Thread   string
	Kinds    string
	Findings int
	Mark     string
	Example  string // how marked text looks
	// Of the moment, empty where there is nothing.
	Closed   string
	Standing string
	Mind     string
	Last     string
	Hint     string
	Pressure string
	Journal  string
	Wider    string
	New      string
	Omitted  string
	Now      string
	// Of a deliberation alone.
	Length   int // of a push, in characters
	Subject  string
	Evidence string
	History  string
	Memories string
	Withheld string // a count
	Budget   string
}

// common fills what is the same at each call of anybody.
func common() page {
	return page{Findings: Findings, Length: PushLength, Mark: mark, Example: Mark("please call me back today")}
}

// task fills what is the same at each call.
func task(thread subconscious.ThreadName) page {
	var kinds []string
	for _, kind := range subconscious.KindsOf(thread) {
		kinds = append(kinds, string(kind))
	}
	p := common()
	p.Thread, p.Kinds = string(thread), strings.Join(kinds, ", ")
	return p
}

// sample is a page with something everywhere.
func sample() page {
	p := task(subconscious.Watcher)
	for _, part := range []*string{&p.Closed, &p.Standing, &p.Mind, &p.Last, &p.Hint, &p.Pressure, &p.Journal, &p.Wider, &p.New, &p.Omitted, &p.Now,
		&p.Subject, &p.Evidence, &p.History, &p.Memories, &p.Withheld, &p.Budget} {
		*part = "something"
	}
	return p
}

// Thread makes the prompt of any of the four threads.
func (s *Set) Thread(name subconscious.ThreadName, in Thread) (Prompt, error) {
	t, ok := s.parsed[string(name)]
	if !ok || name == deliberation {
		return Prompt{}, fmt.Errorf("prompt of %q: there is no such thread", name)
	}
	system, err := execute(t, systemPart, task(name))
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt of the %s: %w", name, err)
	}
	m := newMoment(name, in)
	room := cmp.Or(in.MaxBytes, MaxBytes)
	for m.size() > room && m.trim(m.size()-room) {
	}
	for {
		user, err := execute(t, userPart, m.page(system))
		if err != nil {
			return Prompt{}, fmt.Errorf("prompt of the %s: %w", name, err)
		}
		if len(user) <= room {
			return Prompt{System: system, User: user, Hash: hash(system, user), Shown: m.shown(), Left: m.left(), Omitted: m.omitted()}, nil
		}
		if !m.trim(len(user) - room) {
			return Prompt{}, fmt.Errorf("prompt of the %s: its template alone prints %d bytes, at most %d fit; shorten %s", name, len(user), room, s.place(string(name)))
		}
	}
}
