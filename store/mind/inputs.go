package mind

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxPending is how many commands may wait. Outcomes of deliberations, a
	// few for each tick, may exceed that.
	maxPending = 1000
	maxText    = 2000 // bytes of a command's text, and of what is said to be missed
	maxName    = 1000 // bytes of the name of an incident, and of a sort of message
	maxLater   = 366 * 24 * time.Hour
)

// Enqueue keeps a command for the next tick and returns it with its ID. That
// it makes sense is seen to by who takes it in; too many of them, a text that is
// too long, one of nobody, and an outcome that is none, are an *store.Error with
// CodeInput.
func (s *Store) Enqueue(ctx context.Context, command subconscious.Command) (kept subconscious.Command, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		kept, err = s.EnqueueIn(ctx, tx, command)
		return err
	})
	return kept, err
}

// EnqueueIn is Enqueue inside the transaction tx of another: the command is
// kept if that is committed.
func (s *Store) EnqueueIn(ctx context.Context, tx *store.Tx, command subconscious.Command) (subconscious.Command, error) {
	if command.Kind == subconscious.CommandOutcome || command.Outcome != nil {
		if err := checkOutcome(command); err != nil {
			return subconscious.Command{}, err
		}
	}
	if command.At.IsZero() || command.By == "" {
		return subconscious.Command{}, refuse("the command does not say when and by whom it was given", "Set its time and who gave it")
	}
	if len(command.Text) > maxText {
		return subconscious.Command{}, refuse(fmt.Sprintf("the text has %d bytes, more than %d", len(command.Text), maxText), "Shorten it, or put it into a file of the notes folder")
	}
	command.ID = 0
	waiting, _, err := store.One(ctx, tx, store.Value[int], "SELECT count(*) FROM mind_inputs WHERE done IS NULL")
	if err == nil && waiting >= maxPending && command.Kind != subconscious.CommandOutcome {
		err = refuse(fmt.Sprintf("%d commands already wait for the next tick", waiting), "Let a tick run first (subconsciousctl tick), then try again")
	}
	if err == nil {
		command.ID, err = tx.Insert(ctx, "mind_inputs", "at, body", command.At.UnixNano(), store.JSON(command))
	}
	return command, wrap("enqueue", err)
}

func refuse(text, next string) error {
	return &store.Error{Code: store.CodeInput, Text: text, Next: next}
}

// checkOutcome checks how a deliberation ended.
func checkOutcome(command subconscious.Command) error {
	switch outcome := command.Outcome; {
	case command.Kind != subconscious.CommandOutcome || !subconscious.IsDeliberation(command.By):
		return refuse("only a deliberation says how it ended", "Use ack, dismiss or snooze")
	case command.Incident == "" || outcome == nil:
		return refuse("the outcome is of no incident, or is none", "Name the incident's key, and what the deliberation came to")
	case outcome.Until.Sub(command.At) > maxLater:
		return refuse("the time until which to wait is more than 366 days ahead", "Choose less")
	default:
		if err := outcome.Validate(); err != nil {
			return refuse("the outcome cannot be used: "+err.Error(), "Mend what is named")
		}
	}
	return nil
}

// Pending returns the commands that wait for the next tick, oldest first.
func (s *Store) Pending(ctx context.Context) ([]subconscious.Command, error) {
	type input struct {
		id int64
		subconscious.Command
	}
	inputs, err := all(ctx, s, "pending", func(in *input) []any { return []any{&in.id, store.JSON(&in.Command)} },
		"SELECT id, body FROM mind_inputs WHERE done IS NULL ORDER BY id")
	var commands []subconscious.Command
	for _, in := range inputs {
		in.ID = in.id
		commands = append(commands, in.Command)
	}
	return commands, err
}

// consume notes what the tick did with its inputs.
func consume(ctx context.Context, tx *store.Tx, tick int64, consumed map[int64]string) error {
	for _, id := range slices.Sorted(maps.Keys(consumed)) {
		changed, err := tx.Run(ctx, "UPDATE mind_inputs SET tick = ?, done = ? WHERE id = ? AND done IS NULL", tick, consumed[id], id)
		if err != nil {
			return err
		}
		if changed != 1 {
			return fmt.Errorf("input %d does not wait", id)
		}
	}
	return nil
}
