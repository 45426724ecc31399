package threads

import (
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// convert makes a thought of an answer that was checked. All its texts are
// without secrets, quotes and control characters, and as short as they may be.
// A model ends nothing: Over stays empty, since incidents are not shown to it.
func (t *ModelThread) convert(data json.RawMessage, by models.Identity, snapshot subconscious.Snapshot) (subconscious.Thought, error) {
	var said thought
	if err := json.Unmarshal(data, &said); err != nil {
		return subconscious.Thought{}, err
	}
	out := subconscious.Thought{Thread: t.options.Name, Journal: t.journal(said.Journal)}
	for _, f := range said.Findings {
		due, err := readDue(f.Due, snapshot.At.Location())
		if err != nil {
			return subconscious.Thought{}, err
		}
		finding := subconscious.Finding{
			Kind: subconscious.Kind(f.Kind), Summary: subconscious.Summary(t.clean(f.Summary)), Importance: int(f.Importance),
			Evidence: cited(f.Evidence), Due: due, Escalate: f.Escalate, Rule: "model " + by.String(),
		}
		for _, id := range f.Reinforces {
			if _, ok := snapshot.State.Entry(subconscious.EntryID(id)); ok && len(finding.Reinforces) < reinforcesKept {
				finding.Reinforces = append(finding.Reinforces, subconscious.EntryID(id))
			}
		}
		if f.Escalate {
			finding.EscalateReason = cmp.Or(subconscious.Clip(t.clean(f.EscalateReason), reasonBytes), finding.Summary)
		}
		out.Findings = append(out.Findings, finding)
	}
	if f := said.Focus; f != nil {
		name, hint := subconscious.ThreadName(f.Thread), subconscious.Summary(t.clean(f.Hint))
		if hint != "" && name != t.options.Name && slices.Contains(subconscious.Threads(), name) {
			out.Focus = &subconscious.FocusHint{Thread: name, Hint: hint}
		}
	}
	return out, nil
}

// cited are the references in their text form, without brackets. What is none
// stays, so that the mechanics can say so.
func cited(texts []string) []string {
	var evidence []string
	for _, text := range texts[:min(len(texts), evidenceKept)] {
		text = subconscious.Clip(bare(text), evidenceBytes)
		if c, ok := subconscious.ParseCitation(text); ok {
			text = c.String()
		}
		if text = subconscious.Printable(text); text != "" && !slices.Contains(evidence, text) {
			evidence = append(evidence, text)
		}
	}
	return evidence
}

// clean takes quotes, secrets and control characters out of a model's text. The
// secrets go last: they may show only when the rest is gone.
func (t *ModelThread) clean(text string) string {
	text = subconscious.Clip(text, maxClean)
	return t.options.Redact(subconscious.Printable(prompts.Unquote(text)))
}

// maxClean is how much of a text is looked at.
const maxClean = 4 << 10

// journal bounds a journal to so many characters.
func (t *ModelThread) journal(text string) string {
	text = t.clean(text)
	if utf8.RuneCountInString(text) > prompts.JournalLength {
		text = string([]rune(text)[:prompts.JournalLength-1]) + "…"
	}
	return text
}
