package mind

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxPending is how many commands may wait. Outcomes of deliberations, a
	// few for each tick, may exceed that.
	maxPending = 1000
	maxText    = 2000 // bytes of a command's text
	maxName    = 1000 // bytes of each of its other fields
	maxLater   = 366 * 24 * time.Hour
)

// Enqueue keeps a command for the next tick and returns it with its ID. What
// is too much or cannot be understood is an *store.Error with CodeInput.
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
	if err := checkCommand(command); err != nil {
		return subconscious.Command{}, err
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

func checkCommand(command subconscious.Command) error {
	switch command.Kind {
	case subconscious.CommandClose, subconscious.CommandConfirm, subconscious.CommandDismiss, subconscious.CommandFocus, subconscious.CommandNote, subconscious.CommandEdit:
	case subconscious.CommandAck, subconscious.CommandSnooze, subconscious.CommandRemind:
		if command.Entry == "" && command.Incident == "" && command.IncidentID == "" {
			return refuse(fmt.Sprintf("%s is about no incident", command.Kind), "Name the incident, or an entry of it")
		}
	case subconscious.CommandOutcome:
		if err := checkOutcome(command); err != nil {
			return err
		}
	default:
		return refuse(fmt.Sprintf("%q is no command", command.Kind), "Use ack, dismiss, snooze, remind, close, confirm, focus or note")
	}
	if command.Outcome != nil && command.Kind != subconscious.CommandOutcome {
		return refuse(fmt.Sprintf("%s has an outcome", command.Kind), "Leave the outcome out")
	}
	if (command.Edit != nil) != (command.Kind == subconscious.CommandEdit) {
		return refuse(fmt.Sprintf("%s has an edit, or is one without", command.Kind), "Only an edit of the document has one")
	}
	if command.At.IsZero() || command.By == "" {
		return refuse("the command does not say when and by whom it was given", "Set its time and who gave it")
	}
	if err := checkLater(command); err != nil {
		return err
	}
	if len(command.Text) > maxText {
		return refuse(fmt.Sprintf("the text has %d bytes, more than %d", len(command.Text), maxText), "Shorten it, or put it into a file of the notes folder")
	}
	for _, name := range []string{string(command.Entry), string(command.Incident), string(command.IncidentID), string(command.Thread), command.By} {
		if len(name) > maxName || !utf8.ValidString(name) {
			return refuse(fmt.Sprintf("a name in the command is longer than %d bytes or no valid text", maxName), "Copy the name as it is shown")
		}
	}
	if !utf8.ValidString(command.Text) {
		return refuse("the text is not valid UTF-8", "Send it as UTF-8")
	}
	return nil
}

// checkOutcome checks how a deliberation ended.
func checkOutcome(command subconscious.Command) error {
	switch outcome := command.Outcome; {
	case !subconscious.IsDeliberation(command.By):
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

// checkLater checks the word and the time of a command about an incident.
func checkLater(command subconscious.Command) error {
	switch command.Feedback {
	case "", subconscious.Useful, subconscious.NotUseful, subconscious.Missed:
	default:
		return refuse(fmt.Sprintf("%q is no word on the use of being told", command.Feedback), "Use useful or not_useful, or none")
	}
	switch {
	case command.Until.IsZero() && command.Kind == subconscious.CommandRemind:
		return refuse("the reminder has no time", "Say for how long, or until when")
	case !command.Until.IsZero() && !command.Until.After(command.At):
		return refuse("the time until which to wait is past", "Name a time that is still ahead")
	case command.Until.Sub(command.At) > maxLater:
		return refuse("the time until which to wait is more than 366 days ahead", "Choose less, and ask again then")
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

// Edited returns what ticks did since then with edits of the document, the newest first.
func (s *Store) Edited(ctx context.Context, since time.Time) ([]subconscious.Edited, error) {
	return all(ctx, s, "edited", func(e *subconscious.Edited) []any { return []any{&e.Tick, store.Time(&e.At), &e.Done} },
		"SELECT tick, at, done FROM mind_inputs WHERE done IS NOT NULL AND at >= ? AND json_extract(body, '$.by') = ? ORDER BY id DESC LIMIT ?",
		since.UnixNano(), subconscious.ByHand, editedShown)
}

// editedShown is how many edits are returned.
const editedShown = 20

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
