package screen

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// Draw writes the page of that name about what the daemon answered; asked is what
// was asked for, where the page says that too.
func Draw(view View, name string, about any, asked ...any) string {
	if prepare := prepared[name]; prepare != nil {
		about = prepare(view, about)
	}
	p := open(view, name)
	if len(asked) > 0 {
		p.asked = asked[0]
	}
	p.render(string(p.say(name, about)))
	return p.String()
}

// prepared are the pages that are drawn of more than the answer as it came.
var prepared = map[string]func(View, any) any{
	"Status": with(status), "Inbox": with(inbox), "Missed": with(missed), "Incident": with(incident), "Proposals": with(proposals), "Tick": with(tick),
	"Messages": with(messages), "ModelTests": with(modelTests), "NotifyTests": with(notifyTests), "Doctor": with(examined),
}

func with[T any](prepare func(View, T) any) func(View, any) any {
	return func(view View, about any) any { return prepare(view, about.(T)) }
}

// proposals parts those that wait for the person's word from the others.
func proposals(_ View, in api.ProposalPage) any {
	waiting, decided := part(in.Proposals, func(p api.Proposal) bool { return p.State == api.ProposalPending })
	return struct {
		api.ProposalPage
		Waiting, Decided []api.Proposal
	}{in, waiting, decided}
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

// messages puts the newest message last.
func messages(_ View, in api.MessagePage) any {
	in.Messages = slices.Clone(in.Messages)
	slices.Reverse(in.Messages)
	return in
}

// modelTests adds up what came of asking models live.
func modelTests(_ View, tests []api.ModelTest) any {
	failed, cost := 0, 0.0
	for _, t := range tests {
		if cost += t.Cost; !t.OK {
			failed++
		}
	}
	return struct {
		Tests  []api.ModelTest
		Failed int
		Cost   float64
	}{tests, failed, cost}
}

// notifyTests counts the test messages that arrived.
func notifyTests(_ View, tests []api.Delivery) any {
	arrived, _ := part(tests, Arrived)
	return struct {
		Tests []api.Delivery
		Sent  int
	}{tests, len(arrived)}
}

// examined puts what an examination found below its parts.
func examined(_ View, findings []doctor.Finding) any {
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
	return struct {
		Parts            []part
		Broken, Degraded int
	}{parts, counts[doctor.Broken], counts[doctor.Degraded]}
}

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
	Forgot        []api.ScoreStatus `json:"forgot"`
	ForgotLetters []api.HabitStatus `json:"forgot_letters,omitempty"`
	api.Calibration
}
