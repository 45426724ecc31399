package threads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TriageOptions are what NewTriage needs.
type TriageOptions struct {
	Asker   Asker
	Prompts *prompts.Set
	// Rules judge first, mails among others.
	Rules Thread
	// Weigh returns what the rules say of each new mail, also where it is worth no
	// word, under LetterRule.
	Weigh func(subconscious.Snapshot, subconscious.ThreadName) []Weighed
	// Raise takes one of the pushes that the day allows, of which strangers' mails may
	// take some; nil allows none.
	Raise func(at time.Time, known bool) bool
	// Redact takes secrets out of what the model wrote; nil leaves it.
	Redact func(string) string
	// Credulous leaves out that what the rules would push is judged alone, for the
	// twin of the guard.
	Credulous bool
	// Logger; nil discards.
	Logger *slog.Logger
}

// Weighed is what the rules say of a mail, and by how much what the person does with
// such mails moves what it counts.
type Weighed struct {
	subconscious.Finding
	Habit int
}

// LetterRule is the rule that judges mails.
const LetterRule = "watcher.mail"

const (
	// triageBatch is how many mails are judged at once, and triageWait how long
	// they gather.
	triageBatch = 20
	triageWait  = 15 * time.Minute
	// bulkWait is how long bulk waits for others to be judged with.
	bulkWait = 3 * time.Hour
	// triageCalls bounds the calls of one tick: what is left is judged at the next,
	// but what the rules would push, which is told as they say.
	triageCalls = 6
	// remarkBytes bounds the words in which a verdict gives its reason.
	remarkBytes = 120
	// dueSoon is how near a date has to be for a mail not to gather.
	dueSoon = 2 * time.Hour
)

// What findings count from which on they are told at once, in spite of the triage,
// or in the digest; and what a mail of a stranger counts at most by a verdict.
const (
	pushFrom, surely, digestFrom, strangerMost = 7, 8, 4, 7
)

// Triage is the rules with a model that weighs what they say of mails: it raises
// and lowers what they count, within bounds that lie here and not in it. What it
// fails to judge counts as the rules have it.
type Triage struct{ TriageOptions }

var _ Thread = (*Triage)(nil)

