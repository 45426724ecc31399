package mail

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// usualTime is how long a collect may take that has no deadline.
	usualTime = 10 * time.Second
	// rounds is how often one collect connects, because of messages that end the
	// connection.
	rounds = 5
	// maxChanges is how many messages one collect tells of; the rest follow.
	maxChanges = 4_000
	// unreadShown is how long it is said that messages could not be read.
	unreadShown = 24 * time.Hour
	// scope of what stands.
	scope = "open"
)

// collect is one Collect.
type collect struct {
	*Sense
	at    time.Time
	zone  *time.Location
	state *cursor // of the next batch
	// soft is when nothing more is begun.
	soft time.Time

	changes []subconscious.Observation
	// read are the folders that were looked at, missing those that are not
	// there or refused, stuck those in which a message could not be read just now.
	read, missing map[string]bool
	stuck         map[uint32]bool
	// unfinished: not all of the folders were looked through.
	unfinished bool
	// again asks for another round, since one message ended this one.
	again bool
	// said is what cannot be seen just now, aside what is not judged and not missed.
	said  []string
	aside string
	full  bool // more stands than is kept
	// waiting are what the person waits for.
	waiting []hash
	// acts are what the person did, marked those that may be of a whole folder;
	// removed are letters of which a copy went.
	acts, marked []subconscious.Act
	removed      map[hash]bool
	// listing is what became of the list of folders.
	listing senses.Listing
}

// Collect looks at what was sent and what arrived since the cursor, and at
// what stands.
func (s *Sense) Collect(ctx context.Context, at time.Time, given []byte) (senses.Batch, error) {
	if err := s.conclude(ctx, given); err != nil {
		return senses.Batch{}, err
	}
	limit := usualTime
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(time.Until(deadline), 0)
	}
	hard, cancel := context.WithTimeout(ctx, limit*9/10)
	defer cancel()
	l := &collect{
		Sense: s, at: at, zone: s.options.Zone(), state: s.state.clone(), soft: time.Now().Add(limit / 2),
		read: map[string]bool{}, missing: map[string]bool{}, stuck: map[uint32]bool{}, removed: map[hash]bool{},
	}
	if l.state.Collect == 0 { // the rows are those of another account, or of collects whose cursor is lost
		for _, t := range s.tables() {
			t.dropAll()
		}
	}
	l.leave()
	err := l.run(hard)
	if ctx.Err() != nil {
		return senses.Batch{}, fmt.Errorf("mail %s: %w", s.config.ID, ctx.Err())
	}
	if err != nil && len(l.read) == 0 {
		return senses.Batch{}, s.wrap(err)
	}
	if len(l.read) == 0 {
		return senses.Batch{}, fmt.Errorf("mail %s: %s", s.config.ID, strings.Join(l.said, "; "))
	}
	if err != nil {
		l.say("not all of it could be looked at, the rest follows: %v", err)
	}
	return l.batch(), nil
}

// leave keeps what is known of folders that left the configuration, for a while.
func (l *collect) leave() {
	var gone []string
	l.state.Left, gone, l.listing = l.state.Left.Keep(l.at, slices.Sorted(maps.Keys(l.state.Folders)), func(name string) bool { return slices.Contains(l.folders, name) })
	for _, name := range gone {
		num := l.state.Folders[name].Num
		delete(l.state.Folders, name)
		l.endCopies(func(n uint32) bool { return n == num })
	}
}

// wrap says of an error which account it is of, where it does not say so itself.
func (s *Sense) wrap(err error) error {
	if strings.HasPrefix(err.Error(), "mail account ") {
		return err
	}
	return fmt.Errorf("mail %s: %w", s.config.ID, err)
}

// run makes rounds until one goes through, or ends for another reason than one
// message.
func (l *collect) run(ctx context.Context) error {
	for n := 1; ; n++ {
		l.again = false
		err := l.account.Do(ctx, func(session *account.Session) error { return l.round(ctx, session) })
		if !l.again || n == rounds || ctx.Err() != nil {
			return err
		}
	}
}

// round looks at everything in turn. It may be begun again: what is done is done.
func (l *collect) round(ctx context.Context, session *account.Session) error {
	l.said, l.unfinished = nil, false
	clear(l.missing)
	if err := l.readSent(ctx, session); ends(ctx, err) {
		return err
	} else if err != nil {
		l.say("what you sent: %v", err)
	}
	if l.config.Sent != noSent && l.state.Sent.first() && l.state.Sent != nil && l.beginning() {
		// Who is known, and what was answered, is needed of the first mail.
		l.unfinished = true
		for _, name := range l.folders {
			l.read[name] = true
		}
		return nil
	}
	l.waiting = nil
	for key, o := range l.open.all() {
		if o.Observation.Kind == kindAwaiting {
			l.waiting = append(l.waiting, key)
		}
	}
	last, opened, err := l.checkAllOpen(ctx, session)
	if err != nil {
		return err
	}
	names := slices.Clone(l.folders)
	if i := slices.Index(names, last); i > 0 {
		names[0], names[i] = names[i], names[0]
	}
	for _, name := range names {
		if l.missing[name] {
			continue
		}
		if name != last {
			opened = account.Opened{}
		}
		if err := l.readFolder(ctx, session, name, opened); ends(ctx, err) {
			return err
		} else if err != nil {
			l.missing[name], l.unfinished = true, l.unfinished || l.state.Folders[name] != nil
			l.say("%v", err)
		}
	}
	if !l.unfinished {
		l.endMissing()
	}
	return nil
}

