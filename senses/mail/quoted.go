package mail

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/prose"
)

const (
	// quotedLines is how many lines of a text are searched for who is quoted, and
	// introLines how many lines before a quotation say so.
	quotedLines = 400
	introLines  = 3
)

// quotesMe reports whether the message answers words of the person's, though
// what they sent is not known: a quotation of somebody who is called as they are
// ("Ines Vidal <ines@example.com> wrote:"). Only somebody to whom they wrote has
// such words; or somebody who pretends to, which suspicious has to see.
func (j judge) quotesMe() bool {
	if len(j.InReplyTo)+len(j.References) == 0 {
		return false
	}
	called := j.called()
	lines := strings.SplitN(j.Text, "\n", quotedLines+1)
	for i, line := range lines[:min(len(lines), quotedLines)] {
		if !strings.HasPrefix(strings.TrimSpace(line), ">") || i > 0 && strings.HasPrefix(strings.TrimSpace(lines[i-1]), ">") {
			continue
		}
		intro := prose.Fold(strings.Join(lines[max(0, i-introLines):i], " "))
		for _, name := range called {
			if strings.Contains(intro, name) {
				return true
			}
		}
	}
	return false
}

// called are the addresses of the person, the name that they sign with, and the
// full names by which this message calls them in its header.
func (j judge) called() []string {
	var all []string
	for address := range j.Sense.mine {
		all = append(all, prose.Fold(address))
	}
	add := func(name string) {
		if name = prose.Fold(strings.TrimSpace(name)); len(strings.Fields(name)) >= 2 {
			all = append(all, name)
		}
	}
	add(j.state.Person)
	for _, to := range append(j.To[:len(j.To):len(j.To)], j.Cc...) {
		if j.Sense.mine[to.Addr] {
			add(to.Name)
		}
	}
	return all
}
