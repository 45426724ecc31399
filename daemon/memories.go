package daemon

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/memory"
)

// AddMemory implements api.Mind.
func (q *intake) AddMemory(ctx context.Context, a api.MemoryAddition) (api.MemoryWritten, error) {
	return q.write(ctx, a.As, memory.Record{Kind: memory.Kind(a.Kind), Title: a.Title, Text: a.Text, Tags: a.Tags, Topic: a.Topic, About: a.About,
		Said: a.Said, Citations: a.Citations, Key: a.Key})
}

// SupersedeMemory implements api.Mind. What holds from now on is of the kind, the topic,
// the tags and the place of what held before.
func (q *intake) SupersedeMemory(ctx context.Context, next api.MemorySuccessor) (api.MemoryWritten, error) {
	old, err := q.owned(ctx, next.ID, next.As)
	switch {
	case err != nil:
		return api.MemoryWritten{}, err
	case old.Lane != memory.Trusted && next.As == "":
		return api.MemoryWritten{}, api.Errorf(api.CodeRefused, "confirm it first: `subconsciousctl memory confirm "+old.ID+"`, or archive it and add your own",
			"%s rests on the word of others, and yours does not stand beside theirs", old.ID)
	case old.Status != memory.Active:
		return api.MemoryWritten{}, api.Errorf(api.CodeChanged, "see what holds: `subconsciousctl memory provenance "+old.ID+"`", "%s is %s already", old.ID, old.Status)
	}
	return q.write(ctx, next.As, memory.Record{Kind: old.Kind, Text: next.Text, Tags: old.Tags, Topic: old.Topic, About: old.About, Supersedes: old.ID})
}

// write keeps the person's word, or an agent's.
func (q *intake) write(ctx context.Context, as string, r memory.Record) (api.MemoryWritten, error) {
	r.Trust, r.Source, r.About.Agent = api.TrustOf(as), memory.Agent, as
	if as == "" {
		r.Source = memory.Person
		q.use()
	}
	written, err := q.in.Memory.Add(ctx, r)
	return written, view.Answer(err)
}

// owned is the one memory whose ID begins so, if whoever speaks may change it: the
// person all, an agent what it wrote and nobody confirmed.
func (q *intake) owned(ctx context.Context, id, as string) (memory.Record, error) {
	name := api.MemoryName{ID: id, Lanes: memory.Lanes()}
	if as == "" {
		q.use()
		return q.Named(ctx, name)
	}
	r, err := q.Named(ctx, name)
	if err == nil && (r.Lane == memory.Trusted || r.About.Agent != as) {
		err = api.Errorf(api.CodeRefused, "leave it to the person, or add what holds in its place as a memory of your own", "the agent %s changes what it wrote itself alone, and %s is none of that", as, r.ID)
	}
	return r, err
}

// by is who speaks, as the history has it.
func by(as string) string {
	if as == "" {
		return string(memory.Person)
	}
	return as
}

// EditMemory implements api.Mind.
func (q *intake) EditMemory(ctx context.Context, e api.MemoryEdit) (api.MemoryRecord, error) {
	old, err := q.owned(ctx, e.ID, e.As)
	if err != nil {
		return old, err
	}
	now, err := q.in.Memory.Edit(ctx, old.ID, e.Version, memory.Edit{Title: e.Title, Summary: e.Summary, Text: e.Text, Topic: e.Topic, Tags: e.Tags, Kind: memory.Kind(e.Kind)}, by(e.As))
	if errors.Is(err, memory.ErrVersion) {
		lost := api.Errorf(api.CodeChanged, "look at it as it is now, and edit that: `subconsciousctl memory show "+old.ID+"`",
			"%s was changed since you read it: it is of version %d, and yours was %d", old.ID, now.Version, e.Version)
		lost.Memory = &now
		return now, lost
	}
	return now, view.Answer(err)
}

// ChangeMemory implements api.Mind.
func (q *intake) ChangeMemory(ctx context.Context, change api.MemoryChange) (r api.MemoryRecord, err error) {
	if r, err = q.owned(ctx, change.ID, change.As); err != nil {
		return r, err
	}
	switch change.Verb {
	case api.VerbPin:
		on := !change.Off
		r, err = q.in.Memory.Edit(ctx, r.ID, 0, memory.Edit{Pinned: &on}, by(change.As))
	case api.VerbArchive:
		r, err = q.in.Memory.Archive(ctx, r.ID, by(change.As))
	case api.VerbConfirm:
		r, err = q.in.Memory.Confirm(ctx, r.ID)
	case api.VerbUndo:
		r, err = q.in.Memory.Undo(ctx, r.ID, by(change.As))
	}
	return r, view.Answer(err)
}

// ForgetMemory implements api.Mind.
func (q *intake) ForgetMemory(ctx context.Context, wanted api.MemoryForget) (api.MemoryForgotten, error) {
	r, err := q.owned(ctx, wanted.ID, wanted.As)
	if err == nil && r.ID != wanted.ID {
		err = api.Errorf(api.CodeBadRequest, "if you mean that one: `subconsciousctl memory forget "+r.ID+"`", "%q is the beginning of an id, and to erase for good its whole is needed", wanted.ID)
	}
	forgotten := api.MemoryForgotten{}
	switch before, gone := q.in.Memory.Gone(wanted.ID); {
	case err == nil:
		forgotten.Forgotten, err = q.in.Memory.Forget(ctx, r.ID)
		err = view.Answer(err)
	case gone && wanted.Backups && wanted.As == "": // it was forgotten without them
		forgotten.Forgotten, err = before, nil
	}
	if err != nil || !wanted.Backups {
		return forgotten, err
	}
	done, err := backup.Forget(ctx, q.in.Config.StateDir, forgotten.Backups)
	if err != nil {
		return forgotten, api.Errorf(api.CodeUnavailable, "free some space, or remove the backups yourself: "+strings.Join(forgotten.Backups, ", "),
			"%s is forgotten, and not all backups that hold it could be rewritten: %w", wanted.ID, err)
	}
	forgotten.Rewritten, forgotten.Removed, forgotten.Backups = done.Written, done.Removed, done.Left
	return forgotten, nil
}

// ImportMemory implements api.Mind.
func (q *intake) ImportMemory(ctx context.Context, lines io.Reader) (api.MemoryImported, error) {
	q.use()
	imported, err := q.in.Memory.Import(ctx, lines)
	return imported, view.Answer(err)
}

// validatedAtOnce is how many memories are looked at when none is named.
const validatedAtOnce = 200

// ValidateMemories implements api.Mind.
func (q *intake) ValidateMemories(ctx context.Context) (api.MemoryValidated, error) {
	all, err := q.in.Memory.ValidateOldest(ctx, validatedAtOnce)
	doubted := slices.DeleteFunc(slices.Clone(all), func(r memory.Record) bool { return r.Doubt() == "" })
	return api.MemoryValidated{Looked: len(all), Doubted: doubted}, view.Answer(err)
}
