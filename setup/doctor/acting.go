package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/escalate/approve"
	"github.com/subconsciousd/subconsciousd/models"
)

const (
	// askedAtLeast is what the smallest first question of a deliberation counts
	// at worst, in tokens: its system prompt, its tools and one incident, at a token
	// a byte. askedTwice: a call may be tried a second time.
	askedAtLeast = 15_000
	askedTwice   = 2
)

// acting looks at what follows from being told: who deliberates, what that may
// cost, and what may be done.
func (e *examination) acting(context.Context) {
	deliberates := e.deliberation()
	for _, found := range actions.Find(e.Config.Actions, e.Programs) {
		i := slices.IndexFunc(e.Config.Actions, func(a actions.Action) bool { return a.Name == found.Name })
		e.action(e.Config.Actions[i], found)
	}
	ask, n := e.Config.Approve.Ask, len(e.Config.Actions)
	lacks := func(way, path string) bool {
		_, err := os.Stat(path)
		return ask == way && err != nil
	}
	e.say("second factor",
		row{lacks(approve.AskPassphrase, approve.File(e.StateDir)), Degraded, "approving takes a passphrase, and none has been set: nothing can be approved", "set one: subconsciousctl passphrase"},
		row{lacks(approve.AskPolkit, approve.PolkitFile), Degraded, "approving is asked of polkit, which does not know of it: nothing can be approved",
			"subconsciousctl config polkit | sudo tee " + approve.PolkitFile},
		row{ask != approve.AskNone, OK, "approving takes more than your word: " + ask, ""},
		row{n > 0, Note, "approving takes your word alone, which any program of yours can give", "set approve.ask: docs/security.md"})
	e.say("actions", row{n > 0 && !deliberates, Note, fmt.Sprintf("%d configured, and without a deliberation nothing asks for them", n),
		"let a model deliberate: docs/deliberation.md"})
}

// deliberation looks at the model that deliberates, and reports whether there is
// one.
func (e *examination) deliberation() bool {
	const name = "deliberation"
	config := e.Config.Deliberation
	if !config.Enabled {
		e.add(OK, name, "switched off: you are told in the words of the rules", "")
		return false
	}
	assigned, ok := e.deliberator()
	if !ok {
		e.add(Note, name, "no model has the role: you are told in the words of the rules",
			"give it one: a key of Anthropic in ANTHROPIC_API_KEY, or the role deliberation under models.roles")
		return false
	}
	who := assigned.Target.Identity().String()
	if _, err := assigned.Target.Provider.FindKey(e.Env); err != nil && !e.daemonHas(assigned.Target.Provider.ID) {
		e.add(Degraded, name, who+" has no key; until it is there you are told in the words of the rules", "see what is said of the key above")
		return true
	}
	if e.pays(name, assigned) {
		e.add(OK, name, fmt.Sprintf("%s, in at most %d rounds and %s (%s where it is critical)%s", who, config.Rounds,
			config.Deadline, config.CriticalDeadline, e.priceWords(assigned)), "")
	}
	return true
}

// deliberator is who has the role: as the configuration says, or as the daemon
// does, which may have a key that is not to be had here.
func (e *examination) deliberator() (models.RoleAssignment, bool) {
	hasKey := func(p models.Provider) bool {
		_, err := p.FindKey(e.Env)
		return err == nil || e.daemonDeliberatesAt(p.ID)
	}
	all := models.Resolve(e.Config.Models, hasKey)
	i := slices.IndexFunc(all, func(a models.RoleAssignment) bool { return a.Role.ID == models.RoleDeliberation })
	return all[i], all[i].Assigned()
}

// daemonDeliberatesAt reports whether a daemon that runs deliberates with a model
// of that provider.
func (e *examination) daemonDeliberatesAt(provider string) bool {
	return slices.ContainsFunc(e.status.Models, func(m api.ModelStatus) bool {
		return m.Role == models.RoleDeliberation && m.Provider == provider && m.State != api.ModelUnavailable
	})
}

// rate is what the model that deliberates costs.
func (e *examination) rate(assigned models.RoleAssignment) models.Rate {
	return e.Config.Models.Rate(assigned.Target.Provider, assigned.Target.Model)
}

// priceWords say what a deliberation may cost.
func (e *examination) priceWords(assigned models.RoleAssignment) string {
	if e.rate(assigned).Worst(askedAtLeast, assigned.Role.MaxTokens) == 0 {
		return "; it costs nothing"
	}
	return fmt.Sprintf("; at most $%.2f each", e.Config.Deliberation.MaxCost)
}