// ends reports whether after an error nothing more can be asked of the session.
// What the server merely refuses is another matter.
func ends(ctx context.Context, err error) bool {
	final := []error{account.ErrLost, account.ErrSilent, account.ErrBounds, account.ErrBusy, account.ErrSignIn, account.ErrSecure, account.ErrStopped}
	return err != nil && (ctx.Err() != nil || slices.ContainsFunc(final, func(end error) bool { return errors.Is(err, end) }))
}

// beginning reports whether no folder was looked through yet.
func (l *collect) beginning() bool {
	for _, f := range l.state.Folders {
		if f.Next > 0 {
			return false
		}
	}
	return true
}

// examine opens a folder. ok is false where there is none, which is said.
func (l *collect) examine(ctx context.Context, session *account.Session, name string) (opened account.Opened, ok bool, err error) {
	opened, err = session.Examine(ctx, name)
	if errors.Is(err, account.ErrFolder) {
		// What lay in it may lie elsewhere by now; where it was never there, nothing
		// waits for it.
		l.missing[name], l.unfinished = true, l.unfinished || l.state.Folders[name] != nil
		l.say("%v", err)
		return opened, false, nil
	}
	if err != nil {
		return opened, false, fmt.Errorf("open the folder %q: %w", name, err)
	}
	return opened, true, nil
}

// say notes in plain words what cannot be seen.
func (l *collect) say(format string, args ...any) {
	l.said = append(l.said, fmt.Sprintf(format, args...))
}

// time reports whether anything more may be begun.
func (l *collect) time() bool { return len(l.changes) < maxChanges && time.Now().Before(l.soft) }

// batch makes what the collect hands over.
func (l *collect) batch() senses.Batch {
	l.endOver()
	l.prune()
	if l.config.Sent == noSent {
		l.state.Sent, l.state.SentName = nil, ""
	}
	batch := senses.Batch{Changes: l.changes, Acts: l.singly(), Starting: l.starting(), Listing: l.listing}
	if l.open.changed() || l.listing != senses.Unchanged {
		batch.Sets = l.standing()
	}
	if l.full {
		l.say("more than %d observations stand, and the latest are told as plain mail; answer or remove some", maxOpen)
	}
	if n := l.state.Unread; n > 0 {
		if l.at.Sub(time.Unix(l.state.UnreadAt, 0)) < unreadShown {
			words := "messages could not be read, and were"
			if n == 1 {
				words = "message could not be read, and was"
			}
			l.say("%d %s passed over", n, words)
		} else {
			l.state.Unread, l.state.UnreadAt = 0, 0
		}
	}
	batch.Degraded, batch.Aside = strings.Join(l.said, "; "), senses.Joined(l.aside, l.state.Left.Says("folders", l.zone))
	l.hand(&batch, l.state)
	return batch
}

// standing lists what stands, in a fixed order, and what does in folders that left.
func (l *collect) standing() []senses.Set {
	sets := []senses.Set{{Scope: scope}, {Scope: scope, Left: true}}
	for _, o := range l.open.all() {
		item, set := o.Observation, &sets[0]
		if l.left(o) {
			set = &sets[1]
		}
		set.Items = append(set.Items, item)
	}
	for _, set := range sets {
		slices.SortFunc(set.Items, func(a, b subconscious.Observation) int { return strings.Compare(a.ID, b.ID) })
	}
	return sets[:1+min(len(sets[1].Items), 1)]
}

// left reports whether a message lies in folders alone that left.
func (l *collect) left(o item) bool {
	return len(o.Copies) > 0 && !slices.ContainsFunc(o.Copies, func(c filed) bool { return !l.state.Left.Has(l.state.named(c.Num)) })
}

// starting reports whether the first collect of anything goes on.
func (l *collect) starting() bool {
	if l.state.Sent != nil && l.state.Sent.first() {
		return true
	}
	for _, name := range l.folders {
		if f := l.state.Folders[name]; !l.missing[name] && (f == nil || f.first()) {
			return true
		}
	}
	return false
}

// oldest is the time before which what turns up in a folder is passed over. It is
// never later than now, where the clock was set back: mail would be lost.
func (l *collect) oldest(f *folder) time.Time {
	oldest := l.at.Add(-l.config.LookBack)
	return time.Unix(min(max(oldest.Unix(), f.Floor, l.state.Forgot), l.at.Unix()), 0)
}

// maxUID is the last UID that there can be.
const maxUID = imap.UID(1<<32 - 1)
