package escalate

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Effect is something that a model can ask for and that is felt outside it.
type Effect string

// The effects, by the names of the tools that ask for them.
const (
	EffectNotify   Effect = "notify_person"
	EffectRemember Effect = "remember"
	EffectPost     Effect = "post_message"
	EffectAct      Effect = "propose_action"
	EffectSnooze   Effect = "snooze"
	EffectDismiss  Effect = "dismiss"
	// EffectKeep is to end without a word to the person, something having been
	// remembered.
	EffectKeep Effect = "keep_quiet"
)

// Effects returns every effect, in the order in which they are shown.
func Effects() []Effect {
	return []Effect{EffectNotify, EffectRemember, EffectPost, EffectAct, EffectSnooze, EffectDismiss, EffectKeep}
}

// Approval says when a configured action waits for the person.
type Approval string

const (
	ApproveAlways  Approval = "always"  // each time; the default
	ApproveTainted Approval = "tainted" // where a word of a stranger or an agent was shown
	ApproveNever   Approval = "never"   // only where a word of a stranger was shown
)

// Act is an action that is asked for, and where that comes from.
type Act struct {
	// Key is unique to the request: a second request of one key is the first again.
	// At most 200 bytes.
	Key       string          `json:"-"`
	Action    string          `json:"action"`
	Arguments json.RawMessage `json:"arguments"` // an object
	// Reason is a sentence for people; at most 500 bytes are kept.
	Reason       string                  `json:"reason"`
	Incident     subconscious.IncidentID `json:"incident,omitempty"`
	Deliberation string                  `json:"deliberation,omitempty"`
	// Trusts are whose words the model had been shown.
	Trusts []subconscious.Trust `json:"shown"`
	// Clause and Why are the policy's.
	Clause string `json:"clause,omitempty"`
	Why    string `json:"why,omitempty"`
}

// ActRequest asks for an action.
type ActRequest struct {
	Act
	// At is when it was asked for, and allowed: what was allowed long ago is not
	// begun any more. Zero is now.
	At time.Time
	// Refused says why it may not begin any more, though it may have begun before;
	// "" where it may.
	Refused string
	// Expires is how long a proposal waits; 0 is 24 hours, and at most 7 days.
	Expires time.Duration
}

// Offer is a configured action as models see it.
type Offer struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
	Approval    Approval
	Undo        bool
}

// Permission is what the policy says of an effect.
type Permission string

const (
	Allowed     Permission = "allowed"
	Quarantined Permission = "quarantined" // carried out, apart from what is trusted
	Proposed    Permission = "proposed"    // waits for the person, who approves exactly this
	Refused     Permission = "refused"
)

// Clause is one line of the policy. It speaks of an effect, where all of its
// conditions hold that are set.
type Clause struct {
	Name   string `json:"name"`
	Effect Effect `json:"effect"`
	// Shown: the model was shown a word of any of these.
	Shown []subconscious.Trust `json:"shown,omitempty"`
	// Foreign: words of strangers or agents were shown that are not of this
	// incident, or not the only voice in it (see Taint.IsForeign).
	Foreign bool `json:"foreign,omitempty"`
	// Critical: the incident is on the critical list.
	Critical bool `json:"critical,omitempty"`
	// Approval: the action is configured so.
	Approval   []Approval `json:"approval,omitempty"`
	Permission Permission `json:"permission"`
	// Why is for people.
	Why string `json:"why"`
}

// Policy is the clauses in order: the first that speaks of an effect decides,
// and what none speaks of is refused.
type Policy []Clause

