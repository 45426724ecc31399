package deliberate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/store"
)

// recordIDs are those of records of the memory, which stand wherever a model is shown one.
var recordIDs = lazy.Regexp(`\bm-[a-z2-7]{10}\b`)

// texts are all that somebody said in a step.
func (s *Step) texts() []*string {
	all := []*string{&s.Text}
	if s.Answer != nil {
		for i := range s.Answer.Calls {
			all = append(all, &s.Answer.Calls[i].Arguments)
		}
	}
	if s.Call != nil {
		all = append(all, &s.Call.Arguments)
	}
	return all
}

// recordsIn are the records that a step showed or made.
func (s *Step) recordsIn() (ids []string) {
	for _, text := range s.texts() {
		ids = append(ids, recordIDs().FindAllString(*text, -1)...)
	}
	if s.Call != nil {
		ids = append(ids, recordIDs().FindAllString(s.Call.Made, -1)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// dropped is a step without its texts, of which the hashes stay.
func (s Step) dropped() Step {
	if s.Answer != nil {
		answer := *s.Answer
		answer.Calls, answer.Opaque = slices.Clone(answer.Calls), nil
		s.Answer = &answer
	}
	if s.Call != nil {
		call := *s.Call
		s.Call = &call
	}
	for i, text := range s.texts() {
		if *text == "" || strings.Contains(*text, droppedFor) {
			continue
		}
		*text = hashed(*text)
		if i > 0 { // arguments
			*text = `{"` + *text + `":true}`
		}
	}
	s.Cut = true
	return s
}

const droppedFor = "forgotten; SHA-256 "

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return droppedFor + hex.EncodeToString(sum[:])
}

// Unshow drops, in the transaction, the texts of all steps from the one on that showed
// or made one of these records, or says what they said, and what the person was told then
// where it says that. It returns how many steps and endings have lost texts, and the
// ticks of those deliberations. One that is under way goes on with what it knows, and
// nothing that it still says is written down.
func Unshow(ctx context.Context, tx *store.Tx, records []string, says func(string) bool) (dropped int, ticks []int64, err error) {
	w := &Worker{}
	of, err := store.Map[string, int64](ctx, tx, "SELECT id, tick FROM escalations")
	if err != nil {
		return 0, nil, err
	}
	for id, tick := range of {
		for _, drop := range []func(context.Context, *store.Tx, string, []string, func(string) bool) (int, error){w.unshow, w.untell} {
			n, err := drop(ctx, tx, id, records, says)
			if err != nil && !errors.Is(err, errUnreadable) {
				return 0, nil, err
			}
			if dropped += n; n > 0 {
				ticks = append(ticks, tick)
			}
		}
	}
	return dropped, ticks, nil
}

func (w *Worker) unshow(ctx context.Context, tx *store.Tx, id string, records []string, says func(string) bool) (dropped int, err error) {
	steps, err := store.All(ctx, tx, func(s *Step) []any { return []any{packed{s}} }, "SELECT body FROM deliberation_steps WHERE id = ? ORDER BY n", id)
	from := slices.IndexFunc(steps, func(s Step) bool {
		return slices.ContainsFunc(append(s.recordsIn(), s.Records...), func(id string) bool { return slices.Contains(records, id) }) ||
			slices.ContainsFunc(s.texts(), func(text *string) bool { return says(*text) })
	})
	if err != nil || from < 0 {
		return 0, err
	}
	if from > 0 && steps[from].Call != nil && steps[from].Call.Made != "" { // the answer before asked for it
		from--
	}
	for _, s := range steps[from:] {
		body, _, err := w.pack(s.dropped())
		if err == nil {
			err = tx.Exec(ctx, "UPDATE deliberation_steps SET body = ? WHERE id = ? AND n = ?", body, id, s.N)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(steps) - from, tx.Exec(ctx, "UPDATE escalations SET forgotten = 1 WHERE id = ?", id)
}

func (w *Worker) untell(ctx context.Context, tx *store.Tx, id string, _ []string, says func(string) bool) (dropped int, err error) {
	ending, _, err := store.One(ctx, tx, func(e *Ending) []any { return []any{packed{e}} }, "SELECT ending FROM escalations WHERE id = ?", id)
	if err != nil || !ending.drop(says) {
		return 0, err
	}
	body, _, err := w.pack(ending)
	if err != nil {
		return 0, err
	}
	return 1, tx.Exec(ctx, "UPDATE escalations SET ending = ? WHERE id = ?", body, id)
}

// drop drops what says it of how an escalation ended, and reports whether anything did.
func (e *Ending) drop(says func(string) bool) (any bool) {
	texts := []*string{&e.Fallback}
	if e.Outcome != nil {
		texts = append(texts, &e.Outcome.Reason)
	}
	if e.Told != nil {
		texts = append(texts, &e.Told.Title, &e.Told.Text)
	}
	for _, text := range texts {
		if says(*text) {
			*text, any = hashed(*text), true
		}
	}
	return any
}
