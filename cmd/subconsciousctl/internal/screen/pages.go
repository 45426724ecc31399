package screen

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
	"github.com/subconsciousd/subconsciousd/setup/signin"
)

// Proposals is the list of what waits for the person's word, and of what does
// not any more, where that was asked for.
func Proposals(view View, in api.ProposalPage, query api.ProposalQuery) string {
	waiting, decided := part(in.Proposals, func(p api.Proposal) bool { return p.State == api.ProposalPending })
	return draw(view, "Proposals", struct {
		api.ProposalPage
		Waiting, Decided []api.Proposal
	}{in, waiting, decided}, query)
}

// part parts what fits from what does not.
func part[T any](all []T, fits func(T) bool) (those, others []T) {
	for _, one := range all {
		if fits(one) {
			those = append(those, one)
		} else {
			others = append(others, one)
		}
	}
	return those, others
}

// Proposal is one proposal in full: exactly what would run, why it is asked,
// and whose words the model had been shown.
func Proposal(view View, in api.Proposal) string { return draw(view, "Proposal", in) }

// Decided says what came of a decision.
func Decided(view View, result api.ProposalResult) string { return draw(view, "Decided", result) }

// Run is one run in full.
func Run(view View, in api.ActionRun) string { return draw(view, "Run", in) }

// Undoing is a run that would be taken back, exactly as it was carried out.
func Undoing(view View, in api.ActionRun) string { return draw(view, "Undoing", in) }

// Runs is the list of what was carried out.
func Runs(view View, in api.RunPage, query api.RunQuery) string {
	return draw(view, "Runs", in, query)
}

// Memories is what a search found, or the newest.
func Memories(view View, in api.MemoryPage, query api.MemoryQuery) string {
	return draw(view, "Memories", in, query)
}

// Memory is one memory in full.
func Memory(view View, m api.MemoryRecord) string { return draw(view, "Memory", m) }

// Remembered says what became of a change.
func Remembered(view View, m api.MemoryRecord, change api.MemoryChange) string {
	return draw(view, "Remembered", m, change)
}

// Conversations is the list of conversations.
func Conversations(view View, in api.ConversationPage, query api.ConversationQuery) string {
	return draw(view, "Conversations", in, query)
}

// Messages is a conversation, the newest message last.
func Messages(view View, in api.MessagePage, conversation string) string {
	in.Messages = slices.Clone(in.Messages)
	slices.Reverse(in.Messages)
	return draw(view, "Messages", in, conversation)
}

// FoundMessages is what a search found, the best first.
func FoundMessages(view View, in api.MessagePage) string { return draw(view, "FoundMessages", in) }

// Posted says where a message went.
func Posted(view View, m api.Message) string { return draw(view, "Posted", m) }

// Models is the table of roles and their models.
func Models(view View, models []api.ModelStatus) string { return draw(view, "Models", models) }

// ModelTests says what came of asking models live.
func ModelTests(view View, tests []api.ModelTest) string {
	failed, cost := 0, 0.0
	for _, t := range tests {
		if cost += t.Cost; !t.OK {
			failed++
		}
	}
	return draw(view, "ModelTests", struct {
		Tests  []api.ModelTest
		Failed int
		Cost   float64
	}{tests, failed, cost})
}

// Ready says where a stand-in for a provider listens, and how to use it.
func Ready(view View, url, anthropic, snippet, warning string) string {
	return draw(view, "Ready", struct{ URL, Anthropic, Snippet, Warning string }{url, anthropic, snippet, warning})
}

// Prompt is what a thread would be asked now. The prompt itself is not wrapped,
// so that it can be read as the model reads it.
func Prompt(view View, r api.RenderedPrompt) string { return draw(view, "Prompt", r) }

// Channels is the list of channels, each with its health.
func Channels(view View, channels []api.ChannelStatus) string {
	return draw(view, "Channels", channels)
}

// Renewed says what follows from a new reply topic.
func Renewed(view View, c api.ChannelStatus) string { return draw(view, "Renewed", c) }

// NotifyTests says what became of test messages.
func NotifyTests(view View, tests []api.Delivery) string {
	arrived, _ := part(tests, Arrived)
	return draw(view, "NotifyTests", struct {
		Tests []api.Delivery
		Sent  int
	}{tests, len(arrived)})
}

// ReadyChannel says where a stand-in for an ntfy server listens, and how to use
// it.
func ReadyChannel(view View, url, snippet string) string {
	return draw(view, "ReadyChannel", struct{ URL, Snippet string }{url, snippet})
}

// Push is one message as a phone would show it, with the commands that press
// its buttons, each on one line that can be copied.
func Push(view View, m Pushed) string { return draw(view, "Push", m) }

// Calibration is what was learnt from the person's answers.
func Calibration(view View, c api.Calibration) string { return draw(view, "Calibration", c) }

// Forgot says what a reset forgot, and what is left.
func Forgot(view View, f Forgotten) string { return draw(view, "Forgot", f) }

// Doctor says what an examination found.
func Doctor(view View, findings []doctor.Finding) string {
	type part struct {
		Name     string
		Findings []doctor.Finding
	}
	var parts []part
	counts := map[doctor.State]int{}
	for _, f := range findings {
		if n := len(parts); n == 0 || parts[n-1].Name != f.Part {
			parts = append(parts, part{Name: f.Part})
		}
		of := &parts[len(parts)-1]
		of.Findings = append(of.Findings, f)
		counts[f.State]++
	}
	return draw(view, "Doctor", struct {
		Parts            []part
		Broken, Degraded int
	}{parts, counts[doctor.Broken], counts[doctor.Degraded]})
}

// Accounts says how each mail account is signed in to.
func Accounts(view View, accounts []signin.Account) string { return draw(view, "Accounts", accounts) }

// SignInForgotten says whether there was a sign-in to forget.
func SignInForgotten(view View, id string, was bool) string {
	return draw(view, "SignInForgotten", struct {
		ID  string
		Was bool
	}{id, was})
}

// Question writes a question with its numbered choices, each a name and words.
func Question(view View, question string, choices [][2]string) string {
	return draw(view, "Question", struct {
		Question string
		Choices  [][2]string
	}{question, choices})
}

// Command says what became of a command.
func Command(view View, result api.CommandResult) string { return draw(view, "Command", result) }

// Pause says whether ticks are stopped.
func Pause(view View, state api.PauseState) string { return draw(view, "Pause", state) }

// Sort names the sort of thing that a score is about.
func Sort(s api.ScoreStatus) string {
	var parts []string
	for _, part := range []string{string(s.Thread), s.Source, string(s.Kind)} {
		if part = clean(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

// usefulShare is how many in ten of what was said of a sort were for telling.
func usefulShare(s api.ScoreStatus) int {
	good := s.Useful + s.Missed
	all := good + s.NotUseful + s.Dismissed + s.Ignored
	if all == 0 {
		return 0
	}
	return (good*barCells + all/2) / all
}

// Forgotten is what a reset of the calibration forgot.
type Forgotten struct {
	Forgot []api.ScoreStatus `json:"forgot"`
	api.Calibration
}
