package doctor

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
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
func (e *examination) acting() {
	deliberates := e.deliberation()
	for _, found := range actions.Find(e.Config.Actions, e.Programs) {
		i := slices.IndexFunc(e.Config.Actions, func(a actions.Action) bool { return a.Name == found.Name })
		e.action(e.Config.Actions[i], found)
	}
	if n := len(e.Config.Actions); n > 0 && !deliberates {
		e.add(Note, "actions", fmt.Sprintf("%d configured, and without a deliberation nothing asks for them", n),
			"let a model deliberate: docs/deliberation.md")
	}
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
	if _, err := assigned.Target.Provider.Key(e.Env); err != nil && !e.daemonHas(assigned.Target.Provider.ID) {
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
		_, err := p.Key(e.Env)
		return err == nil || e.daemonDeliberatesAt(p.ID)
	}
	all := models.Resolve(e.Config.Models, hasKey)
	i := slices.IndexFunc(all, func(a models.RoleAssignment) bool { return a.Role.ID == models.RoleDeliberation })
	return all[i], all[i].Assigned()
}

// daemonDeliberatesAt reports whether a daemon that runs deliberates with a model
// of that provider.
func (e *examination) daemonDeliberatesAt(provider string) bool {
	return e.status != nil && slices.ContainsFunc(e.status.Models, func(m api.ModelStatus) bool {
		return m.Role == models.RoleDeliberation && m.Provider == provider && m.State != api.ModelUnavailable
	})
}

// rate is what the model that deliberates costs.
func (e *examination) rate(assigned models.RoleAssignment) models.Rate {
	prices, err := models.OpenPrices(e.Config.Models.Prices)
	if err != nil {
		return models.Rate{} // said of the prices already
	}
	return prices.Of(assigned.Target.Provider, assigned.Target.Model)
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
	least := rate.Worst(askedAtLeast, assigned.Role.MaxTokens) * askedTwice
	who, most := assigned.Target.Identity().String(), e.Config.Deliberation.MaxCost
	if key := e.nothingThrough((askedAtLeast + assigned.Role.MaxTokens) * askedTwice); key != "" {
		e.add(Degraded, name, fmt.Sprintf("%s lets no call of %s through: you are told in the words of the rules", key, who), "raise "+key)
		return false
	}
	if least == 0 {
		return true
	}
	if budget.Dollars(most) < least {
		e.add(Degraded, name, fmt.Sprintf("its first question to %s may cost $%.2f, and deliberation.max_cost is $%.2f: it is never asked", who, least.Float(), most),
			cmp.Or(rate.Remedy(), "raise deliberation.max_cost, or give the role deliberation a model that costs less"))
		return false
	}
	key, limit := e.tightest()
	switch {
	case limit < 0:
	case budget.Dollars(limit) < least:
		e.add(Degraded, name, fmt.Sprintf("its first question to %s may cost $%.2f, and %s is $%.2f: it is never asked", who, least.Float(), key, limit),
			cmp.Or(rate.Remedy(), "raise "+key+", or give the role deliberation a model that costs less"))
		return false
	case limit < most:
		e.add(Note, name, fmt.Sprintf("%s may cost $%.2f each time, and %s is $%.2f: a deliberation gets what is left of it", who, most, key, limit),
			"lower deliberation.max_cost or raise "+key+", unless that is what you want")
		return false
	}
	return true
}

// ownLimits are those of the role deliberation alone; false where there are none.
func (e *examination) ownLimits() (budget.Thread, bool) {
	all := e.Config.Budget.Threads
	i := slices.IndexFunc(all, func(t budget.Thread) bool { return t.ID == models.RoleDeliberation })
	if i < 0 {
		return budget.Thread{}, false
	}
	return all[i], true
}

// nothingThrough is the key of a limit of calls or tokens that lets no call of a
// deliberation through, which takes so many tokens at worst; "" for none.
func (e *examination) nothingThrough(tokens int) string {
	b := e.Config.Budget
	own, limited := e.ownLimits()
	for _, l := range []struct {
		key       string
		n, needed int
		set       bool
	}{
		{"budget.calls_per_day", b.CallsPerDay, 1, true}, {"budget.tokens_per_day", b.TokensPerDay, tokens, true},
		{"calls_per_day of deliberation under budget.threads", own.CallsPerDay, 1, limited},
		{"tokens_per_day of deliberation under budget.threads", own.TokensPerDay, tokens, limited},
	} {
		if l.set && l.n >= 0 && l.n < l.needed {
			return l.key
		}
	}
	return ""
}

// tightest is the smallest limit of money that a deliberation has, in US
// dollars, and its key; below 0 for none.
func (e *examination) tightest() (key string, limit float64) {
	b, limit := e.Config.Budget, -1.0
	own, limited := e.ownLimits()
	for _, l := range []struct {
		key   string
		money float64
		set   bool
	}{
		{"budget.money_per_day", b.MoneyPerDay, true}, {"budget.money_per_month", b.MoneyPerMonth, true},
		{"money_per_day of deliberation under budget.threads", own.MoneyPerDay, limited},
	} {
		if l.set && l.money >= 0 && (limit < 0 || l.money < limit) {
			key, limit = l.key, l.money
		}
	}
	return key, limit
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
		if folder == "" {
			continue
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			e.add(Degraded, a.Name, "the folder "+folder+" is not there, so that it fails", "make it, or correct the action")
			return
		}
	}
	if lacksSession(a) {
		e.add(Degraded, a.Name, found.Program+" talks to your session, and gets none of the variables by which it finds that",
			"write env: [XDG_RUNTIME_DIR] into the action")
		return
	}
	words := "runs " + found.Program + "; " + approvalWords(a.Approval)
	if a.Approval == escalate.ApproveNever {
		e.add(Note, a.Name, words, "write approval: tainted or always, unless that is what you want")
		return
	}
	if found.Undo != "" {
		words += "; can be taken back by " + found.Undo
	}
	e.add(OK, a.Name, words, "")
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
