package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// keysKept is how long a key is remembered: whoever writes with one does so
	// again soon after a crash or never.
	keysKept = 30 * 24 * time.Hour
	// keysSwept bounds how many old keys go with one write.
	keysSwept = 64
)

// Add writes a record in a transaction of its own and returns what came of it.
//
// A record that says to the letter what another one of its lane, project and agent says
// is not stored: that one's SeenCount rises, and it gains the tags and citations. What
// strangers or agents said changes nothing that the person, the machine or another one
// said, nor the other way round. With a key that was used before, nothing changes; if
// the person has forgotten that record since, its Status is Erased.
//
// What supersedes another record, by name or by a topic that holds one value, retires
// that one. What is not worth keeping is refused, with the reason and no error.
//
// Errors wrap ErrInvalid, ErrNotFound where it supersedes nothing that is there, or
// ErrFull; nothing was written then.
func (s *Store) Add(ctx context.Context, r Record) (done Written, err error) {
	r.Citations = s.noted(ctx, r)
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		done, err = s.remember(ctx, tx, r)
		return err
	})
	if err != nil {
		return Written{}, fmt.Errorf("memory: remember: %w", err)
	}
	return done, nil
}

// Remember writes a record in the caller's transaction, as Add does. After an
// error that wraps ErrInvalid, ErrNotFound or ErrFull the transaction can go on.
func (s *Store) Remember(ctx context.Context, tx *store.Tx, r Record) (Written, error) {
	done, err := s.remember(ctx, tx, r)
	if err != nil {
		return Written{}, fmt.Errorf("memory: remember: %w", err)
	}
	return done, nil
}

func (s *Store) remember(ctx context.Context, tx *store.Tx, r Record) (Written, error) {
	clean, err := s.prepare(r)
	if err != nil {
		return Written{}, err
	}
	if clean.Key != "" {
		if known, found, err := keyed(ctx, tx, clean); err != nil || found {
			return Written{Record: known, Outcome: Seen}, err
		}
	}
	reason, err := s.refuses(ctx, tx, clean)
	again := reason == WasForgotten && clean.Source == Person && clean.Trust == subconscious.Owner
	if again {
		reason, err = "", s.options.Tombstones.lift(s.options.Tombstones.of(clean))
	}
	if err != nil {
		return Written{}, err
	}
	if reason == Echo {
		// What is there to the letter is counted, and not kept anew.
		if _, err := s.same(ctx, tx, clean); err == nil && clean.Source == Mechanics {
			reason = ""
		} else if err != nil && !errors.Is(err, ErrNotFound) {
			return Written{}, err
		}
	}
	if reason != "" {
		return Written{Outcome: Refused, Reason: reason}, s.count(ctx, tx, reason)
	}
	act := s.act(clean.By())
	done, err := s.place(ctx, tx, act, clean)
	if err != nil {
		return Written{}, err
	}
	if again {
		done.Reason = WasForgotten
	}
	return done, s.keep(ctx, tx, clean, done.ID, act.at)
}

// State is what a reader is told of a record: its lane, where it is found, and it is not
// trusted, else its status.
func (r Record) State() string {
	if r.Status == Active && r.Lane != Trusted {
		return string(r.Lane)
	}
	return string(r.Status)
}

// By is who writes a record.
func (r Record) By() string {
	if r.About.Agent != "" && r.Source == Agent {
		return r.About.Agent
	}
	return string(r.Source)
}

// keyed returns what was written with the record's key.
func keyed(ctx context.Context, tx *store.Tx, r Record) (known Record, found bool, err error) {
	id, found, err := store.One(ctx, tx, store.Value[string], "SELECT id FROM memory_keys WHERE lane = ? AND key = ?", r.Lane, keyOf(r))
	if err != nil || !found {
		return Record{}, false, err
	}
	row, err := byID(ctx, tx, id)
	if errors.Is(err, ErrNotFound) {
		return Record{ID: id, Status: Erased}, true, nil
	}
	return row.Record, err == nil, err
}

