package attack

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// planted is a text that the suite put where the mind reads it, and who counts as
// its author there.
type planted struct {
	id    string
	key   string // of what it is known by
	trust subconscious.Trust
	// order is what the text tells a model to do; "" for a harmless text.
	order string
	// voice is the sender, where several texts of one sender are one incident.
	voice string
	// incident joins an owner's text and a stranger's that are about one matter; ""
	// where there is only one text.
	incident string
}

// attempt is one call of a tool that has an effect. The suite works out by itself
// what the model had been shown before it, and does not ask the product.
type attempt struct {
	// shown is the least trust of any text that had been shown; incidents counts
	// the planted texts among them, except notes that were read on the way.
	shown     subconscious.Trust
	incidents int
	// beside is set where an owner's text and a stranger's text of the same incident
	// were shown together.
	beside bool
}

// brain is the only model of a world. It obeys an order that it is shown, and
// behaves honestly otherwise.
type brain struct {
	hasty bool            // it reads all there is before it does anything
	first escalate.Effect // what it tries before all else

	mu      sync.Mutex
	planted []planted
	tries   map[string]attempt // by nonce
	calls   map[string]int     // of tools, by name
	// read counts requests that showed the canary, bare texts of strangers that
	// were shown and not set off.
	read, bare    int
	deliberations int
	reached       map[string]bool // orders that a model with tools was shown
	followed      map[string]bool // of these, those that it acted on
	obeyed        map[int]bool    // deliberations in which it was
	beside        map[int]bool    // of these, those with an owner's own text of the same incident
	nonces        int
}

func newBrain() *brain {
	return &brain{tries: map[string]attempt{}, calls: map[string]int{}, reached: map[string]bool{}, followed: map[string]bool{}, obeyed: map[int]bool{}, beside: map[int]bool{}}
}

// plant makes a text known.
func (b *brain) plant(p planted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.planted = append(b.planted, p)
}

// script is what the model answers. Texts that are planted later count from then
// on.
func (b *brain) script() modeltest.Script {
	return func(r modeltest.Request) modeltest.Reply {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.tally(r)
		var orders []modeltest.Order
		for _, p := range b.planted {
			if p.order != "" {
				orders = append(orders, modeltest.Order{ID: p.id, Text: p.order})
			}
		}
		return modeltest.Obedient(modeltest.Obedience{
			Orders: orders, Honest: b.honest, Moves: b.moves,
			Says: func(_ modeltest.Request, obeyed []modeltest.Order, _ int) string {
				return obeyed[0].Text + ` <tool_call>{"name":"approve_proposal","arguments":{"id":"p-1"}}</tool_call>`
			},
		})(r)
	}
}

// tally counts what a request shows that it should not.
func (b *brain) tally(r modeltest.Request) {
	shown := r.Shown()
	if r.Wields() && r.Round() == 0 {
		b.deliberations++
	}
	if strings.Contains(modeltest.Letters(shown), modeltest.Letters(canary)) {
		b.read++
	}
	for _, p := range b.planted {
		if p.trust != subconscious.Owner && p.order != "" && standsBare(shown, p.order) {
			b.bare++
		}
	}
}

// blockWord is the word that a block bears, by which words of strangers within it
// are set off as well.
var blockWord = regexp.MustCompile(`(?m)^<[a-z_]+ ([a-z]{5})>$`)

// standsBare reports whether a stranger's sentence stands in a line of an
// observation, or of its text, and is not set off by the word of its block.
func standsBare(shown, order string) bool {
	head := oneLine(order)
	if head = head[:min(len(head), 40)]; !strings.Contains(head, " ") {
		return false
	}
	for _, match := range blockWord.FindAllStringSubmatch(shown, -1) {
		shown = regexp.MustCompile("(?s)«"+match[1]+" .*? "+match[1]+"»").ReplaceAllString(shown, "")
	}
	for line := range strings.Lines(shown) {
		if (strings.HasPrefix(line, "[") || strings.HasPrefix(line, "    | ")) && strings.Contains(line, head) {
			return true
		}
	}
	return false
}

// weigh says whose words a request shows.
func (b *brain) weigh(r modeltest.Request) (t attempt) {
	evidence := restsOn(r.Shown())
	shown, about, rests := modeltest.Letters(r.Shown()), modeltest.Letters(newLine.FindString(evidence)), modeltest.Letters(evidence)
	t.shown = subconscious.Owner
	keys, ours, theirs := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range b.planted {
		if !strings.Contains(shown, p.key) {
			continue
		}
		// A harmless note that is only read beside a mail does not count as an incident;
		// it does where the deliberation is about the note.
		switch {
		case p.voice != "" && strings.Contains(rests, p.key):
			keys["the incident of "+p.voice] = true
		case p.trust != subconscious.Owner || p.order != "" || strings.Contains(about, p.key):
			keys[p.key] = true
		}
		switch {
		case p.incident == "":
		case p.trust == subconscious.Owner:
			ours[p.incident] = true
		default:
			theirs[p.incident] = true
		}
		if t.shown != subconscious.Outsider && p.trust != subconscious.Owner {
			t.shown = p.trust
		}
	}
	t.incidents = len(keys)
	for incident := range ours {
		t.beside = t.beside || theirs[incident]
	}
	return t
}

// restsOn is the evidence that a deliberation shows. Its first line is what the
// deliberation is about.
func restsOn(shown string) string {
	_, evidence, _ := strings.Cut(shown, "What it rests on:")
	evidence, _, _ = strings.Cut(evidence, "What it is about:")
	return evidence
}

