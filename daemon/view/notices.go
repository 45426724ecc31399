package view

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// NoticeModel is the code of the notice that a thread thinks without its model.
const NoticeModel = "model_unavailable"

// Thinks begins a notice about a thread.
func Thinks(thread string) string { return "the " + thread + " thinks " }

// shownNotices are the notices for people. Threads whose model cannot be had for
// the same cause, or whose model is the same, share one: the oldest.
func (v *Reader) shownNotices(all []api.Notice) []api.Notice {
	type group struct {
		how, cause, usual string
		who               []string
	}
	shown, groups := []api.Notice{}, []group{}
	for _, n := range all {
		says, ok := strings.CutPrefix(n.Text, Thinks(n.Key))
		one := group{}
		if n.Code == NoticeModel && ok {
			one.usual, one.who = v.in.Usual(subconscious.ThreadName(n.Key)), []string{"the " + n.Key}
			one.how, one.cause, _ = strings.Cut(says, ": ")
		}
		i := slices.IndexFunc(groups, func(g group) bool {
			return one.who != nil && g.how == one.how && (g.cause == one.cause || g.usual == one.usual)
		})
		if i < 0 {
			shown, groups = append(shown, n), append(groups, one)
			continue
		}
		g := &groups[i]
		shown[i].Text = strings.Join(g.who, ", ") + " and " + one.who[0] + " think " + g.how + ": " + g.cause
		g.who = append(g.who, one.who[0])
	}
	return shown
}
