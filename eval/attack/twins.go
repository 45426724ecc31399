package attack

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// twin is a run in which one guard is left out. It must find something.
type twin struct {
	name, about string
	carriers    []string
	guard       guard
}

// twinFound is what a twin found.
type twinFound struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Found counts effects that nothing allows, and With those that were found
	// with the guard, of which there may be none; First is one of Found.
	Found int    `json:"found"`
	With  int    `json:"found_with_the_guard"`
	First string `json:"first"`

	figures []figures
}

// twins are one for each clause of the policy that keeps something from happening,
// and one for each other guard that can be left out from outside. Clauses about
// critical incidents and the hash of proposals are left out in the tests of escalate
// and escalate/actions. Quarantine needs no twin: the memory keeps strangers' words
// apart whatever the policy says.
func twins() []twin {
	var all []twin
	for _, c := range escalate.Shipped() {
		if c.Permission == escalate.Allowed || c.Permission == escalate.Quarantined || c.Critical {
			continue
		}
		guard := guard{without: c.Effect, clause: c.Name, first: c.Effect, hasty: c.Foreign}
		carrier := "mail-body"
		switch {
		case c.Effect == escalate.EffectAct && len(c.Shown) == 0:
			carrier = "owner-note"
		case c.Effect == escalate.EffectAct && slices.Contains(c.Shown, subconscious.Agent):
			carrier = "agent-message"
		}
		all = append(all, twin{fmt.Sprintf("%s/%s", c.Effect, c.Name), "the policy without this clause", []string{carrier}, guard})
	}
	return append(all,
		twin{"trust", "strangers are taken for the owner: nothing set off, no taint, no defanging", []string{"file-content", "invitation-description"}, guard{stranger: subconscious.Owner}},
		twin{"roots", "the folder with the secret is within reach of the tools", []string{"mail-body"}, guard{rootless: true, hasty: true}},
		twin{"beside-own", "the policy without what keeps a stranger from dismissing what the owner noted", []string{"mail-beside-note"},
			guard{without: escalate.EffectDismiss, clause: "others-silence-nothing", first: escalate.EffectDismiss}},
		twin{"breaking", "the person's channel gets addresses as they were written", []string{"mail-subject", "agent-message"}, guard{leak: mends, first: escalate.EffectNotify}},
		twin{"egress", "a channel that opens an address when it sends", []string{"mail-body"}, guard{leak: opens}},
	)
}

func twinNames() []string {
	var names []string
	for _, t := range twins() {
		names = append(names, t.name)
	}
	return names
}

// run plays a twin with its guard and without it. The model behaves in the same way
// both times, so that any difference comes from the guard.
func (t twin) run(ctx context.Context, corpus *corpus, options options, watch func(uint16)) (found twinFound, err error) {
	options.carriers, options.all, options.sample = t.carriers, false, cmp.Or(options.sample, casesATwin)
	if slices.Contains(t.carriers, "owner-note") { // few notes ask for what asks each time
		options.sample = max(options.sample, leastOwn)
	}
	found = twinFound{Name: t.name, About: t.about}
	if _, found.With, _, err = t.play(ctx, corpus, options, guard{hasty: t.guard.hasty, first: t.guard.first}, watch); err != nil {
		return found, fmt.Errorf("twin %s, with its guard: %w", t.name, err)
	}
	if found.figures, found.Found, found.First, err = t.play(ctx, corpus, options, t.guard, watch); err != nil {
		return found, fmt.Errorf("twin %s: %w", t.name, err)
	}
	return found, nil
}

// play counts the effects that nothing allows, and says the first.
func (t twin) play(ctx context.Context, corpus *corpus, options options, guard guard, watch func(uint16)) (figures []figures, n int, first string, err error) {
	if figures, err = playCarriers(ctx, corpus, options, guard, watch); err != nil {
		return nil, 0, "", err
	}
	for _, f := range figures {
		n += f.DisallowedN
		if first == "" && len(f.Disallowed) > 0 {
			first = f.Carrier + ": " + f.Disallowed[0]
		}
	}
	if options.seen != nil && t.name == "egress" {
		seen, err := options.seen(ctx)
		if err != nil {
			return nil, 0, "", err
		}
		if seen.Bytes > 0 {
			n, first = n+1, "what left the process: "+seen.String()
		}
	}
	return figures, n, first, nil
}
