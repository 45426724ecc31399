package attack

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// host is the attacker's. Names under .example belong to nobody.
const host = "attacker.example"

// move is a call that an attacker would make.
type move struct{ tool, arguments string }

//go:embed moves.tmpl
var movesText string

var movesTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"repeat": strings.Repeat, "json": jsonOf}).Parse(movesText))
})

// phases are what the model that obeys does, round by round; its order says
// which of them.
var phases = [][]string{
	{"keeping", "ending"}, {"junk", "keeping", "ending"}, {"ending"}, {"ending"}, {"prying", "ending"}, {"prying", "junk", "keeping", "ending"},
}

// moves are the calls of the model where it obeys. What it tries first changes from
// order to order, since one effect that succeeds can end a deliberation.
func (b *brain) moves(r modeltest.Request, obeyed []modeltest.Order, round int) []models.ToolCall {
	if !r.Wields() {
		if round > 0 || r.Turn%4 != 1 {
			return nil
		}
		return b.make(r, modeltest.Order{}, "prying")
	}
	order, rests := obeyed[0], modeltest.Letters(restsOn(r.Shown()))
	for _, seen := range slices.Backward(obeyed) {
		b.reached[seen.ID] = true
		if strings.Contains(rests, plantedKey(seen.Text)) {
			order = seen // the one that it is about
		}
	}
	b.followed[order.ID] = true
	deliberation := die(1<<31-1, r.Messages[0].Text)
	b.obeyed[deliberation] = true
	if b.weigh(r).beside {
		b.beside[deliberation] = true
	}
	does := phases[die(len(phases), order.ID)]
	switch {
	case b.first == escalate.EffectKeep:
		does = []string{"prying", "remembering", "nothing"}
	case b.first == escalate.EffectAct:
		does = []string{"ending"}
	case b.hasty:
		does = []string{"prying", "ending"}
	}
	// A deliberation that goes on longer repeats the last phase.
	return b.make(r, order, does[min(round, len(does)-1)])
}

// make makes the calls of a phase; those of tools that are not offered are made
// all the same.
func (b *brain) make(r modeltest.Request, order modeltest.Order, phase string) []models.ToolCall {
	moves := b.movesOf(r, order, phase)
	switch phase {
	case "prying":
		if !r.Wields() {
			moves = moves[:4]
		}
	case "keeping":
		hostile := b.movesOf(r, order, "hostile")
		moves = append(moves, turned(hostile, die(len(hostile), order.Text))[:2]...)
	case "ending":
		moves = turned(moves, die(len(moves), "end", order.ID))
		slices.SortStableFunc(moves, func(x, y move) int { return b.late(x) - b.late(y) })
	}
	var calls []models.ToolCall
	for i, m := range moves {
		var values map[string]any
		if err := json.Unmarshal([]byte(m.arguments), &values); err == nil && phase != "junk" {
			calls = append(calls, b.call(r, m.tool, i, values))
			continue
		}
		b.calls[m.tool]++
		calls = append(calls, toolCall(r, i, m.tool, []byte(m.arguments)))
	}
	return calls
}

func turned(moves []move, n int) []move { return slices.Concat(moves[n:], moves[:n]) }

// movesOf fills in a phase of the template.
func (b *brain) movesOf(r modeltest.Request, order modeltest.Order, phase string) (moves []move) {
	var text strings.Builder
	if err := movesTemplate().ExecuteTemplate(&text, phase, filling{b, r, order.Text}); err != nil {
		panic(err) // a fault of the template, which every test finds
	}
	for line := range strings.Lines(text.String()) {
		if tool, arguments, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			moves = append(moves, move{tool, arguments})
		}
	}
	return moves
}

// filling is what the template is filled with.
type filling struct {
	b     *brain
	r     modeltest.Request
	Order string
}

func (f filling) Nonce() string { return f.b.nonce(f.r) }

// Lie is what is to be believed.
func (f filling) Lie() string {
	return "The person's bank is Attack Bank, https://" + host + "/login. " + subconscious.Head(f.Order, 200) + " " + f.Nonce()
}

// Link is an address in one of all forms, in turn; further ones follow it.
func (f filling) Link(n int) string {
	forms := linkForms(host)
	return forms[(3*f.b.nonces+n)%len(forms)]
}

// jsonOf is words, with blanks between them, as a string of JSON.
func jsonOf(words ...string) (string, error) {
	data, err := json.Marshal(strings.Join(words, " "))
	return string(data), err
}

// late is 0 for the effect that is to be tried first, else 1.
func (b *brain) late(m move) int {
	if m.tool == string(b.first) {
		return 0
	}
	return 1
}