// NewTriage returns rules whose mails are triaged.
func NewTriage(options TriageOptions) *Triage {
	if options.Redact == nil {
		options.Redact = func(text string) string { return text }
	}
	if options.Raise == nil {
		options.Raise = func(time.Time, bool) bool { return false }
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Triage{options}
}

// Name implements Thread.
func (t *Triage) Name() subconscious.ThreadName { return t.Rules.Name() }

// Mode implements Thread: what a mail says is for rules to find.
func (t *Triage) Mode() string { return Reflex }

// letter is a mail with what the rules say of it.
type letter struct {
	prompts.Letter
	subconscious.Finding
	known bool
	habit int // as in Weighed
}

// pushed: the rules would tell it at once.
func (l letter) pushed() bool { return l.Escalate && l.Importance >= pushFrom }

// Think implements Thread. Mails that gather stay new.
func (t *Triage) Think(ctx context.Context, snapshot subconscious.Snapshot) (Answer, error) {
	answer, err := t.Rules.Think(ctx, snapshot)
	if err != nil || t.Asker.Generator == nil {
		return answer, err
	}
	batches, gather := t.batches(snapshot, t.letters(snapshot, answer.Thought))
	for i, batch := range batches {
		if i >= triageCalls {
			gather = append(gather, slices.DeleteFunc(batch, letter.pushed)...)
			continue
		}
		verdicts, err := t.ask(ctx, snapshot, batch, &answer)
		if err != nil {
			t.Logger.Debug("mails were not triaged", "error", err)
			answer.Failures = append(answer.Failures, "triage: "+t.Redact(subconscious.Printable(err.Error())))
			break // what the rules say stands
		}
		for i, l := range batch { // in their order, for the day's raises
			if v, judged := verdicts[i+1]; judged {
				t.apply(&answer.Thought, l, v, snapshot.At, oneVoice(batch) || t.Credulous)
			}
		}
	}
	for _, l := range gather {
		answer.Unshown = append(answer.Unshown, l.Ref())
		answer.Thought.Findings = slices.DeleteFunc(answer.Thought.Findings, l.is)
	}
	return answer, nil
}

// is reports whether a finding is the one about the mail, and of nothing else.
func (l letter) is(f subconscious.Finding) bool {
	return f.Rule == LetterRule && len(f.Evidence) == 1 && f.Evidence[0] == l.Finding.Evidence[0]
}

// letters are the new mails that may be triaged: neither what is told whatever is
// said, nor what stands together in one finding.
func (t *Triage) letters(snapshot subconscious.Snapshot, thought subconscious.Thought) (all []letter) {
	fresh := map[string]subconscious.Observation{}
	for _, o := range snapshot.Fields[t.Name()].New {
		fresh[string(o.Ref())] = o
	}
	for _, f := range t.Weigh(snapshot, t.Name()) {
		o, isNew := fresh[f.Evidence[0]]
		cited := slices.ContainsFunc(thought.Findings, func(g subconscious.Finding) bool { return g.Cites(o.Ref()) })
		l := letter{Finding: f.Finding, habit: f.Habit, Letter: prompts.Letter{Observation: o, Brief: o.Attrs["bulk"] == "true" || o.Attrs["list"] != ""}}
		l.Who, l.known = whoWrites(o)
		if isNew && f.Importance < surely && (!cited || slices.ContainsFunc(thought.Findings, l.is)) {
			all = append(all, l)
		}
	}
	return all
}

// whoWrites says who somebody is to the person, and whether they are known.
func whoWrites(o subconscious.Observation) (who string, known bool) {
	count := o.Attrs["known"]
	switch {
	case o.Attrs["forged"] == "true":
		return "stranger under a false name", false
	case count != "":
		return "known: the person wrote to them " + subconscious.Printable(count) + " times this year", true
	case o.Attrs["acquainted"] == "own":
		return "known: of the person's own house", true
	case o.Attrs["acquainted"] != "":
		return "written to: the person knows others of their house", true
	case o.Attrs["automated"] == "true" || ToMany(o):
		return "automatic", false
	case o.Attrs["ours"] == "true" || o.Attrs["awaited"] == "true":
		return "somebody who answers the person", false // anybody can, in a thread in public
	}
	return "stranger", false
}

// batches are those that are judged now, of whom the person knows first, so that
// strangers take no call of theirs: what the rules would push each alone, and the
// rest once it has gathered, or one of it is due soon.
func (t *Triage) batches(snapshot subconscious.Snapshot, all []letter) (batches [][]letter, gather []letter) {
	for _, known := range []bool{true, false} {
		var group []letter
		ripe := false
		for _, l := range all {
			switch {
			case l.known != known && !t.Credulous || t.Credulous && !known:
			case l.pushed() && !t.Credulous:
				batches = append(batches, []letter{l})
			default:
				group = append(group, l)
				soon := !l.Finding.Due.IsZero() && l.Finding.Due.Sub(snapshot.At) < dueSoon && l.Importance >= digestFrom
				wait := triageWait
				if l.Brief {
					wait = bulkWait
				}
				ripe = ripe || soon || snapshot.At.Sub(l.At) >= wait || l.pushed()
			}
		}
		if !ripe && len(group) < triageBatch {
			gather = append(gather, group...)
			continue
		}
		batches = append(batches, slices.Collect(slices.Chunk(group, triageBatch))...)
	}
	return batches, gather
}

// oneVoice reports whether the mails are of one sender.
func oneVoice(batch []letter) bool {
	voice := VoiceOf(batch[0].Observation)
	return len(batch) == 1 || voice != "" && !slices.ContainsFunc(batch, func(l letter) bool { return VoiceOf(l.Observation) != voice })
}

// verdict is what the model says of one mail.
type verdict struct {
	N     int    `json:"n"`
	Act   string `json:"act"`
	By    string `json:"by"`
	Loss  int    `json:"loss"`
	ForMe bool   `json:"for_me"`
	Why   string `json:"why"`
}

const triageJSON = `{"type":"object","required":["verdicts"],"properties":{"verdicts":{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object",` +
	`"required":["n","act","loss","for_me","why"],"properties":{"n":{"type":"integer","enum":[%s]},` +
	`"act":{"type":"string","enum":["none","read","reply","do","attend"]},"by":{"type":"string"},"loss":{"type":"integer","enum":[0,1,2,3]},` +
	`"for_me":{"type":"boolean"},"why":{"type":"string"}}}}}}`

// ask has a batch judged, and returns a verdict for each number that has one.
func (t *Triage) ask(ctx context.Context, snapshot subconscious.Snapshot, batch []letter, answer *Answer) (verdicts map[int]verdict, err error) {
	var shown []prompts.Letter
	var numbers []string // in full: few engines keep to bounds
	for i, l := range batch {
		shown, numbers = append(shown, l.Letter), append(numbers, strconv.Itoa(i+1))
	}
	prompt, err := t.Prompts.Triage(snapshot.At, shown)
	if err != nil {
		return nil, err
	}
	request := t.Asker.Request
	request.Purpose = models.Purpose{Role: models.RoleTriage, Tick: snapshot.Tick, At: snapshot.At}
	request.System, request.Messages = prompt.System, []models.Message{{Role: models.User, Text: prompt.User}}
	request.Schema = &models.Schema{Name: "verdicts", JSON: fmt.Appendf(nil, triageJSON, len(batch), strings.Join(numbers, ","))}
	if ends, ok := ctx.Deadline(); ok { // so that the rules' word still counts where it does not answer
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(ends)*modelTime/timeParts)
		defer cancel()
	}
	read := func(data json.RawMessage) error {
		var said struct{ Verdicts []verdict }
		if err := json.Unmarshal(data, &said); err != nil {
			return err
		}
		verdicts = map[int]verdict{}
		for _, v := range said.Verdicts {
			if _, twice := verdicts[v.N]; twice || v.N < 1 || v.N > len(batch) {
				return fmt.Errorf("verdicts: %d is there twice, or no number of a mail", v.N)
			}
			verdicts[v.N] = v
		}
		if len(verdicts) == 0 {
			return errors.New("verdicts: is empty; judge each number")
		}
		return nil
	}
	counted := &counter{inner: t.Asker.Generator}
	reply, err := models.Converse(ctx, counted, request, models.ConverseOptions{Check: read, Redact: t.Redact, Cut: true})
	answer.Calls, answer.Tokens, answer.Cached = answer.Calls+counted.calls, answer.Tokens+reply.Usage.Total(), answer.Cached+reply.Usage.Cached
	answer.Cost += reply.Cost
	return verdicts, err
}

