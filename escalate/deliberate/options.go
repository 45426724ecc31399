package deliberate

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Options say what a Worker works with.
type Options struct {
	Config Config
	// DB was opened with Migrations.
	DB *store.DB
	// Asker returns the model of the moment. It is called for each escalation, since
	// a key may appear.
	Asker func() Asker
	// Purse pays for an escalation; nil: nothing is debited.
	Purse Purse
	// Gather finds what a model is shown first.
	Gather func(ctx context.Context, e Escalation, at time.Time) (Sources, error)
	// Desk returns the tools for reading; nil: there are none.
	Desk func(e Escalation, at time.Time) Desk
	// Policy decides about effects; nil refuses each of them.
	Policy escalate.Policy
	// Teller and Mind are needed. Where one of the others is nil its tool is
	// not offered.
	Teller        Teller
	Mind          Mind
	Memories      Memories
	Conversations Conversations
	Actions       Actions
	// Answered reports, in the transaction, whether the person has answered the
	// incident since it was decided: then nothing is told or done any more.
	Answered func(ctx context.Context, tx *store.Tx, e Escalation) (bool, error)
	// Quiet returns until when nothing but what is critical is told; ok is false
	// where anything may be.
	Quiet func(at time.Time) (until time.Time, ok bool)
	// Now is the mind's clock; nil is time.Now.
	Now func() time.Time
	// Logger gets what goes wrong; nil is none.
	Logger *slog.Logger
	// Redact takes secrets out of whatever a model is shown or wrote, before it
	// is stored; nil is redact.Text.
	Redact func(string) string
	// Ended, if set, is called when an escalation has ended, after its transaction.
	Ended func(id string)
}

// Asker is a model that can be asked.
type Asker struct {
	Generator models.Generator // nil: there is none
	Identity  models.Identity
	// Problem says why it cannot be asked; "" where it can.
	Problem string
	// Request holds what is the role's own: MaxTokens, Purpose.Role, ….
	Request models.Request
}

// Purse pays for the calls of an escalation; *budget.Purse is one, where the model's
// meter draws on it.
type Purse interface {
	// Open begins an escalation that may cost charge.Worst.Money.
	Open(ctx context.Context, charge budget.Charge) error
	// Close gives back what was not taken.
	Close(ctx context.Context) (budget.Amount, error)
}

var _ Purse = (*budget.Purse)(nil)

// Sources are what a model is shown first, and whose words it is.
type Sources struct {
	Prompt prompts.Prompt
	// Words are whose words are in it. None at all count as a stranger's.
	Words []escalate.Word
	// Own are the observations of the incident.
	Own []subconscious.Ref
}

// Desk has the tools with which a model reads more.
type Desk interface {
	Tools() []models.Tool
	// Read runs one. An error is told to the model, and ends nothing. Whose words
	// an error has are the Reading's Words, too: none at all count as a
	// stranger's, but for one that wraps ErrRequest, which is the daemon's own.
	Read(ctx context.Context, call models.ToolCall) (Reading, error)
}

// Reading is what a tool tells a model, and whose words it is.
type Reading struct {
	Text string
	// Words are whose words are in it. A text with none at all counts as a
	// stranger's; say Machine where it is the daemon's own.
	Words []escalate.Word
}

// TellingKind is why a person is told.
type TellingKind string

const (
	TellTold     TellingKind = "told"     // in the words of the model
	TellActed    TellingKind = "acted"    // an action was carried out
	TellFailed   TellingKind = "failed"   // an action failed, or nobody knows how it went
	TellProposed TellingKind = "proposed" // an action waits for the person
	TellTemplate TellingKind = "template" // in the words of the gate
)

// Teller posts messages to the person.
type Teller interface {
	// Tell posts one in the transaction. The same key is posted once.
	Tell(ctx context.Context, tx *store.Tx, telling Telling) error
}

// Telling is a message to the person. Title and text have at most 240 characters
// together, on one line each, with no secrets in them; where strangers or agents
// had a word in it no address in the text can be followed.
type Telling struct {
	Told
	Key        string
	Escalation Escalation
	Urgent     bool
	Expires    time.Time // zero for never
	// Proposal and Run are the ids of what it is about, or "".
	Proposal, Run string
}

// Mind takes outcomes.
type Mind interface {
	// Conclude puts a CommandOutcome into the inputs, in the transaction. refund:
	// the person was told nothing, and the attention that the gate counted is
	// given back.
	Conclude(ctx context.Context, tx *store.Tx, command subconscious.Command, refund bool) error
}

// Memories keeps what is remembered.
type Memories interface {
	// Remember keeps a memo in the transaction and returns its id. The same key
	// is kept once. An error that wraps ErrRequest is told to the model.
	Remember(ctx context.Context, tx *store.Tx, memo Memo) (id string, err error)
}

// Memo is what a model wants to be remembered.
type Memo struct {
	Key  string
	Text string
	Kind string
	Tags []string
	// Quarantined: it is kept apart from what is trusted. Trusts are whose words
	// the model had been shown.
	Quarantined bool
	Trusts      []subconscious.Trust
	Escalation  Escalation
	Evidence    []subconscious.Citation
}

// Conversations takes messages.
type Conversations interface {
	// Post posts a message in the transaction and returns its id. The same key
	// is posted once. An error that wraps ErrRequest is told to the model.
	Post(ctx context.Context, tx *store.Tx, post Post) (id string, err error)
}

// Post is a message to a conversation.
type Post struct {
	Key          string
	Conversation string
	Text         string
	Escalation   Escalation
}

// Actions carries out what is configured.
type Actions interface {
	// Offers describes the actions there are.
	Offers() []escalate.Offer
	// Propose asks the person to approve exactly this, in the transaction. An
	// error that wraps ErrRequest is told to the model.
	Propose(ctx context.Context, tx *store.Tx, request escalate.ActRequest) (Proposed, error)
	// Run carries an action out, once for its key: for one that it was given
	// before it says how that went, and that it is unknown where the daemon
	// ended meanwhile. With an error that wraps ErrRequest nothing was run, and the
	// model is told. It bounds its own time.
	Run(ctx context.Context, request escalate.ActRequest) (Ran, error)
}

// ErrRequest is wrapped by errors that say what is wrong with a model's request.
var ErrRequest = errors.New("the request cannot be granted")

// Proposed is what waits for the person.
type Proposed struct {
	ID string // "p-…"
	// Words say in one line what would be done.
	Words   string
	Expires time.Time
}

// Ran is how an action went.
type Ran struct {
	ID string // "r-…"
	// Words say in one line what was done.
	Words string
	OK    bool
	// Unknown: nobody knows whether it was carried out.
	Unknown bool
	Output  string // captured, capped
	// UndoUntil is until when it can be undone; zero where it cannot be.
	UndoUntil time.Time
}

func (o Options) validate() error {
	switch {
	case o.DB == nil:
		return errors.New("there is no database")
	case o.Gather == nil || o.Teller == nil || o.Mind == nil || o.Asker == nil || o.Answered == nil || o.Quiet == nil:
		return errors.New("there must be a Gather, a Teller, a Mind, an Asker, an Answered and a Quiet")
	}
	return o.Config.Validate()
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Redact == nil {
		o.Redact = redact.Text
	}
	return o
}
