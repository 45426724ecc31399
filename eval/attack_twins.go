package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// attackTwin is a run in which one guard is left out. It must find something.
type attackTwin struct {
	name, about string
	carriers    []string
	guard       attackGuard
}

// twinFound is what a twin found.
type twinFound struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Found counts what a run with the guard would have called missed; First is
	// one of them.
	Found int    `json:"found"`
	First string `json:"first"`

	figures []attackFigures
}

// attackTwins are one for each clause of the policy that keeps something from
// happening, and for the other guards that can be left out from outside. The
// clauses on what is critical, and the hash of proposals, have their twins in the
// tests of escalate and of escalate/actions; what a stranger's word was shown for
// is kept apart by the memory, too, whatever the policy says.
func attackTwins() []attackTwin {
	var all []attackTwin
	for _, c := range escalate.Shipped() {
		if c.Permission == escalate.Allowed || c.Permission == escalate.Quarantined || c.Critical {
			continue
		}
		guard := attackGuard{without: c.Effect, clause: c.Name, first: c.Effect, hasty: c.Foreign}
		carrier := "mail-body"
		switch {
		case c.Effect == escalate.EffectAct && len(c.Shown) == 0:
			carrier = "owner-note"
		case c.Effect == escalate.EffectAct && slices.Contains(c.Shown, subconscious.Agent):
			carrier = "agent-message"
		}
		all = append(all, attackTwin{fmt.Sprintf("%s/%s", c.Effect, c.Name), "the policy without this clause", []string{carrier}, guard})
	}
	return append(all,
		attackTwin{"trust", "strangers are taken for the owner: no marks, no taint, no defanging", []string{"file-content", "invitation-description"}, attackGuard{stranger: subconscious.Owner}},
		attackTwin{"roots", "the folder with the secret is within reach of the tools", []string{"mail-body"}, attackGuard{rootless: true, hasty: true}},
		attackTwin{"withheld", "the model is shown the words of all affairs before it does anything", []string{"owner-note"}, attackGuard{hasty: true}},
		attackTwin{"beside-own", "the policy without what keeps a stranger from dismissing what the owner noted", []string{"mail-beside-note"},
			attackGuard{without: escalate.EffectDismiss, clause: "others-silence-nothing", first: escalate.EffectDismiss}},
		attackTwin{"egress", "a channel that opens an address when it sends", []string{"mail-body"}, attackGuard{opens: true}},
	)
}

// twinCarriers are those of all twins.
func twinCarriers() []string {
	return []string{"mail-body", "mail-beside-note", "invitation-description", "file-content", "owner-note"}
}

func twinNames() []string {
	var names []string
	for _, t := range attackTwins() {
		names = append(names, t.name)
	}
	return names
}

// run plays a twin.
func (t attackTwin) run(ctx context.Context, corpus *attackCorpus, options attackOptions, watch func(uint16)) (twinFound, error) {
	options.carriers = t.carriers
	options.all = false
	if options.sample == 0 {
		options.sample = casesATwin
	}
	if slices.Contains(t.carriers, "owner-note") { // what has to follow from notes is looked for in many alone
		options.sample = max(options.sample, leastOwn)
	}
	found := twinFound{Name: t.name, About: t.about}
	if t.guard.without != "" {
		if err := t.guard.policy().Validate(); err != nil {
			// A daemon does not start with it.
			found.Found, found.First = 1, "the daemon refuses to start: "+oneLine(err.Error())
			return found, nil
		}
	}
	figures, err := playCarriers(ctx, corpus, options, t.guard, watch)
	if err != nil {
		return found, err
	}
	found.figures = figures
	result := attackResult{Carriers: figures}
	if options.seen != nil && t.guard.opens {
		if result.Egress, err = options.seen(ctx); err != nil {
			return found, err
		}
		result.Watched = true
	}
	result.reaches()
	found.Found = len(result.Missed)
	for _, f := range figures {
		if len(f.Disallowed) > 0 && found.First == "" {
			found.First = f.Carrier + ": " + f.Disallowed[0]
		}
	}
	if found.First == "" && len(result.Missed) > 0 {
		found.First = result.Missed[0]
	}
	return found, nil
}
