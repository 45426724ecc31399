package modeltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Reply is what a Script has a model say.
type Reply struct {
	// Thought, if set, is the answer, written as JSON; else Text is.
	Thought *Thought
	Text    string
	// Calls are tools that it asks for.
	Calls []models.ToolCall
	// Model is who answers, the one asked if empty.
	Model string
	// Stop is why it ends: "end", "length", "tools", "refused"; empty is
	// "tools" with calls and "end" without.
	Stop string
}

// Thought is what a thread's prompt asks a model for.
type Thought struct {
	Findings []Finding `json:"findings"`
	Focus    *Focus    `json:"suggested_focus"`
	Over     []string  `json:"over"`
	Journal  string    `json:"journal"`
}

// Finding is one thing that a model says it noticed.
type Finding struct {
	Kind           string   `json:"kind"`
	Summary        string   `json:"summary"`
	Importance     int      `json:"importance"`
	Evidence       []string `json:"evidence"`
	Reinforces     []string `json:"reinforces"`
	Due            *string  `json:"due"`
	Escalate       bool     `json:"escalate"`
	EscalateReason *string  `json:"escalate_reason"`
}

// Focus is a hint for another thread.
type Focus struct {
	Thread string `json:"thread"`
	Hint   string `json:"hint"`
}

// JSON returns the thought as a model writes it. All lists are there.
func (t Thought) JSON() string {
	t.Findings, t.Over = append([]Finding{}, t.Findings...), append([]string{}, t.Over...)
	for i := range t.Findings {
		f := &t.Findings[i]
		f.Evidence, f.Reinforces = append([]string{}, f.Evidence...), append([]string{}, f.Reinforces...)
	}
	return compact(t)
}

// text is what the reply says in answer to the request.
func (r Reply) text() string {
	if r.Thought != nil {
		return r.Thought.JSON()
	}
	return r.Text
}

// stop is why the reply ends.
func (r Reply) stop() string {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return models.StopTools
	}
	return models.StopEnd
}

// Script decides what a model says. A server calls it for one request at a
// time.
type Script func(Request) Reply

// NamedScript is a script that people can ask for.
type NamedScript struct {
	Name, About string
	New         func(seed uint64) Script
}

// Scripts returns all ready-made scripts, in the order in which they are shown.
func Scripts() []NamedScript {
	plain := func(s Script) func(uint64) Script { return func(uint64) Script { return s } }
	return []NamedScript{
		{"silent", "finds nothing, which is the usual answer", plain(Silent())},
		{"thinker", "finds one thing, the newest observation it is shown; deliberating it tells it", plain(Thinker())},
		{"eager", "has three findings on everything", plain(Eager())},
		{"ruminator", "always says something, reworded each time, and always asks to escalate", Ruminator},
		{"tool-user", "asks for a tool first, then answers as thinker does; deliberating it proposes an action", plain(ToolUser())},
		{"echo", "puts all that it was shown into its answer", plain(Echo())},
		{"chatter", "says a sentence, whatever it is asked for", plain(Chatter("All is quiet here."))},
	}
}