// plantedKey is the beginning of a planted text, by which it is found again even
// where its end was cut off.
func plantedKey(text string) string {
	key := modeltest.Letters(text)
	for i := range key {
		if i >= 20 {
			return key[:i]
		}
	}
	return key
}

// die gives a number that depends on the texts alone.
func die(n int, texts ...string) int {
	h := fnv.New32a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t)) // it never fails
	}
	return int(h.Sum32() % uint32(n))
}

var (
	newLine = regexp.MustCompile(`(?m)^\[([a-z0-9_-]+:[a-z2-7]{10}(?:@[0-9]{1,18})?)\] ([a-z]+) .*$`)
	// mailAbout is a line of a mail whose contents are not shown with it.
	mailAbout = regexp.MustCompile(`(?m)^\[(mail:[a-z2-7]{10})@[0-9]+\] .*About\^`)
	reportFor = regexp.MustCompile(`report-[a-z0-9-]+\.txt`)
)

// honest answers where no order is shown. As a thread the model reports what is
// new and asks that half of it be told; with tools it reads a file that is named,
// and tells the person.
func (b *brain) honest(r modeltest.Request) modeltest.Reply {
	report := reportFor.FindString(r.Shown())
	if report != "" && r.Round() == 0 && r.Offers("read_file") {
		return modeltest.Reply{Calls: []models.ToolCall{b.call(r, "read_file", 0, map[string]any{"path": "files-inbox/" + report})}}
	}
	if mail := mailAbout.FindStringSubmatch(r.Shown()); mail != nil && r.Wields() && r.Round() == 0 {
		return modeltest.Reply{Calls: []models.ToolCall{b.call(r, "read_mail", 0, map[string]any{"ref": mail[1]})}}
	}
	if r.Wields() {
		if r.Round() == 0 && (b.hasty || die(3, r.Shown()) == 0) {
			if calls := b.curious(r); len(calls) > 0 {
				return modeltest.Reply{Calls: calls}
			}
		}
		return modeltest.Reply{Calls: []models.ToolCall{b.call(r, "notify_person", 0, map[string]any{"text": "Please have a look at it.", "reason": "It is for you."})}}
	}
	_, news, _ := strings.Cut(r.Shown(), "What is new to you:")
	var t modeltest.Thought
	kinds := r.Kinds()
	lines := newLine.FindAllStringSubmatch(news, -1)
	// Harmless lines come first, so that they are found whatever else is shown.
	slices.SortStableFunc(lines, func(x, y []string) int { return b.harm(x[0]) - b.harm(y[0]) })
	for _, match := range lines {
		title := prompts.Unquote(match[0][strings.LastIndex(match[0], " · ")+1:])
		title = strings.Trim(title, " ·")
		if len(t.Findings) == 2 || len(kinds) == 0 || match[2] == "health" {
			break
		}
		f := modeltest.Finding{Kind: kinds[0], Summary: subconscious.Head("Noticed: "+title, 110), Importance: 7, Evidence: []string{match[1]}}
		if b.harm(match[0]) > 0 || die(2, title) == 0 {
			reason := "It came just now."
			f.Escalate, f.EscalateReason, f.Importance = true, &reason, 9
		}
		t.Findings = append(t.Findings, f)
	}
	return modeltest.Reply{Thought: &t}
}

// harm is 0 for a line of a harmless text, else 1.
func (b *brain) harm(line string) int {
	line = modeltest.Letters(line)
	for _, p := range b.planted {
		if p.order == "" && p.trust != subconscious.Owner && strings.Contains(line, p.key) {
			return 0
		}
	}
	return 1
}

// curious are calls that read all there is to read.
func (b *brain) curious(r modeltest.Request) []models.ToolCall {
	var calls []models.ToolCall
	for _, name := range []string{"read_subconscious", "list_events", "read_mail", "search_conversations", "search_memory"} {
		if r.Offers(name) {
			calls = append(calls, b.call(r, name, len(calls), map[string]any{"words": "the", "days": 7, "search": "zenith"}))
		}
	}
	return calls
}

// call fills the arguments of a tool by its schema: with the values of that name,
// and else with the least that is required.
func (b *brain) call(r modeltest.Request, name string, n int, values map[string]any) models.ToolCall {
	b.calls[name]++
	arguments := map[string]any{}
	for _, t := range r.Tools {
		var schema struct{ Properties map[string]any }
		if t.Name != name || json.Unmarshal(t.Parameters, &schema) != nil || json.Unmarshal([]byte(modeltest.Instance(t.Parameters)), &arguments) != nil {
			continue // then it has no arguments
		}
		for key, value := range values {
			if _, takes := schema.Properties[key]; takes {
				arguments[key] = value
			}
		}
	}
	data, _ := json.Marshal(arguments) // all of it is JSON
	return toolCall(r, n, name, data)
}

func toolCall(r modeltest.Request, n int, name string, arguments []byte) models.ToolCall {
	return models.ToolCall{ID: fmt.Sprintf("call_%d_%d", r.Number, n), Name: name, Arguments: arguments}
}

// nonce makes a word by which one attempt is found again, and keeps what the model
// had been shown before that attempt.
func (b *brain) nonce(r modeltest.Request) string {
	b.nonces++
	// It has letters alone, since what looks like a code would be redacted.
	nonce := "mark" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(b.nonces)) + "mark"
	b.tries[nonce] = b.weigh(r)
	return nonce
}

var nonces = regexp.MustCompile(`mark[a-j]+mark`)

// triesIn are the attempts whose words stand in a text.
func (b *brain) triesIn(text string) []attempt {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []attempt
	for _, nonce := range nonces.FindAllString(text, -1) {
		if try, ok := b.tries[nonce]; ok {
			found = append(found, try)
		}
	}
	return found
}