// place gives a record its place among those of its lane: it is one of them again, it
// supersedes one, or it stands beside them.
func (s *Store) place(ctx context.Context, tx *store.Tx, act *act, r Record) (Written, error) {
	same, err := s.same(ctx, tx, r)
	if err == nil {
		done, err := s.again(ctx, tx, act, same, r)
		if err == nil {
			next := row{Record: done.Record, n: same.n}
			next.Supersedes = r.Supersedes
			err = s.retire(ctx, tx, act, &next)
		}
		return done, err
	}
	if !errors.Is(err, ErrNotFound) {
		return Written{}, err
	}
	var like neighbour
	if r.Supersedes == "" && !single(r.Topic) {
		if like, err = s.alike(ctx, tx, r); err != nil {
			return Written{}, err
		}
		if like.same {
			return s.again(ctx, tx, act, like.row, r)
		}
	}
	held, err := s.holders(ctx, tx, r)
	if err != nil {
		return Written{}, err
	}
	if named := r.Supersedes; len(held) > 0 {
		if r.Supersedes = held[0].ID; named != "" && named != r.Supersedes {
			held, r.Supersedes = nil, named // another one, of the same topic
		}
	}
	if len(held) == 0 && r.Supersedes != "" {
		return Written{}, fmt.Errorf("%w: %s, which it is to supersede, is not among the active ones of its lane", ErrNotFound, subconscious.Clip(r.Supersedes, MaxName))
	}
	stored, err := s.insert(ctx, tx, act, r)
	if err != nil {
		return Written{}, err
	}
	done := Written{Record: stored.Record, Outcome: Stored}
	for _, old := range held {
		next := old
		next.Status, next.SupersededBy = Superseded, stored.ID
		// What was in doubt is decided.
		if err := errors.Join(s.change(ctx, tx, act, "superseded", old, next), tx.Exec(ctx, "DELETE FROM memory_conflicts WHERE older = ?1 OR newer = ?1", old.ID)); err != nil {
			return Written{}, err
		}
	}
	if like.conflict && len(held) == 0 {
		done.Outcome, done.With = Conflict, like.row.ID
		return done, tx.Exec(ctx, "INSERT INTO memory_conflicts (older, newer, at) VALUES (?, ?, ?)", like.row.ID, stored.ID, act.at.UnixNano())
	}
	return done, nil
}

// same is the record that says the same to the letter, an active one first.
func (s *Store) same(ctx context.Context, tx *store.Tx, r Record) (row, error) {
	// "+" keeps SQLite from going through the whole lane in the order of status.
	return one(ctx, tx, "hash = ? AND +lane = ? AND project = ? AND "+ofAgent+" AND status <> ? ORDER BY status, n LIMIT 1",
		hashOf(r.Text), r.Lane, r.About.Project, r.About.Agent, Superseded)
}

// ofAgent is the condition that a record is of an agent. Among what is trusted it does not
// matter which one said it once.
const ofAgent = "(agent = ? OR lane = 'trusted')"

// holders are the records that another one retires, the last first: the one that it names,
// and those of its topic, where that holds one value.
func (s *Store) holders(ctx context.Context, tx *store.Tx, r Record) ([]row, error) {
	topic := ""
	if single(r.Topic) {
		topic = r.Topic
	}
	if topic == "" && r.Supersedes == "" {
		return nil, nil
	}
	return rows(ctx, tx, "(id = ? OR topic = ? AND topic <> '') AND lane = ? AND project = ? AND "+ofAgent+" AND status = ? ORDER BY id = ? DESC, n DESC LIMIT ?",
		r.Supersedes, topic, r.Lane, r.About.Project, r.About.Agent, Active, r.Supersedes, maxLimit)
}

// again counts a record that says what another one says.
func (s *Store) again(ctx context.Context, tx *store.Tx, act *act, old row, r Record) (Written, error) {
	next := old
	next.SeenCount++
	next.LastSeen = act.at
	next.Tags, next.Topic = union(old.Tags, r.Tags, MaxTags), cmp.Or(old.Topic, r.Topic)
	next.Citations = slices.Clone(old.Citations)
	for _, c := range r.Citations {
		same := func(o Citation) bool {
			return o == c || c.Hash != "" && o.Hash != "" && o.File == c.File && o.Lines == c.Lines
		}
		if i := slices.IndexFunc(next.Citations, same); i >= 0 {
			next.Citations[i] = c
		} else if len(next.Citations) < MaxCitations {
			next.Citations = append(next.Citations, c)
		}
	}
	if r.Trust == subconscious.Owner {
		next.Trust, next.Confidence = subconscious.Owner, 1
	}
	if old.Status == Archived {
		if err := s.room(ctx, tx, act, r); err != nil {
			return Written{}, err
		}
		next.Status = Active
	}
	if err := s.change(ctx, tx, act, "seen", old, next); err != nil {
		return Written{}, err
	}
	stored, err := byID(ctx, tx, old.ID)
	return Written{Record: stored.Record, Outcome: Seen}, err
}

