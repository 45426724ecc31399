package deliberate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/store"
)

const (
	// maxRecord bounds what is written down of an escalation, and maxStep of
	// one step, in bytes of JSON; what ends an escalation is written down in
	// any case.
	maxRecord = 256 << 10
	maxStep   = 128 << 10
	// kept is how many bytes of each text a step has that was cut.
	kept = 256
)

// put writes a step down, with what else belongs in its transaction, and carries
// on with it. Whatever else changes the step does so before it is written.
func (d *deliberation) put(ctx context.Context, s *Step, with func(context.Context, *store.Tx) error) error {
	var size int
	err := d.write(ctx, string(s.Kind), func(ctx context.Context, tx *store.Tx) (err error) {
		if with != nil {
			if err := with(ctx, tx); err != nil {
				return err
			}
		}
		size, err = d.insert(ctx, tx, s, d.n)
		return err
	})
	if err != nil {
		return err
	}
	d.wrote(*s, size)
	return nil
}

// wrote carries on with a step that was committed.
func (d *deliberation) wrote(s Step, size int) {
	d.bytes += size
	if s.Answer != nil {
		d.Cost += s.Answer.Cost
	}
	d.apply(s)
}

// insert writes a step into the transaction, cut where there is no room for all
// of it.
func (d *deliberation) insert(ctx context.Context, tx *store.Tx, s *Step, n int) (size int, err error) {
	s.N, s.At, s.Records = n, d.Now(), s.recordsIn()
	stored := d.storable(*s)
	if forgotten, _, err := store.One(ctx, tx, store.Value[bool], "SELECT forgotten FROM escalations WHERE id = ?", d.ID); err != nil {
		return 0, err
	} else if forgotten {
		stored = stored.dropped()
	}
	body, size, err := d.pack(stored)
	if err != nil {
		return 0, err
	}
	if small := s.Kind == StepEnded || s.Kind == StepStarted; !small && (size > maxStep || d.bytes+size > maxRecord) {
		if body, size, err = d.pack(stored.shortened()); err != nil {
			return 0, err
		}
	}
	if err := tx.Exec(ctx, "INSERT INTO deliberation_steps (id, n, body) VALUES (?, ?, ?)", d.ID, n, body); err != nil {
		return 0, err
	}
	var cost int64
	if s.Answer != nil {
		cost = s.Answer.Cost
	}
	return size, tx.Exec(ctx, "UPDATE escalations SET bytes = bytes + ?, cost = cost + ? WHERE id = ?", size, cost, d.ID)
}

// storable is a step without what may not be stored: what a provider wants back
// is sealed, and is left out where there is a secret in it.
func (d *deliberation) storable(s Step) Step {
	if s.Answer != nil && len(s.Answer.Opaque) > 0 && d.Redact(string(s.Answer.Opaque)) != string(s.Answer.Opaque) {
		answer := *s.Answer
		answer.Opaque = nil
		s.Answer, s.Cut = &answer, true
	}
	return s
}

// shortened is a step with the beginnings of its texts alone.
func (s Step) shortened() Step {
	s.Cut, s.Text = true, clip(s.Text, kept)
	s.Words = escalate.Fewer(s.Words, 8)
	if len(s.Own) > 8 {
		s.Own = s.Own[:8]
	}
	if s.Answer != nil {
		answer := *s.Answer
		answer.Opaque, answer.Calls = nil, nil
		for _, c := range s.Answer.Calls[:min(len(s.Answer.Calls), 8)] {
			answer.Calls = append(answer.Calls, c.shortened())
		}
		s.Answer = &answer
	}
	if s.Call != nil {
		call := *s.Call
		call.ToolCall = call.ToolCall.shortened()
		s.Call = &call
	}
	return s
}

func (c ToolCall) shortened() ToolCall {
	return ToolCall{ID: clip(c.ID, kept), Name: clip(c.Name, kept), Arguments: clip(c.Arguments, kept)}
}

// putSystem keeps what the model is told about its task, once.
func (d *deliberation) putSystem(ctx context.Context, tx *store.Tx) error {
	sum := sha256.Sum256([]byte(d.System))
	hash := hex.EncodeToString(sum[:])
	body, _, err := d.pack(d.System)
	if err != nil {
		return err
	}
	if err := tx.Exec(ctx, "INSERT INTO deliberation_systems (hash, body) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, body); err != nil {
		return err
	}
	return tx.Exec(ctx, "UPDATE escalations SET system = ? WHERE id = ?", hash, d.ID)
}