// Shipped is the policy. It is the whole of what a model may cause.
func Shipped() Policy {
	outsider := []subconscious.Trust{subconscious.Outsider}
	others := []subconscious.Trust{subconscious.Outsider, subconscious.Agent}
	return Policy{
		{Name: "tell", Effect: EffectNotify, Permission: Allowed,
			Why: "the person's own channels get plain text, in which no address can be followed"},

		{Name: "remember-apart", Effect: EffectRemember, Shown: others, Permission: Quarantined,
			Why: "a stranger's or an agent's word was shown, so that it is kept apart until the person confirms it"},
		{Name: "remember", Effect: EffectRemember, Permission: Allowed,
			Why: "nothing was shown but the words of the person and the machine"},

		{Name: "post-asks", Effect: EffectPost, Shown: others, Permission: Proposed,
			Why: "a stranger's or an agent's word was shown, and others act on what is posted"},
		{Name: "post", Effect: EffectPost, Permission: Allowed,
			Why: "nothing was shown but the words of the person and the machine"},

		{Name: "act-asks-always", Effect: EffectAct, Approval: []Approval{ApproveAlways}, Permission: Proposed,
			Why: "the action is configured to be approved each time"},
		{Name: "act-asks-for-strangers", Effect: EffectAct, Shown: outsider, Approval: []Approval{ApproveTainted, ApproveNever}, Permission: Proposed,
			Why: "a stranger's word was shown"},
		{Name: "act-asks-for-agents", Effect: EffectAct, Shown: others, Approval: []Approval{ApproveTainted}, Permission: Proposed,
			Why: "an agent's word was shown"},
		{Name: "act", Effect: EffectAct, Approval: []Approval{ApproveTainted, ApproveNever}, Permission: Allowed,
			Why: "the action is configured to follow from what was shown"},

		{Name: "critical-is-told", Effect: EffectSnooze, Critical: true, Permission: Refused, Why: "what is critical is told"},
		{Name: "others-delay-nothing", Effect: EffectSnooze, Foreign: true, Permission: Refused,
			Why: "words were shown that are not of this incident alone, and nobody's word may keep back news of another's"},
		{Name: "snooze", Effect: EffectSnooze, Permission: Allowed, Why: "it is told later, if it still stands"},

		{Name: "critical-is-told", Effect: EffectDismiss, Critical: true, Permission: Refused, Why: "what is critical is told"},
		{Name: "others-silence-nothing", Effect: EffectDismiss, Foreign: true, Permission: Refused,
			Why: "words were shown that are not of this incident alone, and nobody's word may keep back news of another's"},
		{Name: "dismiss", Effect: EffectDismiss, Permission: Allowed, Why: "it concerns this incident alone, and speaks again when that gets worse"},

		{Name: "critical-is-told", Effect: EffectKeep, Critical: true, Permission: Refused, Why: "what is critical is told"},
		{Name: "others-silence-nothing", Effect: EffectKeep, Foreign: true, Permission: Refused,
			Why: "words were shown that are not of this incident alone, and nobody's word may keep back news of another's"},
		{Name: "keep", Effect: EffectKeep, Permission: Allowed, Why: "it concerns this incident alone, and speaks again when that gets worse"},
	}
}

// Request is an effect that a model asks for, and all that the policy looks at.
type Request struct {
	Effect Effect `json:"effect"`
	Taint  Taint  `json:"taint"`
	// Own are the observations of the incident that it is about.
	Own      []subconscious.Ref `json:"own,omitempty"`
	Critical bool               `json:"critical,omitempty"`
	// Approval is the action's, for EffectAct.
	Approval Approval `json:"approval,omitempty"`
}

// Judgement is what the policy says, and which clause says it.
type Judgement struct {
	Permission Permission `json:"permission"`
	Clause     string     `json:"clause"`
	Why        string     `json:"why"`
}

// unspoken is the clause where no clause speaks, and denied its reason.
const (
	unspoken = "deny"
	denied   = "nothing allows it"
)

// Judge returns what the first clause says that speaks of the request, and else
// that it is refused. It depends on nothing that a model wrote.
func (p Policy) Judge(w Request) Judgement {
	for _, c := range p {
		if c.speaksOf(w) {
			return Judgement{Permission: c.Permission, Clause: c.Name, Why: c.Why}
		}
	}
	return Judgement{Permission: Refused, Clause: unspoken, Why: denied}
}

func (c Clause) speaksOf(w Request) bool {
	switch {
	case c.Effect != w.Effect:
	case len(c.Shown) > 0 && !slices.ContainsFunc(c.Shown, w.Taint.Has):
	case c.Foreign && !w.Taint.IsForeign(w.Own):
	case c.Critical && !w.Critical:
	case len(c.Approval) > 0 && !slices.Contains(c.Approval, w.Approval):
	default:
		return true
	}
	return false
}
