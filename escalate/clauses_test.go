package escalate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Permissions returns every permission, the laxest first.
func Permissions() []Permission { return []Permission{Allowed, Quarantined, Proposed, Refused} }

// Laxness orders permissions: 0 for Refused and whatever is none, 3 for Allowed.
func (p Permission) Laxness() int {
	i := slices.Index(Permissions(), p)
	if i < 0 {
		return 0
	}
	return len(Permissions()) - 1 - i
}

// Approvals returns every approval.
func Approvals() []Approval { return []Approval{ApproveAlways, ApproveTainted, ApproveNever} }

// Validate names every clause that cannot be used: one without a name or a
// reason, with an effect, a trust, an approval or a permission that is none, with
// a name that another clause of its effect has, or one that never decides, since
// earlier ones speak wherever it does; and every effect of which more is
// permitted where more was shown.
func (p Policy) Validate() error {
	var problems []error
	deciding := p.deciding()
	for i, c := range p {
		bad := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("clause %d (%.40q): %s", i+1, c.Name, fmt.Sprintf(format, args...)))
		}
		for _, problem := range c.problems() {
			bad("%s", problem)
		}
		for _, earlier := range p[:i] {
			if earlier.Effect == c.Effect && earlier.Name == c.Name {
				bad("its name is that of another clause on %s", c.Effect)
			}
		}
		if !deciding[i] {
			bad("it never decides: others speak before it wherever it does")
		}
	}
	relents := p.relents()
	for _, effect := range Effects() {
		if relents[effect] {
			problems = append(problems, fmt.Errorf("%s: more is permitted where more was shown", effect))
		}
	}
	return errors.Join(problems...)
}

// relents reports of each effect whether a request is permitted more because a model
// was shown more.
func (p Policy) relents() map[Effect]bool {
	relents, all := map[Effect]bool{}, taints()
	for _, shown := range all {
		var more []Taint
		for _, words := range all {
			more = append(more, shown.With(words.Words...))
		}
		for _, effect := range Effects() {
			for _, request := range requestsOf(effect, shown) {
				permission := p.Judge(request).Permission.Laxness()
				for _, request.Taint = range more {
					relents[effect] = relents[effect] || p.Judge(request).Permission.Laxness() > permission
				}
			}
		}
	}
	return relents
}

// problems are what is wrong with a clause by itself.
func (c Clause) problems() []string {
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if !isPlainName(c.Name) {
		bad("it needs a name of small letters and hyphens")
	}
	if strings.TrimSpace(c.Why) == "" || strings.ContainsAny(c.Why, "|\n") {
		bad("it needs a reason on one line, without |")
	}
	if !slices.Contains(Effects(), c.Effect) {
		bad("%.40q is no effect", c.Effect)
	}
	if !slices.Contains(Permissions(), c.Permission) {
		bad("%.40q is no permission", c.Permission)
	}
	if c.Permission == Quarantined && c.Effect != EffectRemember {
		bad("only what is remembered can be kept apart")
	}
	if c.Permission == Proposed && c.Effect != EffectPost && c.Effect != EffectAct {
		bad("only actions and messages can be proposed")
	}
	trusts := []subconscious.Trust{subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider}
	for _, trust := range c.Shown {
		if !slices.Contains(trusts, trust) {
			bad("%.40q is no trust", trust)
		}
	}
	for _, approval := range c.Approval {
		if !slices.Contains(Approvals(), approval) {
			bad("%.40q is no approval", approval)
		}
	}
	if len(c.Approval) > 0 && c.Effect != EffectAct {
		bad("only actions are approved")
	}
	return problems
}

func isPlainName(name string) bool {
	return name != "" && len(name) <= 40 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// deciding are the clauses that decide some request, by their place: all the requests
// are tried that clauses can tell apart.
func (p Policy) deciding() map[int]bool {
	deciding := map[int]bool{}
	for _, effect := range Effects() {
		for _, w := range requests(effect) {
			if i := slices.IndexFunc(p, func(c Clause) bool { return c.speaksOf(w) }); i >= 0 {
				deciding[i] = true
			}
		}
	}
	return deciding
}

// owned is the one observation of the incident that requests are about.
const owned = subconscious.Ref("mail:aaaaaaaaaa")

// requests are a request of every sort that clauses can tell apart.
func requests(effect Effect) []Request {
	var all []Request
	for _, taint := range taints() {
		all = append(all, requestsOf(effect, taint)...)
	}
	return all
}

func requestsOf(effect Effect, taint Taint) (all []Request) {
	for _, approval := range append(Approvals(), "") {
		for _, critical := range []bool{false, true} {
			all = append(all, Request{Effect: effect, Taint: taint, Own: []subconscious.Ref{owned}, Critical: critical, Approval: approval})
		}
	}
	return all
}

// taints are a taint of every sort that clauses can tell apart: whose words were
// shown, of the incident itself, of another, or of a stranger's incident with the
// person's and the machine's beside it.
func taints() []Taint {
	trusts := []subconscious.Trust{subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider}
	var all []Taint
	for shown := range 1 << len(trusts) {
		var own, others, beside []Word
		for bit, trust := range trusts {
			if shown&(1<<bit) != 0 {
				own = append(own, Word{Trust: trust, Ref: owned, Voice: "one", Source: "evidence"})
				others = append(others, Word{Trust: trust, Voice: "one", Source: "memory"})
				w := Word{Trust: trust, Ref: owned, Voice: "one", Source: "evidence"}
				if trust == subconscious.Owner || trust == subconscious.Machine {
					w.Ref, w.Source = "", "mind"
				}
				beside = append(beside, w)
			}
		}
		all = append(all, Taint{}.With(own...), Taint{}.With(others...), Taint{}.With(beside...))
	}
	return all
}

// Table is the policy for people, in Markdown: a row a clause, in the order in
// which they are asked, and the last one for what none speaks of.
func (p Policy) Table() string {
	var out strings.Builder
	out.WriteString("| effect | where | permission | clause | because |\n|---|---|---|---|---|\n")
	for _, c := range p {
		fmt.Fprintf(&out, "| `%s` | %s | %s | `%s` | %s |\n", c.Effect, c.where(), c.Permission, c.Name, c.Why)
	}
	fmt.Fprintf(&out, "| anything else | always | %s | `%s` | %s |\n", Refused, unspoken, denied)
	return out.String()
}

// where is what a clause asks for, in words.
func (c Clause) where() string {
	var asked []string
	if len(c.Shown) > 0 {
		asked = append(asked, "a word of "+whose(c.Shown)+" was shown")
	}
	if c.Foreign {
		asked = append(asked, "a word of a stranger or an agent was shown that is not of this incident, or is not the only voice in it")
	}
	if c.Critical {
		asked = append(asked, "it is critical")
	}
	if len(c.Approval) > 0 {
		var names []string
		for _, approval := range c.Approval {
			names = append(names, "`"+string(approval)+"`")
		}
		asked = append(asked, "its approval is "+strings.Join(names, " or "))
	}
	if len(asked) == 0 {
		return "always"
	}
	return strings.Join(asked, ", and ")
}

func whose(trusts []subconscious.Trust) string {
	words := map[subconscious.Trust]string{
		subconscious.Owner: "the person", subconscious.Machine: "the machine", subconscious.Agent: "an agent", subconscious.Outsider: "a stranger",
	}
	var names []string
	for _, trust := range trusts {
		names = append(names, words[trust])
	}
	return strings.Join(names, " or ")
}