func (s *Store) insert(ctx context.Context, tx *store.Tx, act *act, r Record) (row, error) {
	if err := s.room(ctx, tx, act, r); err != nil {
		return row{}, err
	}
	next := row{Record: r}
	next.ID, next.Version, next.SeenCount = newID(), 1, 1
	next.Created, next.Updated, next.LastSeen = act.at, act.at, act.at
	kept := next.asKept()
	n, err := tx.Insert(ctx, "memory_records", columnNames+", hash", append(kept.columns(), hashOf(next.Text))...)
	if err != nil {
		return row{}, err
	}
	next.n = n
	if err := s.index(ctx, tx, next); err != nil {
		return row{}, err
	}
	if err := s.tell(ctx, tx, act, "added", next.ID, ""); err != nil {
		return row{}, err
	}
	return byID(ctx, tx, next.ID)
}

// keep remembers the record's key, and lets old ones go.
func (s *Store) keep(ctx context.Context, tx *store.Tx, r Record, id string, now time.Time) error {
	if r.Key == "" {
		return nil
	}
	if err := tx.Exec(ctx, `DELETE FROM memory_keys WHERE (lane, key) IN
		(SELECT lane, key FROM memory_keys WHERE at < ? ORDER BY at LIMIT ?)`, now.Add(-keysKept).UnixNano(), keysSwept); err != nil {
		return err
	}
	return tx.Exec(ctx, "INSERT INTO memory_keys (lane, key, id, at) VALUES (?, ?, ?, ?)", r.Lane, keyOf(r), id, now.UnixNano())
}

// room makes place for one more active record: the one of its lane, or of its agent,
// that is oldest and of no use goes to the archive. It gives ErrFull where too many
// are kept of the lane at all.
func (s *Store) room(ctx context.Context, tx *store.Tx, act *act, r Record) error {
	counts, err := store.All(ctx, tx, func(c *counted) []any { return []any{&c.agent, &c.status, &c.records} },
		"SELECT agent, status, records FROM memory_counts WHERE lane = ?", r.Lane)
	if err != nil {
		return err
	}
	var all, active, itsActive, its int
	for _, c := range counts {
		all += c.records
		if c.status == Active {
			active += c.records
		}
		if c.agent == r.About.Agent && r.Lane == Agents {
			its += c.records
			if c.status == Active {
				itsActive += c.records
			}
		}
	}
	condition, args := "lane = ?", []any{r.Lane}
	switch {
	case its >= 2*s.options.MaxAgent: // so that one agent does not take the others' room
		return fmt.Errorf("%w: there are %d records of %s; forget some of them", ErrFull, its, r.About.Agent)
	case all >= 2*s.options.MaxLane:
		return fmt.Errorf("%w: there are %d records of %s; forget some of them", ErrFull, all, r.Lane)
	case itsActive >= s.options.MaxAgent:
		condition, args = condition+" AND agent = ?", append(args, r.About.Agent)
	case active < s.options.MaxLane:
		return nil
	}
	oldest, err := rows(ctx, tx, condition+" AND status = 'active' AND pinned = 0 ORDER BY used > 0, max(created, last_used) LIMIT ?", append(args, 1+s.options.MaxLane/1000)...)
	if err != nil {
		return err
	}
	if len(oldest) == 0 {
		return fmt.Errorf("%w: all %d records of %s are pinned", ErrFull, active, r.Lane)
	}
	for _, old := range oldest { // a few more, so that not every write looks through all
		next := old
		next.Status = Archived
		if err := errors.Join(s.change(ctx, tx, act, "archived", old, next), s.count(ctx, tx, Displaced)); err != nil {
			return err
		}
	}
	return nil
}

type counted struct {
	agent   string
	status  Status
	records int
}

// tableOf is the index of a lane.
func tableOf(lane Lane) string {
	switch lane {
	case Trusted:
		return "memory_trusted"
	case Agents:
		return "memory_agents"
	}
	return "memory_apart"
}

// index lets a record be found, where it is active: in the table at once, and in the
// ranking once the transaction has committed.
func (s *Store) index(ctx context.Context, tx *store.Tx, r row) error {
	if r.Status != Active {
		return nil
	}
	tx.After(func() { s.ranked.add(r) })
	return tx.Exec(ctx, "INSERT INTO "+tableOf(r.Lane)+" (rowid, text, tags) VALUES (?, ?, ?)",
		r.n, fulltext.Split(r.searched()), fulltext.Split(joined(r.Tags)))
}

func (s *Store) unindex(ctx context.Context, tx *store.Tx, r row) error {
	if r.Status != Active {
		return nil
	}
	tx.After(func() { s.ranked.remove(r) })
	return tx.Exec(ctx, "DELETE FROM "+tableOf(r.Lane)+" WHERE rowid = ?", r.n)
}

// searched is what of a record is searched beside its tags.
func (r Record) searched() string {
	if r.Title == "" || r.Title == r.firstLine() {
		return r.Text
	}
	return r.Title + "\n" + r.Text
}
