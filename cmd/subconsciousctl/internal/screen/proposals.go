package screen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// Proposals is the list of what waits for the person's word, and of what does
// not any more, where that was asked for.
func Proposals(view View, in api.ProposalPage, query api.ProposalQuery) string {
	p := newPage(view)
	var waiting, decided []api.Proposal
	for _, proposal := range in.Proposals {
		if proposal.State == api.ProposalPending {
			waiting = append(waiting, proposal)
		} else {
			decided = append(decided, proposal)
		}
	}
	switch {
	case len(in.Proposals) > 0:
	case query.Before != "":
		p.wrapped("", plain, "There is nothing before that.")
	case query.All:
		p.wrapped("", plain, "Nothing was proposed yet.")
	default:
		p.wrapped("", plain, "Nothing waits for your word. What was proposed before: subconsciousctl proposals --all")
	}
	p.proposalGroup("Waiting for your word", waiting)
	if len(waiting) > 0 && len(decided) > 0 {
		p.line()
	}
	p.proposalGroup("Decided, or expired", decided)
	if len(waiting) > 0 {
		p.line()
		p.wrapped("", plain, "Look at one and decide: subconsciousctl approve ID, or reject ID")
	}
	p.more(in.Before, "proposals", query.All)
	return p.String()
}

// more says how the next page is asked for, if there is one.
func (p *page) more(before, command string, all bool) {
	if before == "" {
		return
	}
	if all {
		command += " --all"
	}
	p.wrapped("", dim, "There are more: subconsciousctl "+command+" --before "+clean(before))
}

func (p *page) proposalGroup(title string, proposals []api.Proposal) {
	if len(proposals) == 0 {
		return
	}
	p.line(p.in(bold, title))
	for _, proposal := range proposals {
		p.proposalLines(proposal)
	}
}

const maxVectorLines = 3

// proposalLines writes one proposal of the list, to be recognised by.
func (p *page) proposalLines(in api.Proposal) {
	mark, colour := proposalMark(in.State)
	p.marked("  ", colour, mark, " ", cells(incidentIndent), bold, clean(in.Action))
	p.wrapped(incidentIndent, dim, strings.Join(filled(clean(in.ID), p.proposalWords(in), aboutWords(string(in.Incident))), " · "))
	if reason := clean(in.Reason); reason != "" {
		p.wrapped(incidentIndent+"why   ", plain, reason)
	}
	runs := oneLine(in.Argv)
	if runs == "" {
		runs = exactly(string(in.Arguments))
	}
	first := incidentIndent + "runs  "
	for _, row := range wrapAtMost(runs, p.Width-cells(first), maxVectorLines) {
		p.line(first, row)
		first = strings.Repeat(" ", cells(first))
	}
	if problem := clean(in.Problem); problem != "" {
		p.wrapped(incidentIndent+"but   ", yellow, problem)
	}
}

