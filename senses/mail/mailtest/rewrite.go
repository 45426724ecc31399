package mailtest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/emersion/go-imap/v2"
)

// asked is what a command asks of CONDSTORE, which the library cannot read.
type asked struct {
	condstore    bool // from now on
	modseq       bool // of each message
	highest      bool // of STATUS
	changedSince uint64
}

var (
	changedSince = regexp.MustCompile(`(?i) \(CHANGEDSINCE ([0-9]{1,19})\)$`)
	modSeqItem   = regexp.MustCompile(`(?i)([( ])MODSEQ([ )]|$)`)
	highestItem  = regexp.MustCompile(`(?i)([( ])HIGHESTMODSEQ([ )])`)
)

// rewritten is a command as the library understands it, and what was taken
// out. What the server lacks becomes a command that nobody knows.
func (s *Server) rewritten(verb, line string) (string, asked) {
	var a asked
	lacking := map[string]imap.Cap{"IDLE": imap.CapIdle, "MOVE": imap.CapMove, "ENABLE": imap.CapEnable}[verb]
	if lacking != "" && !s.options.has(lacking) || verb == "SEARCH" && !s.options.has(imap.CapESearch) && strings.Contains(strings.ToUpper(line), " RETURN (") {
		tag, _, _ := strings.Cut(line, " ")
		return tag + " LACKING", a
	}
	if !s.options.has(imap.CapCondStore) {
		return line, a
	}
	switch verb {
	case "SELECT", "EXAMINE":
		const ask = " (CONDSTORE)"
		if upper := strings.ToUpper(line); strings.HasSuffix(upper, ask) {
			line, a.condstore = line[:len(line)-len(ask)], true
		}
	case "ENABLE":
		a.condstore = slices.Contains(strings.Fields(strings.ToUpper(line))[2:], "CONDSTORE")
	case "STATUS":
		if highestItem.MatchString(line) {
			line = without(highestItem, line, "")
			a.highest, a.condstore = true, true
		}
	case "FETCH":
		if since := changedSince.FindStringSubmatch(line); since != nil {
			a.changedSince, _ = strconv.ParseUint(since[1], 10, 64)
			a.modseq, a.condstore = true, true
			line = strings.TrimSuffix(line, since[0])
		}
		if modSeqItem.MatchString(line) {
			line = without(modSeqItem, line, "UID")
			a.modseq, a.condstore = true, true
		}
	}
	return line, a
}

// without takes an item out of a list; alone in it, it is replaced.
func without(item *regexp.Regexp, line, alone string) string {
	at := item.FindStringSubmatchIndex(line)
	before, after := line[at[2]:at[3]], line[at[4]:at[5]]
	between := alone
	switch {
	case before == "(" && after == " ":
		return line[:at[3]] + line[at[5]:]
	case before == " " && after == ")" && strings.ContainsRune(line[:at[2]], '('):
		return line[:at[2]] + line[at[4]:]
	case before == " " && after == " ":
		return line[:at[3]] + line[at[5]:]
	}
	return line[:at[3]] + between + line[at[4]:]
}

// note logs a line of a client's.
func (s *Server) note(line string, command bool) {
	if command {
		s.traffic.commands.Add(1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.commands) == maxCommands {
		s.commands = slices.Delete(s.commands, 0, maxCommands/10)
	}
	s.commands = append(s.commands, line)
}

// Commands are the lines that clients sent, oldest first, without literals and
// passwords; of more than 10,000 the oldest are left out.
func (s *Server) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}