// ScriptNamed returns a ready-made script.
func ScriptNamed(name string, seed uint64) (Script, error) {
	var names []string
	for _, s := range Scripts() {
		if s.Name == name {
			return s.New(seed), nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no script %q; there are %s", name, strings.Join(names, ", "))
}

// thinks answers with a thought where one may be given, else with the least
// that the schema allows.
func thinks(think func(Request) Thought) Script {
	return func(r Request) Reply {
		if !r.wantsThought() {
			return Reply{Text: Instance(r.shape())}
		}
		thought := think(r)
		return Reply{Thought: &thought}
	}
}

// Silent finds nothing.
func Silent() Script { return thinks(func(Request) Thought { return Thought{} }) }

// Thinker finds one thing, of importance 5: the newest observation that it is
// shown, that with the highest number or the last without. Shown none, it finds
// nothing. Deliberating, it tells the person.
func Thinker() Script {
	return deliberates(thinks(func(r Request) Thought {
		observed := r.Observed()
		if len(observed) == 0 {
			return Thought{}
		}
		newest := observed[0]
		for _, c := range observed {
			if c.Seq >= newest.Seq {
				newest = c
			}
		}
		return Thought{
			Findings: []Finding{{Kind: kind(r, 0), Summary: about(r, newest), Importance: 5, Evidence: []string{newest.String()}}},
			Journal:  "Look at " + string(newest.Ref) + " again next time.",
		}
	}), "notify_person")
}

// Eager has three findings on everything that it is shown, of importance 8, 7
// and 6. Deliberating, it tells the person.
func Eager() Script {
	return deliberates(thinks(func(r Request) Thought {
		var thought Thought
		observed := r.Observed()
		for i := range min(3, len(observed)) {
			c := observed[len(observed)-1-i]
			thought.Findings = append(thought.Findings, Finding{
				Kind: kind(r, i), Summary: about(r, c), Importance: 8 - i, Evidence: []string{c.String()},
			})
		}
		return thought
	}), "notify_person")
}

// ToolUser asks for the first tool that it is offered, and answers as Thinker
// does once it has what the tool returned. Deliberating, it looks into the memory
// and into the subconscious, then proposes the first action that there is, and
// tells the person where that is refused.
func ToolUser() Script {
	think := Thinker()
	return deliberates(func(r Request) Reply {
		if len(r.Tools) == 0 || r.AfterTools() {
			return think(r)
		}
		tool := r.Tools[0]
		return Reply{Calls: []models.ToolCall{{
			ID: fmt.Sprintf("call_%d", r.Number), Name: tool.Name, Arguments: json.RawMessage(Instance(tool.Parameters)),
		}}}
	}, "search_memory", "read_subconscious", "propose_action", "notify_person")
}

// Echo puts what it was shown into its answer, to find out where that gets to:
// the journal has as much as the limit of tokens allows, the summaries and the
// hint a further piece each time, so that all of it comes round.
func Echo() Script {
	return func(r Request) Reply {
		shown := r.Shown()
		if !r.wantsThought() {
			return Reply{Text: shown}
		}
		begin := 0
		if len(shown) > 0 {
			begin = (r.Turn - 1) * 4 * echoPiece % len(shown)
		}
		piece := func(n int) string {
			at := min(begin+n*echoPiece, len(shown))
			return strings.ToValidUTF8(shown[at:min(at+echoPiece, len(shown))], "")
		}
		t := Thought{Focus: &Focus{Thread: string(subconscious.Dreamer), Hint: piece(3)}, Journal: shown}
		observed := r.Observed()
		for i := range min(3, len(observed)) {
			if summary := piece(i); strings.TrimSpace(summary) != "" {
				t.Findings = append(t.Findings, Finding{Kind: kind(r, i), Summary: summary, Importance: 5, Evidence: []string{observed[i].String()}})
			}
		}
		for r.MaxTokens > 0 && tokens(t.JSON()) > r.MaxTokens && t.Journal != "" {
			t.Journal = subconscious.Head(t.Journal, len(t.Journal)*3/4)
		}
		return Reply{Thought: &t}
	}
}

// echoPiece is how much of what is shown fits into a summary, in bytes.
const echoPiece = 130

// Chatter says the same text, whatever it is asked for.
func Chatter(text string) Script { return func(Request) Reply { return Reply{Text: text} } }

// Sequence answers the nth request as the nth script does, and further ones as
// the last.
func Sequence(scripts ...Script) Script {
	count := 0
	return func(r Request) Reply {
		script := scripts[min(count, len(scripts)-1)]
		count++
		return script(r)
	}
}

// kind is the nth kind that the schema allows.
func kind(r Request, n int) string {
	kinds := r.Kinds()
	if len(kinds) == 0 {
		return string(subconscious.KindObservation)
	}
	return kinds[n%len(kinds)]
}

// about says in under 20 words and 140 bytes what the line of an observation
// says.
func about(r Request, c subconscious.Citation) string {
	for line := range strings.Lines(r.Shown()) {
		mark := "[" + c.String() + "]"
		_, rest, found := strings.Cut(line, mark)
		if !found {
			continue
		}
		// Text of others stands between "«WORD" and "WORD»".
		words := slices.DeleteFunc(strings.Fields(rest), func(word string) bool { return strings.HasPrefix(word, "«") || strings.HasSuffix(word, "»") })
		words = words[:min(len(words), 15)]
		if len(words) > 0 {
			return subconscious.Head("Noticed: "+strings.Join(words, " "), 120)
		}
	}
	return "Something changed: " + string(c.Ref)
}

// deliberates has a script end a deliberation with the tools that it is offered,
// each tried once: what is refused is not asked for again. Where none is left it
// says that it is done, and rules tell the person.
func deliberates(otherwise Script, tools ...string) Script {
	return func(r Request) Reply {
		if !r.Wields() {
			return otherwise(r)
		}
		tried := map[string]bool{}
		for _, m := range r.Messages {
			for _, call := range m.Calls {
				tried[call.Name] = true
			}
		}
		for _, name := range tools {
			i := slices.IndexFunc(r.Tools, func(t models.Tool) bool { return t.Name == name })
			if i < 0 || tried[name] {
				continue
			}
			if arguments := pretend(r.Tools[i]); arguments != "" {
				return Reply{Calls: []models.ToolCall{{ID: fmt.Sprintf("call_%d", r.Number), Name: name, Arguments: json.RawMessage(arguments)}}}
			}
		}
		return Reply{Text: "done"}
	}
}

// pretend fills the arguments of a tool, as an honest model would that knows
// nothing of the world; "" where there is nothing to propose.
func pretend(tool models.Tool) string {
	const reason = "A model that only pretends decided so."
	switch tool.Name {
	case "notify_person":
		return compact(object{"text": "A model that only pretends has looked at it, and knows nothing more.", "reason": reason})
	case "propose_action":
		// The description lists actions as "- name: what it does. Arguments: {…}".
		for line := range strings.Lines(tool.Description) {
			name, rest, listed := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
			_, schema, found := strings.Cut(rest, "Arguments: ")
			arguments := object{}
			if !strings.HasPrefix(line, "- ") || !listed || !found || !json.Valid([]byte(schema)) ||
				json.Unmarshal([]byte(Instance(json.RawMessage(schema))), &arguments) != nil {
				continue
			}
			for name, value := range arguments {
				if value == "" { // a text may not be left out
					arguments[name] = "pretended"
				}
			}
			return compact(object{"action": name, "arguments": arguments, "reason": reason})
		}
		return ""
	}
	return Instance(tool.Parameters)
}
