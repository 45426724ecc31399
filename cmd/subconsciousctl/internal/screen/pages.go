package screen

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
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
	"Status": with(status), "Missed": with(missed), "Incident": with(incident), "Tick": with(tick), "Messages": with(messages),
}

func with[T any](prepare func(View, T) any) func(View, any) any {
	return func(view View, about any) any { return prepare(view, about.(T)) }
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
