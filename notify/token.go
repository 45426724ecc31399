package notify

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
)

// A token is version, answer, expiry, delivery and binding, and over all of
// them a signature: 88 characters. The binding ties it to the incident, the
// proposal, the channel and the one message, which are looked up by the delivery. A forged
// token is refused before the database is asked.
const (
	keySize      = 32
	tokenVersion = 1
	bindingSize  = 16
	tokenBody    = 1 + 1 + 8 + 8 + bindingSize
	tokenSize    = tokenBody + sha256.Size
	// TokenLength is how long every token is, in bytes. What is not is none.
	TokenLength = (tokenSize*8 + 5) / 6
	// tokenLife is how long a button works after it was sent.
	tokenLife = 7 * 24 * time.Hour
)

// ErrToken: the token of an answer is not valid, is too old, or was used.
var ErrToken = errors.New("the answer is not valid any more")

// errForged is of a token that this mind has not signed: somebody else wrote it.
var errForged = fmt.Errorf("%w: it has no valid signature", ErrToken)

// labels are what the buttons say.
var labels = map[Answer]string{AnswerUseful: "Done", AnswerNotNow: "Not now", AnswerDismiss: "Dismiss",
	AnswerLater: "Later", AnswerReject: "Reject", AnswerTomorrow: "Tomorrow", AnswerNotUseful: "Not this", AnswerMute: "Mute"}

// answers are by the code with which a token writes them; 0 is none.
var answers = []Answer{"", AnswerUseful, AnswerNotNow, AnswerDismiss, AnswerLater, AnswerReject, AnswerTomorrow, AnswerNotUseful, AnswerMute}

// isOfProposal reports whether it answers a proposal.
func (a Answer) isOfProposal() bool { return a == AnswerLater || a == AnswerReject }

// claims are what a token says, as it is written: numbers are big-endian.
type claims struct {
	Version, Answer byte // Answer is its place in answers
	Expires         int64
	Delivery        int64
	Binding         [bindingSize]byte
}

// token proves one answer to one delivery.
func (o *Outbox) token(r row, answer Answer, expires time.Time) string {
	body, _ := binary.Append(nil, binary.BigEndian, claims{ // it has fixed sizes, and never fails
		tokenVersion, byte(slices.Index(answers, answer)), expires.Unix(), r.ID, r.binding()})
	return base64.RawURLEncoding.EncodeToString(append(body, o.sign(body)...))
}

// binding is what ties a token to its message. A sequence is random, so that
// an id that comes again in a database that was restored is another one.
func (r row) binding() [bindingSize]byte {
	text := fmt.Appendf(nil, "%s\x00%s\x00%s", r.Sequence, r.Incident, r.Channel)
	if r.Proposal != "" {
		text = fmt.Appendf(text, "\x00%s", r.Proposal)
	}
	sum := sha256.Sum256(text)
	return [bindingSize]byte(sum[:])
}

func (o *Outbox) sign(body []byte) []byte {
	mac := hmac.New(sha256.New, o.key)
	mac.Write([]byte("subconsciousd answer\x00"))
	mac.Write(body)
	return mac.Sum(nil)
}

// verify reads a token, which may be too old; ok is false where it is not rightly
// signed. It asks nothing but the key.
func (o *Outbox) verify(token string) (c claims, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token[:min(len(token), TokenLength)])
	if len(token) != TokenLength || err != nil || len(raw) != tokenSize || !hmac.Equal(raw[tokenBody:], o.sign(raw[:tokenBody])) {
		return c, false
	}
	_, err = binary.Decode(raw, binary.BigEndian, &c)
	return c, err == nil && c.Version == tokenVersion && c.Answer > 0 && int(c.Answer) < len(answers)
}

// Take uses up the token of an answer and tells Options.Answered, in one
// transaction. With ErrToken, what came is no valid answer and has no effect;
// other errors are of the database or of Answered, and the token can be tried
// again.
func (o *Outbox) Take(ctx context.Context, token string) error { return o.take(ctx, "", token) }

// take is Take of a token that came over a channel; "" for any.
func (o *Outbox) take(ctx context.Context, channel, token string) error {
	err := o.consume(ctx, channel, token)
	// A button that was pressed again, or too late, is no stranger's.
	if w := o.worker(channel); w != nil && errors.Is(err, errForged) {
		w.strange()
	}
	if err != nil {
		o.Logger.Debug("what came as an answer was refused", "channel", channel, "error", err)
		return fmt.Errorf("notify: answer: %w", err)
	}
	if o.Taken != nil {
		o.Taken()
	}
	o.Wake()
	return failpoint.Hit("notify.taken")
}

func (o *Outbox) consume(ctx context.Context, channel, token string) error {
	now := o.Now()
	c, ok := o.verify(token)
	if !ok {
		return errForged
	}
	answer := answers[c.Answer]
	if !now.Before(time.Unix(c.Expires, 0)) || o.Answered == nil || o.spent.has(token) {
		return ErrToken
	}
	used := false
	err := o.DB.Write(ctx, func(tx *store.Tx) error {
		r, ok, err := findOne(ctx, tx, "WHERE id = ?", c.Delivery)
		if err != nil {
			return err
		}
		if !ok || c.Binding != r.binding() || !slices.Contains(r.Answers, answer) || channel != "" && channel != r.Channel {
			return ErrToken
		}
		added, err := tx.Run(ctx, `INSERT INTO notify_answers (delivery, answer, channel, at, expires) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT DO NOTHING`, r.ID, string(answer), r.Channel, now.UnixNano(), now.Add(tokenLife).UnixNano())
		if err != nil {
			return err
		}
		if used = added == 0; used {
			return ErrToken
		}
		if err := failpoint.Hit("notify.take"); err != nil || r.Kind == KindTest {
			return err
		}
		if err := o.Answered(ctx, tx, Reply{Answer: answer, Incident: r.Incident, Proposal: r.Proposal, Channel: r.Channel, At: now}); err != nil {
			return err
		}
		if w := o.worker(r.Channel); w == nil || !w.channel.Replaces {
			return nil
		}
		return o.post(ctx, tx, r.answered(answer, now))
	})
	if err == nil || used {
		o.spent.add(token)
	}
	return err
}

// answered says on its channel what was answered to a message, in its place and
// without a sound. It tells nothing, so that nothing counts it as a message.
func (r row) answered(answer Answer, at time.Time) Post {
	said := "You answered “" + labels[answer] + "”"
	return Post{Key: fmt.Sprintf("answered/%d/%s", r.ID, answer), At: at, Kind: KindAnswered, Incident: r.Incident, Title: said, Text: r.Title,
		Outline: said + ": " + cmp.Or(r.Outline, r.Title), Priority: ForTheRecord, Expires: at.Add(answeredFor), Channels: []string{r.Channel}, replaces: r.Sequence}
}

// answeredFor is how long it is of use to hear that an answer was taken.
const answeredFor = time.Hour

// maxSpent bounds the tokens that are known to be used up without a look.
const maxSpent = 1024

// spent remembers tokens that were used up, so that whoever sends one again and
// again costs the database nothing.
type spent struct {
	mu     sync.Mutex
	tokens map[string]bool
}

func (s *spent) has(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens[token]
}

// add remembers a token that is rightly signed and works no more.
func (s *spent) add(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil || len(s.tokens) >= maxSpent {
		s.tokens = map[string]bool{}
	}
	s.tokens[token] = true
}
