package prompts

import (
	"cmp"
	"fmt"
	"strings"
	"time"

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
	Mark     string // what sets off the words of others begins so
	Example  string // how they look
	Person   string // who the person is, in their words
	Language string // in which to write
	// Of the moment, empty where there is nothing.
	Closed   string
	Standing string
	Mind     string
	Last     string
	Hint     string
	Pressure string // the field that novelty pressure opened
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
func (s *Set) common() page {
	return page{Findings: Findings, Length: PushLength, Mark: "«", Example: worded(quoted("please call me back today"), "WORD"),
		Person: personLines(s.person), Language: language(s.person)}
}

// task fills what is the same at each call.
func (s *Set) task(thread subconscious.ThreadName) page {
	var kinds []string
	for _, kind := range subconscious.KindsOf(thread) {
		kinds = append(kinds, string(kind))
	}
	p := s.common()
	p.Thread, p.Kinds = string(thread), strings.Join(kinds, ", ")
	return p
}

// sample is a page with something everywhere.
func sample() page {
	p := new(Set).task(subconscious.Watcher)
	for _, part := range []*string{&p.Person, &p.Closed, &p.Standing, &p.Mind, &p.Last, &p.Hint, &p.Pressure, &p.Journal, &p.Wider, &p.New, &p.Omitted, &p.Now,
		&p.Subject, &p.Evidence, &p.History, &p.Memories, &p.Withheld, &p.Budget} {
		*part = "something"
	}
	return p
}

// Thread makes the prompt of any of the four threads.
func (s *Set) Thread(name subconscious.ThreadName, in Thread) (Prompt, error) {
	t, ok := s.parsed[string(name)]
	if !ok || name == deliberation || name == triage {
		return Prompt{}, fmt.Errorf("prompt of %q: there is no such thread", name)
	}
	system, err := execute(t, systemPart, s.task(name))
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt of the %s: %w", name, err)
	}
	return s.assemble("the "+string(name), string(name), system, cmp.Or(in.MaxBytes, MaxBytes), newMoment(s.task(name), name, in))
}

// Thread is what the prompt of a thread of thought is made of.
type Thread struct {
	// At is in the mind's zone.
	At time.Time
	// State is the whole mind: its entries, what was escalated, and what this
	// thread found in its last ticks.
	State subconscious.State
	// Field is what the thread is shown of the world.
	Field subconscious.Field
	// MaxBytes bounds the part of the moment; 0 means 24 KiB.
	MaxBytes int
}

// Prompt is what a model is told.
type Prompt struct {
	// System is the same at each call, User is of the moment.
	System, User string
	// Hash is of both, in hexadecimal.
	Hash string
	// Shown are the references in it, those that entries name included. Left
	// are those of the new and wider observations that found no room.
	Shown, Left []subconscious.Ref
	// Omitted says in words what was left out of the part of the moment.
	Omitted string
}

// content is what the part of the moment is made of, and can be trimmed to fit.
type content interface {
	page(system string) page
	// size is how many bytes it takes, frames and what the template says apart.
	size() int
	// trim takes away what is worth the least, and reports whether there was
	// anything.
	trim(excess int) bool
	shown() []subconscious.Ref
	left() []subconscious.Ref
	omitted() string
}

// assemble prints the part of the moment in at most room bytes.
func (s *Set) assemble(whose, name, system string, room int, c content) (Prompt, error) {
	for c.size() > room && c.trim(c.size()-room) {
	}
	for {
		user, err := execute(s.parsed[name], userPart, c.page(system))
		if err != nil {
			return Prompt{}, fmt.Errorf("prompt of %s: %w", whose, err)
		}
		if len(user) <= room {
			return Prompt{System: system, User: user, Hash: hash(system, user), Shown: c.shown(), Left: c.left(), Omitted: c.omitted()}, nil
		}
		if !c.trim(len(user) - room) {
			return Prompt{}, fmt.Errorf("prompt of %s: its template alone prints %d bytes, at most %d fit; shorten %s", whose, len(user), room, s.place(name))
		}
	}
}

// framed is a text that gets a block of its own, and the part of the page that
// it becomes.
type framed struct {
	name, text string
	to         *string
}

// frame puts texts into blocks that none of them can close, nor any of others.
func frame(system string, parts []framed, others ...string) {
	for _, part := range parts {
		others = append(others, part.text)
	}
	key := token(system, others...)
	for _, part := range parts {
		*part.to = worded(block(part.name, key, part.text), key)
	}
}

// leftOut says in one sentence what was left out.
func leftOut(said []string) string {
	if len(said) == 0 {
		return ""
	}
	return "Left out for want of room: " + strings.Join(said, "; ") + "."
}
