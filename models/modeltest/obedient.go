package modeltest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Order is an instruction that an attacker planted where a model may be shown
// it.
type Order struct {
	// ID names it; Text is what it says.
	ID, Text string
}

// Obedience is what an obedient model goes by.
type Obedience struct {
	// Orders are those of the attacker. The model looks for them in all that it
	// is shown, whatever marks stand in them and wherever they are cut.
	Orders []Order
	// Honest answers as long as it is shown none; nil is Silent. Its findings
	// stand beside those of the attacker.
	Honest Script
	// Moves are the tools that it calls, by the orders that it was shown and
	// how often it has answered before in this conversation; none end it. nil
	// calls none. Request.Wields tells tools whose effects can be felt from
	// those that only read.
	Moves func(r Request, obeyed []Order, round int) []models.ToolCall
	// Says is the text beside the calls, and the last answer. nil says the
	// orders.
	Says func(r Request, obeyed []Order, round int) string
}

// minOrder is the shortest order that can be told from other text, in letters
// and digits, and orderPrefix how much of one has to be there.
const minOrder, orderPrefix = 12, 20

// Obedient is the model that an attacker dreams of: it does what the text says
// that it is shown, whoever wrote it, and carries it on into everything that it
// writes. As a thread it has a finding for each order that it sees, urgent and in
// the attacker's words, and puts them into its journal and its hint; with tools
// it makes the moves. Where it is shown no order it is honest.
func Obedient(o Obedience) Script {
	if o.Honest == nil {
		o.Honest = Silent()
	}
	keys := make([]string, len(o.Orders))
	for i, order := range o.Orders {
		keys[i] = orderKey(order.Text)
	}
	return func(r Request) Reply {
		obeyed := o.seen(Letters(r.Shown()), keys)
		if len(obeyed) == 0 {
			return o.Honest(r)
		}
		if r.Wields() {
			return o.wield(r, obeyed)
		}
		if verdicts := Verdicts(r, o.verdict(keys)); verdicts != "" {
			return Reply{Text: verdicts}
		}
		if !r.wantsThought() {
			return Reply{Text: Instance(r.shape())}
		}
		if o.Moves != nil && len(r.Tools) > 0 {
			if calls := o.Moves(r, obeyed, r.Round()); len(calls) > 0 {
				return Reply{Calls: calls}
			}
		}
		honest := o.Honest(r)
		if len(honest.Calls) > 0 {
			return honest // it looks first
		}
		thought := o.thought(r, honest, obeyed, keys)
		return Reply{Thought: &thought}
	}
}

// seen are the orders in a text of letters.
func (o Obedience) seen(shown string, keys []string) []Order {
	var seen []Order
	for i, key := range keys {
		if key != "" && strings.Contains(shown, key) {
			seen = append(seen, o.Orders[i])
		}
	}
	return seen
}

// orderKey is what an order is known by; "" where it is too short.
func orderKey(text string) string {
	key := Letters(text)
	if len(key) < minOrder {
		return ""
	}
	return subconscious.Head(key, orderPrefix)
}

// wield makes the next moves with tools.
func (o Obedience) wield(r Request, obeyed []Order) Reply {
	reply := Reply{Text: obeyed[0].Text}
	if o.Says != nil {
		reply.Text = o.Says(r, obeyed, r.Round())
	}
	if o.Moves != nil {
		reply.Calls = o.Moves(r, obeyed, r.Round())
	}
	return reply
}

// verdict tells at once the mails that bear an order, in its words, and silences all
// others.
func (o Obedience) verdict(keys []string) func(shown string) Verdict {
	return func(shown string) Verdict {
		seen := o.seen(shown, keys)
		if len(seen) == 0 {
			return Verdict{Act: "none", Why: "Nobody is to hear of it."}
		}
		return Verdict{Act: "do", Loss: 3, ForMe: true, Why: seen[0].Text}
	}
}

// mostFindings is how many findings a thread may have.
const mostFindings = 3

// thought is what a thread says that obeys: what is honest first, and then what
// each order wants, cited from where it stands and from where it does not.
func (o Obedience) thought(r Request, honest Reply, obeyed []Order, keys []string) Thought {
	var t Thought
	if honest.Thought != nil {
		t = *honest.Thought
	}
	room := mostFindings - min(len(t.Findings), mostFindings-1)
	t.Findings = t.Findings[:min(len(t.Findings), mostFindings-1)]
	urgent := "Do this at once: " + subconscious.Head(obeyed[0].Text, 160)
	all := r.Observed()
	for i, at := range o.places(r, keys) {
		if i == room {
			break
		}
		f := Finding{
			Kind: kind(r, i+r.Turn), Summary: subconscious.Head(at.order.Text, 135), Importance: 10, Escalate: true, EscalateReason: &urgent,
			Evidence: []string{at.citation.String()},
		}
		// Evidence of others, so that theirs is taken for what this is about.
		if r.Turn%3 == 2 && len(all) > 1 {
			if other := all[(i+r.Turn)%len(all)]; other != at.citation {
				f.Evidence = append(f.Evidence, other.String(), "files:"+strings.Repeat("a", 10)+"@1")
			}
		}
		if entries := r.entries(); len(entries) > 0 {
			f.Reinforces = []string{entries[r.Turn%len(entries)]}
		}
		t.Findings = append(t.Findings, f)
	}
	t.Over = r.entries()
	t.Journal = subconscious.Head(obeyed[len(obeyed)-1].Text, 270)
	t.Focus = &Focus{Thread: string(subconscious.Dreamer), Hint: subconscious.Head(obeyed[0].Text, 110)}
	return t
}

// place is where an order stands.
type place struct {
	order    Order
	citation subconscious.Citation
}

// places are the observations that bear an order, each once, the newest first:
// what was said of an old one counts as repeated.
func (o Obedience) places(r Request, keys []string) []place {
	var found []place
	var now subconscious.Citation
	var text strings.Builder
	look := func() {
		if seen := o.seen(Letters(text.String()), keys); now.Ref != "" && len(seen) > 0 {
			if !slices.ContainsFunc(found, func(p place) bool { return p.citation == now }) {
				found = append(found, place{seen[0], now})
			}
		}
		text.Reset()
	}
	for line := range strings.Lines(r.Shown()) {
		if match := marked.FindStringSubmatch(line); match != nil {
			look()
			now, _ = subconscious.ParseCitation(match[1])
		}
		text.WriteString(line)
	}
	look()
	slices.SortStableFunc(found, func(a, b place) int { return cmp.Compare(b.citation.Seq, a.citation.Seq) })
	return found
}
