package prompts

import (
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// ResultBytes bounds what a tool's result takes where nothing else is said.
const ResultBytes = 6 << 10

const (
	// resultText is how long the text of one thing is shown in a result.
	resultText = 600
	// endRoom is kept for what is said at the end.
	endRoom = 160
)

// Result is what a tool brought back, to be shown as prompts show things: in a
// block of its own, with marks where it is not the person's or the machine's.
type Result struct {
	// Tool is its name, a word.
	Tool string
	// Said are lines of our own words.
	Said     []string
	Things   []subconscious.Observation
	Excerpts []Excerpt
	// More says in our own words how to see what is left out; may be empty.
	More string
	Zone *time.Location
	// MaxBytes bounds all of it; 0 means ResultBytes.
	MaxBytes int
}

// Excerpt is a part of a file, or of what is like one.
type Excerpt struct {
	Name  string
	Trust subconscious.Trust
	Text  string
	// Ref names the thing by which it can be cited; empty where there is none.
	Ref subconscious.Ref
}

// Print returns the result as a model is shown it, and the references in it.
func (r Result) Print() (text string, shown []subconscious.Ref) {
	room := r.MaxBytes
	if room <= 0 {
		room = ResultBytes
	}
	room -= endRoom + 2*len(r.Tool)
	var out strings.Builder
	for _, line := range r.Said {
		if line = short(line, false); out.Len()+len(line) < room {
			out.WriteString(line + "\n")
		}
	}
	left := 0
	for _, o := range r.Things {
		t := newThing(o, r.zone())
		said := t.head + body(t.text, t.marked, resultText)
		if out.Len()+len(said) > room {
			left++
			continue
		}
		out.WriteString(said)
		shown = append(shown, t.ref)
	}
	cut := false
	for _, e := range r.Excerpts {
		said, whole := e.print(room - out.Len())
		if cut = cut || !whole; said == "" {
			left++
			continue
		}
		out.WriteString(said)
		if e.Ref != "" {
			shown = append(shown, e.Ref)
		}
	}
	end := ""
	if left > 0 {
		end = fmt.Sprintf("%d more are left out for want of room.", left)
	} else if cut {
		end = "The rest is left out for want of room."
	}
	if end != "" {
		out.WriteString(strings.TrimSpace(end+" "+r.More) + "\n")
	}
	said := out.String()
	return block(r.Tool, token(said, said), said), shown
}

func (r Result) zone() *time.Location {
	if r.Zone == nil {
		return time.UTC
	}
	return r.Zone
}

// print is the excerpt in at most room bytes, and whether it is whole; it is
// empty where there is no room for any of it.
func (e Excerpt) print(room int) (said string, whole bool) {
	marked := Untrusted(e.Trust)
	head := "from " + short(e.Name, marked) + ":\n"
	if e.Ref != "" {
		head = "[" + string(e.Ref) + "] " + head
	}
	if room < len(head)+len(gutter)+40 {
		return "", false
	}
	full := body(e.Text, marked, 1<<20)
	if len(head)+len(full) <= room {
		return head + full, true
	}
	return head + body(e.Text, marked, room-len(head)-len("…")), false
}