// filled are the parts that are not empty.
func filled(parts ...string) []string {
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

func aboutWords(incident string) string {
	if incident == "" {
		return ""
	}
	return "about " + clean(incident)
}

// proposalMark gives a state of a proposal its sign and colour.
func proposalMark(state api.ProposalState) (mark string, colour style) {
	switch state {
	case api.ProposalPending:
		return "?", yellow
	case api.ProposalApproved:
		return "✓", green
	case api.ProposalRejected:
		return "✗", dim
	}
	return "–", dim
}

// proposalWords says how a proposal is.
func (p *page) proposalWords(in api.Proposal) string {
	switch in.State {
	case api.ProposalPending:
		return p.waitsUntil(in.Expires)
	case api.ProposalApproved:
		words := "you approved it " + p.when(in.Decided)
		if in.By != "" {
			words = "approved " + p.when(in.Decided) + " by " + clean(in.By)
		}
		if in.Run != "" {
			words += ", which was " + clean(in.Run)
		}
		return words
	case api.ProposalRejected:
		return "rejected " + p.when(in.Decided)
	case api.ProposalExpired:
		return "it expired " + p.when(in.Expires)
	}
	return clean(string(in.State))
}

func (p *page) waitsUntil(expires time.Time) string {
	if !expires.After(p.At) {
		return "its time is over"
	}
	return "waits until " + p.clock(expires) + " (" + p.relative(expires) + ")"
}

// Proposal is one proposal in full: exactly what would run, why it is asked,
// and whose words the model had been shown.
func Proposal(view View, in api.Proposal) string {
	p := newPage(view)
	mark, colour := proposalMark(in.State)
	p.marked("", colour, mark, " ", 2, bold, clean(in.Action))
	p.wrapped("  ", dim, strings.Join(filled(clean(in.ID), p.proposalWords(in)), " · "))
	if about := clean(in.Description); about != "" {
		p.wrapped("  ", plain, about)
	}
	runs := "Exactly this would run"
	if problem := clean(in.Problem); problem != "" {
		p.wrapped("  ", yellow, sentence(problem))
		runs = "This is stored, and does not run"
	}
	p.heading(runs)
	if len(in.Argv) > 0 {
		p.vector(in.Argv)
	} else {
		p.line("  built in, with these arguments:")
		p.arguments(in.Arguments)
	}
	if in.Folder != "" {
		p.exactLine("  in the folder ", exactly(in.Folder))
	}
	if in.Undo {
		p.wrapped("  ", plain, "It can be taken back for a while afterwards.")
	} else {
		p.wrapped("  ", plain, "It cannot be taken back.")
	}
	p.heading("Why")
	p.wrapped("  ", plain, "The model says: “"+clean(in.Reason)+"”")
	p.wrapped("  ", shownStyle(in.Shown), "It had been shown words of: "+shownWords(in.Shown))
	if why := clean(in.Why); why != "" {
		p.wrapped("  ", plain, "You are asked because "+why+" ("+clean(in.Clause)+")")
	}
	if in.Incident != "" {
		p.wrapped("  ", plain, "What it is about: subconsciousctl why "+clean(string(in.Incident)))
	}
	p.line()
	p.exactLine("  hash ", exactly(in.Hash))
	return p.String()
}

// shownWords says whose words a model was shown.
func shownWords(shown []string) string {
	words := make([]string, 0, len(shown))
	for _, trust := range shown {
		switch trust {
		case "owner":
			words = append(words, "you")
		case "machine":
			words = append(words, "this machine")
		case "agent":
			words = append(words, "agents")
		case "outsider":
			words = append(words, "strangers")
		default:
			words = append(words, cmp.Or(clean(trust), "somebody unknown"))
		}
	}
	return cmp.Or(strings.Join(words, ", "), "nobody")
}

// shownStyle draws the eye to the words of others.
func shownStyle(shown []string) style {
	if slices.ContainsFunc(shown, func(trust string) bool { return trust != "owner" && trust != "machine" }) {
		return yellow
	}
	return plain
}

// Decided says what came of a decision.
func Decided(view View, result api.ProposalResult) string {
	if result.Run != nil {
		return Run(view, *result.Run)
	}
	p := newPage(view)
	words := clean(result.Proposal.ID) + " is " + clean(string(result.Proposal.State))
	if result.Proposal.State == api.ProposalRejected {
		words += ": " + clean(result.Proposal.Action) + " is not carried out"
	}
	p.wrapped("", plain, words+".")
	return p.String()
}

// runMark gives a state of a run its sign, colour and words.
func runMark(state api.RunState) (mark string, colour style, words string) {
	switch state {
	case api.RunStarted:
		return "…", dim, "is being carried out"
	case api.RunSucceeded:
		return "✓", green, "was carried out"
	case api.RunFailed:
		return "✗", red, "failed"
	case api.RunTimedOut:
		return "✗", red, "took too long and was ended"
	case api.RunUnknown:
		return "?", yellow, "was begun, and nobody knows how it ended; it is not repeated"
	}
	return "?", yellow, clean(string(state))
}

// maxOutputLines is how much of an output is shown.
const maxOutputLines = 40

// Run is one run in full.
func Run(view View, in api.ActionRun) string {
	p := newPage(view)
	p.runHead("", in)
	lines := strings.Split(strings.TrimRight(Lines(in.Output), "\n "), "\n")
	if len(lines) > maxOutputLines {
		p.wrapped("  ", dim, number(len(lines)-maxOutputLines, "earlier line")+" of its output left out; --json shows all that was kept")
		lines = lines[len(lines)-maxOutputLines:]
	}
	for _, line := range lines {
		if len(lines) > 1 || line != "" {
			p.exactLine("  > ", line)
		}
	}
	return p.String()
}

// runHead writes what was run and what became of it.
func (p *page) runHead(indent string, in api.ActionRun) {
	mark, colour, words := runMark(in.State)
	words = clean(in.Action) + " " + words
	if in.UndoOf != "" {
		words = takingBack(in)
	}
	if in.State == api.RunFailed && in.ExitCode != 0 {
		words += ", with exit code " + strconv.Itoa(in.ExitCode)
	}
	if problem := clean(in.Problem); problem != "" {
		words += ": " + problem
	}
	p.marked(indent, colour, mark, " ", cells(indent)+2, bold, words)
	p.wrapped(indent+"  ", dim, strings.Join(filled(clean(in.ID), p.when(in.At), aboutWords(string(in.Incident)), byWords(in)), " · "))
	switch {
	case in.Undone != "":
		p.wrapped(indent+"  ", plain, "It was taken back by "+clean(in.Undone)+".")
	case in.UndoTried != "":
		p.wrapped(indent+"  ", yellow, clean(in.UndoTried)+" was to take it back, and did not; it is tried once.")
	case in.State == api.RunSucceeded && in.UndoUntil.After(p.At):
		p.wrapped(indent+"  ", plain, "It can be taken back until "+p.clock(in.UndoUntil)+": subconsciousctl undo "+clean(in.ID))
	}
}

// byWords say whose word a run was.
func byWords(in api.ActionRun) string {
	if in.By == "" {
		return ""
	}
	return "by " + clean(in.By)
}

// Runs is the list of what was carried out.
func Runs(view View, in api.RunPage, query api.RunQuery) string {
	p := newPage(view)
	if len(in.Runs) == 0 {
		words := "Nothing was carried out yet."
		if query.Before != "" {
			words = "There is nothing before that."
		}
		p.wrapped("", plain, words)
	}
	for _, run := range in.Runs {
		p.runHead("", run)
		first := "  runs "
		for _, row := range wrapAtMost(oneLine(run.Argv), p.Width-cells(first), maxVectorLines) {
			p.line(first, p.in(dim, row))
			first = strings.Repeat(" ", cells(first))
		}
	}
	p.more(in.Before, "undo --list", false)
	return p.String()
}

// decisionLines says on the one screen what waits for the person's word.
func (p *page) decisionLines(proposed []api.ProposalStatus) {
	first := "  " + pad("to decide", label)
	for _, in := range proposed {
		words := clean(in.Action)
		if reason := clean(in.Reason); reason != "" {
			words += ": " + reason
		}
		p.marked(first, yellow, "?", " ", cells(first)+2, plain, words+" ("+clean(in.ID)+", "+p.waitsUntil(in.Expires)+")")
		next := "subconsciousctl approve " + clean(in.ID) + ", or reject"
		if problem := clean(in.Problem); problem != "" {
			next = problem + ": subconsciousctl reject " + clean(in.ID)
		}
		p.wrapped(strings.Repeat(" ", cells(first))+"→ ", plain, next)
		first = "  " + pad("", label)
	}
}
