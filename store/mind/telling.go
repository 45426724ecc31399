package mind

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// How live an incident is for the gate; higher is more.
const (
	notLive      = 0
	liveTold     = 1 // told and not over, or asked for anew
	liveToRemind = 2
	liveWaits    = 3
)

// InboxQuery says which incidents are wanted.
type InboxQuery struct {
	// All adds those that are over, dismissed or were dropped.
	All bool
	// Before is the mark of a page, or "" for the newest.
	Before string
	Limit  int // at least 1
}

// tellingColumns are the columns person, live, since, told and feedback of t,
// written at the time at.
func tellingColumns(t *subconscious.Telling, at time.Time) []any {
	if t == nil || t.ID == "" {
		return []any{nil, notLive, nil, nil, nil}
	}
	var told any
	if last, heard := t.Heard(); heard {
		told = nanoseconds(last.At, at)
	}
	return []any{t.ID, liveness(t), nanoseconds(t.Since, at), told, store.Optional(&t.Feedback)}
}

// IsLive reports whether the gate has to look at what was told although nobody asks
// for it; see LiveIncidents.
func IsLive(t *subconscious.Telling) bool { return t != nil && liveness(t) > notLive }

func liveness(t *subconscious.Telling) int {
	switch {
	case t.Waits:
		return liveWaits
	case !t.Remind.IsZero():
		return liveToRemind
	}
	switch t.State {
	case subconscious.TellingTold, subconscious.TellingAcknowledged, subconscious.TellingSnoozed, subconscious.TellingReopened:
		return liveTold
	}
	return notLive
}

// LiveIncidents returns the incidents that the gate has to look at although
// nobody asks for them, sorted by key: those that wait, those to be reminded
// of, and those that were told and are not over. Over limit those that wait
// come first, then those to be reminded of, then the rest by newness.
func (s *Store) LiveIncidents(ctx context.Context, limit int) ([]subconscious.Incident, error) {
	found, err := all(ctx, s, "live incidents", store.JSONValue[subconscious.Incident],
		"SELECT body FROM mind_incidents WHERE live > 0 ORDER BY live DESC, since DESC, id DESC LIMIT ?", limit)
	slices.SortFunc(found, byKey)
	return found, err
}

// IncidentByID returns the incident that people know as id; ok is false where
// there is none (any more).
func (s *Store) IncidentByID(ctx context.Context, id subconscious.IncidentID) (incident subconscious.Incident, ok bool, err error) {
	if id == "" {
		return subconscious.Incident{}, false, nil
	}
	return one(ctx, s, "incident "+string(id), store.JSONValue[subconscious.Incident],
		"SELECT body FROM mind_incidents WHERE person = ? ORDER BY since DESC, id DESC LIMIT 1", id)
}

// Inbox returns a page of the incidents that somebody asked to have told
// of, those whose state is newest first, and the mark of the next page, "" where
// this was the last. An incident that changes between two pages moves to the
// front and is on no later page. An invalid mark is an *store.Error with
// CodeInput.
func (s *Store) Inbox(ctx context.Context, query InboxQuery) (page []subconscious.Incident, before string, err error) {
	since, id, err := readMark(query.Before)
	if err != nil {
		return nil, "", err
	}
	// Each has its index, which is used where the query says so word by word.
	where := "live > 0"
	if query.All {
		where = "person IS NOT NULL"
	}
	type place struct {
		id, since int64
		incident  subconscious.Incident
	}
	limit := max(1, query.Limit)
	places, err := all(ctx, s, "inbox", func(p *place) []any { return []any{&p.id, &p.since, store.JSON(&p.incident)} },
		"SELECT id, since, body FROM mind_incidents WHERE "+where+" AND (since, id) < (?, ?) ORDER BY since DESC, id DESC LIMIT ?", since, id, limit+1)
	for _, p := range places[:min(limit, len(places))] {
		page = append(page, p.incident)
	}
	if len(places) > limit {
		before = mark(places[limit-1].since, places[limit-1].id)
	}
	return page, before, err
}

// mark names the place after the incident with that id and since.
func mark(since, id int64) string {
	return strconv.FormatInt(since, 36) + "_" + strconv.FormatInt(id, 36)
}

// readMark reverses mark; none is the place before the newest.
func readMark(text string) (since, id int64, err error) {
	if text == "" {
		return 1<<63 - 1, 1<<63 - 1, nil
	}
	first, second, ok := strings.Cut(text, "_")
	since, err = strconv.ParseInt(first, 36, 64)
	if err == nil {
		id, err = strconv.ParseInt(second, 36, 64)
	}
	if err != nil || !ok {
		return 0, 0, refuse("before is no mark of a page", "Take it from the page before, as it stands there")
	}
	return since, id, nil
}

// IncidentCounts counts the incidents that are open for the person, and those
// of them that are held back and judged again.
func (s *Store) IncidentCounts(ctx context.Context) (open, held int, err error) {
	counts, _, err := one(ctx, s, "count incidents", func(n *[2]int) []any { return []any{&n[0], &n[1]} },
		"SELECT count(*), coalesce(sum(live = ?), 0) FROM mind_incidents WHERE live > 0", liveWaits)
	return counts[0], counts[1], err
}

// FeedbackCounts counts the person's last word on the incidents that were told
// last since that time.
func (s *Store) FeedbackCounts(ctx context.Context, since time.Time) (map[subconscious.Feedback]int, error) {
	counts, err := store.Map[subconscious.Feedback, int](ctx, s.db,
		"SELECT feedback, count(*) FROM mind_incidents WHERE told >= ? AND feedback IS NOT NULL GROUP BY feedback", since.UnixNano())
	return counts, wrap("count feedback", err)
}
