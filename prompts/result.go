package prompts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// ResultBytes bounds what a tool's result takes where nothing else is said.
const ResultBytes = 6 << 10

const (
	// resultText is how long the text of one observation is shown in a result.
	resultText = 600
	// endRoom is kept for what is said at the end.
	endRoom = 160
)

// Result is what a tool brought back, to be shown as prompts show observations: in
// a block of its own, set off where it is not the person's or the machine's.
type Result struct {
	// Tool is its name, a word.
	Tool string
	// Said are lines of our own words.
	Said         []string
	Observations []subconscious.Observation
	Excerpts     []Excerpt
	// Entries, Told and Parked are of the subconscious, printed as prompts print
	// it, in this order.
	Entries, Parked []subconscious.Entry
	Told            []subconscious.EscalationRecord
	// Quoted are not printed: those on whose words an error rests.
	Quoted []Excerpt
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
	// Ref names the observation by which it can be cited; empty where there is
	// none.
	Ref subconscious.Ref
	// Voice is who speaks, as far as that is known; it is not printed.
	Voice string
}

// Show returns the result as a model is shown it, and of the result that part
// which found room.
func (r Result) Show() (text string, part Result) {
	room := r.MaxBytes
	if room <= 0 {
		room = ResultBytes
	}
	room -= endRoom + 2*len(r.Tool)
	part = Result{Tool: r.Tool, Quoted: r.Quoted, Zone: r.Zone}
	var out strings.Builder
	for _, line := range r.Said {
		if line = short(line, false); out.Len()+len(line) < room {
			out.WriteString(line + "\n")
			part.Said = append(part.Said, line)
		}
	}
	left := r.showEntries(&out, room, &part)
	for _, o := range r.Observations {
		t := show(o, r.zone())
		said := t.print(resultText)
		if out.Len()+len(said) > room {
			left++
			continue
		}
		out.WriteString(said)
		part.Observations = append(part.Observations, o)
	}
	cut := false
	for _, e := range r.Excerpts {
		said, whole := e.print(room - out.Len())
		if cut = cut || !whole; said == "" {
			left++
			continue
		}
		out.WriteString(said)
		part.Excerpts = append(part.Excerpts, e)
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
	word := token(said, said)
	return worded(block(r.Tool, word, said), word), part
}

// showEntries prints what is of the subconscious, and returns how much found no
// room.
func (r Result) showEntries(out *strings.Builder, room int, part *Result) (left int) {
	title := ""
	put := func(under, line string) bool {
		if under != title {
			line = under + ":\n" + line
		}
		if out.Len()+len(line)+1 > room {
			left++
			return false
		}
		out.WriteString(line + "\n")
		title = under
		return true
	}
	for _, e := range byList(r.Entries) {
		if line, _ := entryLine(e, r.zone()); put(listTitle(e), line) {
			part.Entries = append(part.Entries, e)
		}
	}
	for _, told := range r.Told {
		if put(toldTitle, toldLine(told, r.zone())) {
			part.Told = append(part.Told, told)
		}
	}
	for _, e := range r.Parked {
		if line, _ := entryLine(e, r.zone()); put(parkedTitle, line) {
			part.Parked = append(part.Parked, e)
		}
	}
	return left
}

// Refs are the references that stand in the result, if all of it is printed.
func (r Result) Refs() []subconscious.Ref {
	var refs []subconscious.Ref
	for _, e := range slices.Concat(r.Entries, r.Parked) {
		_, named := entryLine(e, r.zone())
		refs = append(refs, named...)
	}
	for _, o := range r.Observations {
		refs = append(refs, o.Ref())
	}
	for _, e := range r.Excerpts {
		if e.Ref != "" {
			refs = append(refs, e.Ref)
		}
	}
	return refs
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
	head, begin, end := "from ", "", "\n"
	if e.Ref != "" {
		head = "[" + string(e.Ref) + "] from "
	}
	if Untrusted(e.Trust) {
		begin, end = opening, closing+"\n"
	}
	head += begin + short(e.Name, false) + ":\n"
	room -= len(head) + len(end) - 1
	if room < len(gutter)+40 {
		return "", false
	}
	text := body(e.Text, 1<<20)
	if whole = len(text) <= room; !whole {
		text = body(e.Text, room-len("…"))
	}
	return head + strings.TrimSuffix(text, "\n") + end, whole
}
