package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Post is a message to be told over channels.
type Post struct {
	// Key names the decision that it comes from: a second post of the same key
	// changes nothing.
	Key      string
	At       time.Time // when it was decided
	Kind     Kind
	Incident subconscious.IncidentID // "" for none
	// Proposal is the id of what KindProposal asks about; "" for other kinds.
	Proposal string
	// Title and Text are plain text; what is over 240 characters together is
	// cut off.
	Title, Text string
	// Urgent: it goes before others, and once more where nobody knows whether
	// it arrived.
	Urgent bool
	// Outline is the title for a channel that others can read; "" is Title.
	Outline string
	// Priority is 1 to 5, see Message; 0 is Now for what is urgent, ThisWeek for a
	// digest, and else Today.
	Priority int
	// After, if set, is when it is sent at the earliest; until then a second post
	// of the same key replaces its words.
	After time.Time
	// Expires is from when on it is of no use, and not sent any more; zero is a
	// day after At.
	Expires time.Time
	// Link is an http or https address, or "".
	Link string
	// Answers are offered as buttons where a channel has them, at most 3. They
	// need an Incident, but in a test and for a proposal. AnswerLater and
	// AnswerReject are of a proposal, which takes no others.
	Answers []Answer
	// Channels are ids; nil is all. What is not configured is passed over.
	Channels []string
	// replaces is the sequence of the message in whose place it comes; "" for that
	// of its incident.
	replaces string
}

// Bounds of what is posted, in bytes.
const (
	maxKey       = 256
	maxIncident  = 128
	maxProposal  = 128
	maxChannelID = 64
	maxLink      = 1024
	maxButtons   = 3
)

func (p Post) validate() error {
	switch {
	case p.Key == "" || len(p.Key) > maxKey:
		return fmt.Errorf("the key has %d bytes and must have 1 to %d", len(p.Key), maxKey)
	case p.At.Year() < 1970 || p.At.Year() > 2200 || !p.Expires.IsZero() && (p.Expires.Year() < 1970 || p.Expires.Year() > 2200):
		return fmt.Errorf("it was decided at %s and expires at %s", p.At.Format(time.RFC3339), p.Expires.Format(time.RFC3339))
	case !slices.Contains([]Kind{KindIncident, KindProposal, KindDigest, KindNotice, KindRun, KindClear, KindAnswered, KindTest}, p.Kind):
		return fmt.Errorf("there is no kind %q", p.Kind)
	case len(p.Incident) > maxIncident || p.Kind.isOfIncident() && p.Incident == "":
		return fmt.Errorf("the id %q is that of no incident", p.Incident)
	case (p.Kind == KindProposal) != (p.Proposal != "") || len(p.Proposal) > maxProposal || plain(p.Proposal) != p.Proposal:
		return fmt.Errorf("a message of kind %q is not about the proposal %.80q", p.Kind, p.Proposal)
	case p.Priority < 0 || p.Priority > Now:
		return fmt.Errorf("there is no priority %d", p.Priority)
	case len(p.Answers) > maxButtons:
		return fmt.Errorf("%d answers are more than %d", len(p.Answers), maxButtons)
	case len(p.Answers) > 0 && p.Incident == "" && p.Kind != KindTest && p.Kind != KindProposal:
		return errors.New("answers need an incident that they are about")
	}
	for n, answer := range p.Answers {
		if slices.Index(answers, answer) < 1 || slices.Contains(p.Answers[:n], answer) {
			return fmt.Errorf("the answer %q is unknown or there twice", answer)
		}
		if p.Kind != KindTest && answer.isOfProposal() != (p.Kind == KindProposal) {
			return fmt.Errorf("the answer %q is none to a message of kind %q", answer, p.Kind)
		}
	}
	if p.Link == "" {
		return nil
	}
	link, err := url.Parse(p.Link)
	if err != nil || len(p.Link) > maxLink || link.Host == "" || link.Scheme != "http" && link.Scheme != "https" {
		return errors.New("the link is no http or https address")
	}
	return nil
}

// Post puts a message into the transaction in which telling it was decided:
// one delivery a channel. When that is committed, call Wake.
func (o *Outbox) Post(ctx context.Context, tx *store.Tx, p Post) error {
	if err := o.post(ctx, tx, p); err != nil {
		return fmt.Errorf("notify: post %.80q: %w", p.Key, err)
	}
	return failpoint.Hit("notify.posted")
}

func (o *Outbox) post(ctx context.Context, tx *store.Tx, p Post) error {
	if err := p.validate(); err != nil {
		return err
	}
	title, text := words(p.Title, p.Text, o.Redact)
	if title == "" {
		return errors.New("it has no title")
	}
	outline, _ := words(cmp.Or(p.Outline, title), "", o.Redact)
	switch {
	case p.Priority != 0:
	case p.Urgent:
		p.Priority = Now
	case p.Kind == KindDigest:
		p.Priority = ThisWeek
	default:
		p.Priority = Today
	}
	if p.Expires.IsZero() {
		p.Expires = p.At.Add(expiresAfter)
	}
	for _, channel := range o.Channels {
		if p.Channels != nil && !slices.Contains(p.Channels, channel.ID) {
			continue
		}
		if err := failpoint.Hit("notify.post"); err != nil {
			return err
		}
		sequence, err := sequence(ctx, tx, p, channel.ID)
		if err != nil {
			return err
		}
		now := o.Now()
		r := row{Priority: p.Priority, Outline: outline, Link: strings.TrimSpace(p.Link), Answers: p.Answers, Sequence: sequence, Delivery: Delivery{Channel: channel.ID,
			Kind: p.Kind, Incident: p.Incident, Proposal: p.Proposal, At: p.At, State: StatePending, Urgent: p.Urgent, Title: title, Text: text, Expires: p.Expires, Due: p.After}}
		values := append(r.columns(), p.Key, store.Time(&now))
		if err := tx.Exec(ctx, "INSERT INTO notify_outbox ("+rowColumns+", key, changed) VALUES (?"+strings.Repeat(", ?", len(values)-1)+`)
			ON CONFLICT (key, channel) DO UPDATE SET title = excluded.title, text = excluded.text, outline = excluded.outline WHERE state = 'pending' AND attempts = 0 AND excluded.due > 0`, values...); err != nil {
			return err
		}
	}
	return nil
}

// isOfIncident reports whether it tells of one incident, which one message on a
// phone is enough for.
func (k Kind) isOfIncident() bool { return k == KindIncident || k == KindClear }

// replacesAfter is how long after a message the next one of its incident takes its
// place: so much sooner nobody could tell them apart when it is asked which arrived.
const replacesAfter = 15 * time.Minute

// sequence is what the message before it of the same incident was sent under,
// which it replaces; else a random one.
func sequence(ctx context.Context, tx *store.Tx, p Post, channel string) (string, error) {
	if p.replaces != "" {
		return p.replaces, nil
	}
	if p.Kind.isOfIncident() {
		before, ok, err := findOne(ctx, tx, "WHERE incident = ? AND channel = ? AND kind IN (?, ?) ORDER BY id DESC LIMIT 1",
			string(p.Incident), channel, string(KindIncident), string(KindClear))
		if err != nil || ok && (p.Kind == KindClear || p.At.Sub(before.At) >= replacesAfter) {
			return before.Sequence, err
		}
	}
	random := make([]byte, 16)
	_, err := rand.Read(random)
	return hex.EncodeToString(random), err
}