// pays looks whether a deliberation can be paid for, and reports whether nothing
// is to be said against it.
func (e *examination) pays(name string, assigned models.RoleAssignment) bool {
	rate := e.rate(assigned)
	least := (rate.Worst(askedAtLeast, assigned.Role.MaxTokens) * askedTwice).Float()
	who, most := assigned.Target.Identity().String(), e.Config.Deliberation.MaxCost
	limits := e.limits((askedAtLeast+assigned.Role.MaxTokens)*askedTwice, least)
	for _, l := range limits {
		if l.n >= l.needed {
			continue
		}
		e.say(name,
			row{!l.money, Degraded, fmt.Sprintf("%s lets no call of %s through: you are told in the words of the rules", l.key, who), "raise " + l.key},
			row{true, Degraded, fmt.Sprintf("its first question to %s may cost $%.2f, and %s is $%.2f: it is never asked", who, least, l.key, l.n),
				cmp.Or(rate.Remedy(), "raise "+l.key+", or give the role deliberation a model that costs less")})
		return false
	}
	tight := slices.IndexFunc(limits, func(l limit) bool { return l.money && l.n < most })
	if tight >= 0 && least > 0 {
		l := limits[tight]
		e.add(Note, name, fmt.Sprintf("%s may cost $%.2f each time, and %s is $%.2f: a deliberation gets what is left of it", who, most, l.key, l.n),
			"lower deliberation.max_cost or raise "+l.key+", unless that is what you want")
		return false
	}
	return true
}

// limit is one that a deliberation is under: what it is, in US dollars where it
// is of money, and what the first question needs of it.
type limit struct {
	key       string
	money     bool
	n, needed float64
}

// limits are those that a deliberation has, whose first question takes so many
// tokens and US dollars at worst: of money the tightest first, behind its own.
func (e *examination) limits(tokens int, money float64) []limit {
	const own = " of deliberation under budget.threads"
	b, role := e.Config.Budget, budget.DefaultThread(models.RoleDeliberation)
	if i := slices.IndexFunc(b.Threads, func(t budget.Thread) bool { return t.ID == role.ID }); i >= 0 {
		role = b.Threads[i]
	}
	all := []limit{
		{"budget.calls_per_day", false, float64(b.CallsPerDay), 1}, {"budget.tokens_per_day", false, float64(b.TokensPerDay), float64(tokens)},
		{"calls_per_day" + own, false, float64(role.CallsPerDay), 1}, {"tokens_per_day" + own, false, float64(role.TokensPerDay), float64(tokens)},
	}
	purses := []limit{{"budget.money_per_day", true, b.MoneyPerDay, money}, {"budget.money_per_month", true, b.MoneyPerMonth, money}, {"money_per_day" + own, true, role.MoneyPerDay, money}}
	slices.SortStableFunc(purses, func(a, b limit) int { return cmp.Compare(a.n, b.n) })
	all = append(append(all, limit{"deliberation.max_cost", true, e.Config.Deliberation.MaxCost, money}), purses...)
	return slices.DeleteFunc(all, func(l limit) bool { return l.n < 0 }) // which is none
}

// action looks at one that is configured: its program, and where it works.
func (e *examination) action(a actions.Action, found actions.Found) {
	if found.Problem != nil {
		e.add(Broken, a.Name, found.Problem.Text+": it is not offered", found.Problem.Next)
		return
	}
	folders := []string{a.Folder}
	for _, p := range a.Params {
		folders = append(folders, p.Root)
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); folder != "" && (err != nil || !info.IsDir()) {
			e.add(Degraded, a.Name, "the folder "+folder+" is not there, so that it fails", "make it, or correct the action")
			return
		}
	}
	words := "runs " + found.Program + "; " + approvalWords(a.Approval)
	undo := ""
	if found.Undo != "" {
		undo = "; can be taken back by " + found.Undo
	}
	e.say(a.Name,
		row{lacksSession(a), Degraded, found.Program + " talks to your session, and gets none of the variables by which it finds that", "write env: [XDG_RUNTIME_DIR] into the action"},
		row{a.Approval == escalate.ApproveNever, Note, words, "write approval: tainted or always, unless that is what you want"},
		row{true, OK, words + undo, ""})
}

// lacksSession reports whether an action calls what finds the person's session by
// a variable that it does not get.
func lacksSession(a actions.Action) bool {
	if slices.Contains(a.Env, "XDG_RUNTIME_DIR") || slices.Contains(a.Env, "DBUS_SESSION_BUS_ADDRESS") {
		return false
	}
	calls := func(command []string) bool {
		if len(command) == 0 {
			return false
		}
		switch filepath.Base(command[0]) {
		case "notify-send":
			return true
		case "systemctl", "systemd-run":
			return slices.Contains(command, "--user")
		}
		return false
	}
	return calls(a.Command) || calls(a.Undo)
}

// approvalWords say when an action waits.
func approvalWords(approval escalate.Approval) string {
	switch approval {
	case escalate.ApproveTainted:
		return "waits for you where a stranger's or an agent's word was shown"
	case escalate.ApproveNever:
		return "waits for you only where a stranger's word was shown"
	}
	return "waits for you each time"
}
