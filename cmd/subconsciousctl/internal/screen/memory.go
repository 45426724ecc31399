package screen

import (
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Memories is what a search found, or the newest.
func Memories(view View, in api.MemoryPage, query api.MemoryQuery) string {
	p := newPage(view)
	for _, m := range in.Memories {
		p.memoryHead(m)
		p.clipped("  ", clean(m.Text))
	}
	if len(in.Memories) == 0 {
		p.wrapped("", plain, noMemory(query))
	}
	p.line()
	switch {
	case query.Quarantined && len(in.Memories) > 0:
		p.wrapped("", plain, "These rest on the words of others and are never recalled. Look at one, then say: subconsciousctl memory confirm ID, or forget ID")
	case in.Quarantined > 0 && !query.Quarantined:
		p.wrapped("", plain, countOf(in.Quarantined, "memory waits", "memories wait")+" for your word: subconsciousctl memory list --quarantined")
	}
	p.wrapped("", dim, countOf(in.Total, "memory", "memories")+" in all.")
	return p.String()
}

func noMemory(query api.MemoryQuery) string {
	switch {
	case query.Words != "":
		return "Nothing is remembered in these words."
	case query.Quarantined:
		return "Nothing waits for your word."
	}
	return "Nothing is remembered yet."
}

func (p *page) memoryHead(m api.MemoryRecord) {
	mark, colour := "·", plain
	if m.Status == api.MemoryQuarantined {
		mark, colour = "?", yellow
	}
	p.marked("", colour, mark, " ", 2, bold, clean(m.ID))
	seen := ""
	if m.Seen > 1 {
		seen = "learnt " + number(m.Seen, "time")
	}
	p.wrapped("  ", dim, strings.Join(filled(clean(m.Kind), memoryTrust(m), memoryStatus(m.Status), seen, "changed "+p.when(m.Updated)), " · "))
}

// memoryTrust says whose word a memory is. What a model wrote is the model's,
// whatever it rests on.
func memoryTrust(m api.MemoryRecord) string {
	if m.Agent != byDeliberation && (m.Trust != subconscious.Machine || m.Agent == "" || m.Agent == api.AuthorPerson) {
		return trustWords(m.Trust)
	}
	on := trustWords(m.Trust)
	switch m.Trust {
	case subconscious.Owner, subconscious.Agent, subconscious.Outsider:
	case subconscious.Machine:
		on = "this machine's readings"
	default:
		on = "what is of unknown origin"
	}
	return "a model wrote it, resting on " + on
}

// byDeliberation is the writer of what a deliberation remembered.
const byDeliberation = "deliberation"

// memoryStatus says what a state means, where it is not the usual one.
func memoryStatus(status api.MemoryStatus) string {
	switch status {
	case api.MemoryActive:
		return ""
	case api.MemoryQuarantined:
		return "kept apart"
	}
	return clean(string(status))
}

// Memory is one memory in full.
func Memory(view View, m api.MemoryRecord) string {
	p := newPage(view)
	p.memoryHead(m)
	for line := range strings.Lines(m.Text) {
		p.wrapped("  ", plain, clean(line))
	}
	if len(m.Tags) > 0 {
		tags := make([]string, len(m.Tags))
		for i, tag := range m.Tags {
			tags[i] = clean(tag)
		}
		p.wrapped("  ", dim, "tags "+strings.Join(tags, ", "))
	}
	if who := clean(m.Agent); who != "" {
		p.wrapped("  ", dim, "written by "+who+" "+p.when(m.Created))
	}
	if m.Incident != "" {
		p.wrapped("  ", dim, strings.Join(filled("out of "+clean(string(m.Incident)), clean(m.Deliberation)), ", "))
	}
	cited := make([]string, len(m.Citations))
	for i, c := range m.Citations {
		cited[i] = clean(c.String())
	}
	if len(cited) > 0 {
		p.wrapped("  ", dim, "rests on "+some(cited, 4))
	}
	return p.String()
}

// Remembered says what became of a change.
func Remembered(view View, m api.MemoryRecord, change api.MemoryChange) string {
	p := newPage(view)
	id := clean(m.ID)
	switch {
	case change.Forget != "":
		p.wrapped("", plain, id+" is forgotten: its text is gone, and found nowhere any more.")
	case change.Confirm != "":
		p.wrapped("", plain, id+" counts as your own word from now on, and is recalled:")
		p.wrapped("  ", plain, clean(m.Text))
	default:
		words := "Remembered as " + id + "."
		if m.Status == api.MemoryQuarantined {
			words = "Remembered as " + id + ", kept apart: it is recalled once you confirm it. subconsciousctl memory confirm " + id
		}
		p.wrapped("", plain, words)
	}
	return p.String()
}

// countOf says a count of things whose plural is not regular.
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// amountPlain is a number that is to be typed again.
func amountPlain(n int64) string { return strconv.FormatInt(n, 10) }
