package daemon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Replay implements api.Mind. It asks no model and changes nothing.
func (d *Daemon) Replay(ctx context.Context, n int64) (api.Replay, error) {
	record, ok, err := d.mind.Record(ctx, n)
	if err != nil {
		return api.Replay{}, err
	}
	published, kept, err := d.mind.Document(ctx, n)
	if err != nil {
		return api.Replay{}, err
	}
	switch last := d.board.Now().State.TickCount; {
	case n > last:
		return api.Replay{}, api.Errorf(api.CodeNotFound, "see `subconsciousctl ticks` for those that were", "tick %d has not been yet; the last was tick %d", n, last)
	case !ok || !kept || len(record.Inputs) == 0:
		return api.Replay{}, api.Errorf(api.CodeNotFound, "see `subconsciousctl ticks` for those that are kept, for 30 days",
			"what went into tick %d is not on record any more, so that it cannot be thought again", n)
	}
	return compare(record, published)
}

// compare thinks a recorded tick again and says where it comes out otherwise.
func compare(record mind.Record, published []byte) (api.Replay, error) {
	again, err := view.Replay(record)
	if err != nil {
		return api.Replay{}, &api.Error{Code: api.CodeNotFound, Err: err, Text: err.Error() + ", so that it cannot be thought again",
			Next: "see `subconsciousctl ticks` for others"}
	}
	return compareWith(record, published, again)
}

func compareWith(record mind.Record, published []byte, again view.Replayed) (api.Replay, error) {
	document, err := subconscious.Project(again.State, again.MaxTokens)
	if err != nil {
		return api.Replay{}, err
	}
	then, err := view.ReportOf(record)
	if err != nil {
		return api.Replay{}, err
	}
	out := api.Replay{Tick: then.Tick, At: then.At, Mechanics: again.Mechanics, Gate: again.Gate, Document: !bytes.Equal(document, published)}
	var same [3]bool
	out.Changes, same[0], err = differing(then.Changes, again.Changes.Entries, func(c api.EntryChange) string { return string(c.Entry) })
	if err == nil {
		out.Decisions, same[1], err = differing(then.Decisions, newDecisions(then.Tick, then.At, again.Outcome), func(d api.Decision) string { return string(d.Incident) })
	}
	if err == nil {
		out.Told, same[2], err = differing(then.Told, toldMessages(again.Outcome), func(m api.ToldMessage) string { return m.Kind + m.Title })
	}
	out.Same = !out.Document && same == [3]bool{true, true, true} && !out.Other()
	return out, err
}

// differing are those of two lists that are not in the other with the same bytes,
// those with the same key side by side; same says whether the lists are the same.
func differing[T any](then, now []T, key func(T) string) (all []api.Differing[T], same bool, err error) {
	texts := func(list []T) (texts []string) {
		for _, one := range list {
			text, wrong := json.Marshal(one)
			texts, err = append(texts, string(text)), cmp.Or(err, wrong)
		}
		return texts
	}
	before, after := texts(then), texts(now)
	all = []api.Differing[T]{}
	for i := range then {
		if !slices.Contains(after, before[i]) {
			all = append(all, api.Differing[T]{Then: &then[i]})
		}
	}
	for i := range now {
		beside := slices.IndexFunc(all, func(d api.Differing[T]) bool { return d.Then != nil && d.Now == nil && key(*d.Then) == key(now[i]) })
		switch {
		case slices.Contains(before, after[i]):
		case beside >= 0:
			all[beside].Now = &now[i]
		default:
			all = append(all, api.Differing[T]{Now: &now[i]})
		}
	}
	return all, slices.Equal(before, after), err
}