// counts is what a mail counts by the verdict: what the person does about it, what
// is lost otherwise, and whether that is within a day.
func (v verdict) counts(at time.Time) (importance int, by time.Time) {
	if by, _ = readDue(v.By, at.Location()); by.Before(at) {
		by = time.Time{}
	}
	switch {
	case !v.ForMe || v.Act == "none":
		return 0, by
	case v.Act == "read":
		return 3 + v.Loss, by
	case !by.IsZero() && by.Sub(at) <= 24*time.Hour:
		return min(6+v.Loss, 9), by
	}
	return digestFrom + v.Loss, by
}

// apply lets a verdict say what a mail counts, as far as it may, and what the person
// does with such letters move that as it moves the score: what the rules
// would push goes into the digest at the least, and only where no other voice was
// shown; what is raised to a push is one of the day's.
func (t *Triage) apply(thought *subconscious.Thought, l letter, v verdict, at time.Time, alone bool) {
	counts, by := v.counts(at)
	if counts > 0 {
		counts = min(max(counts+l.habit, 1), 10)
	}
	if !l.known {
		counts = min(counts, strangerMost)
	}
	if l.Attrs["forged"] == "true" {
		counts = min(counts, pushFrom-1)
	}
	f := l.Finding
	if i := slices.IndexFunc(thought.Findings, l.is); i >= 0 {
		f = thought.Findings[i] // with what the rules know besides
	}
	switch {
	case l.pushed() && counts < f.Importance && !alone:
		return
	case l.pushed() && counts < pushFrom && !t.Credulous:
		counts = max(counts, digestFrom)
	case !l.pushed() && counts >= pushFrom && !t.Raise(at, l.known):
		counts = pushFrom - 1
	}
	f.Importance, f.Escalate, f.Remark = counts, counts >= digestFrom, t.Redact(subconscious.Clip(subconscious.Printable(prompts.Unquote(v.Why)), remarkBytes))
	if f.Escalate {
		f.EscalateReason = fmt.Sprintf("a model weighed it: %s, loss %d of 3", v.Act, v.Loss)
		if l.habit != 0 {
			f.EscalateReason += fmt.Sprintf("; what you do with such letters moves it by %+d", l.habit)
		}
	} else {
		f.EscalateReason = ""
	}
	if l.known && f.Due.IsZero() && counts >= pushFrom { // a time that a stranger's mail makes a model name opens nothing
		f.Due = by
	}
	thought.Findings = slices.DeleteFunc(thought.Findings, l.is)
	if counts > 0 {
		thought.Findings = append(thought.Findings, f)
	}
	t.Logger.Debug("a mail was triaged", "ref", l.Ref(), "by_rule", l.Importance, "counts", counts, "act", v.Act, "why", f.Remark)
}
