package escalate

import (
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Input is all that the gate depends on. Decide never changes it.
type Input struct {
	// At is in the mind's time zone, which decides what quiet hours and days
	// are.
	At   time.Time `json:"at"`
	Tick int64     `json:"tick"`
	// First: the mind has never looked before, or not since it was restored.
	First bool  `json:"first,omitempty"`
	Rules Rules `json:"rules"`
	// Asked are the requests of this tick, one a finding.
	Asked []subconscious.Request `json:"asked"`
	// Incidents are those that are asked for, those that wait, were told and
	// are not over, or are to be reminded of, those that commands name, and for
	// a pair or a pattern those of its parts; as the merge left them.
	Incidents []subconscious.Incident `json:"incidents"`
	// Evidence is what these incidents have recorded and requests cite, as far as
	// it is known.
	Evidence []subconscious.Evidence `json:"evidence"`
	// Commands are those of this tick; the merge has obeyed what is its own.
	Commands []subconscious.Command `json:"commands"`
	Scores   []subconscious.Score   `json:"scores"`
	Presence subconscious.Presence  `json:"presence"`
	Spent    Spent                  `json:"spent"`
	Notices  []Notice               `json:"notices"`
	// Own are the hosts that the configuration names, which notices show as they are.
	Own  []string              `json:"own,omitempty"`
	Kind subconscious.TickKind `json:"kind"`
}

// Spent is the attention that was taken already, and when digests went out.
type Spent struct {
	// Today counts pushes since local midnight, digests among them, LastHour those
	// of the last 60 minutes but for digests. Notices has its own count, and so
	// has Rings, of today's at times that the person set.
	Today    int `json:"today"`
	LastHour int `json:"last_hour"`
	Notices  int `json:"notices"`
	Rings    int `json:"rings,omitempty"`
	// Opens is when the first of LastHour will be an hour ago; zero for none.
	Opens time.Time `json:"opens,omitzero"`
	// UrgentToday and UrgentLastHour count those that were urgent.
	UrgentToday    int `json:"urgent_today,omitempty"`
	UrgentLastHour int `json:"urgent_last_hour,omitempty"`
	// Strangers are the domains of those who are not known to the person and were
	// told today, each by itself.
	Strangers []string `json:"strangers,omitempty"`
	// Restored is when the mind was last restored from a backup; zero for never. How
	// often the person was told on that day nobody knows, and its caps count as spent.
	Restored time.Time `json:"restored,omitzero"`
	// Daily and Weekly are when the last digests were due; zero for never.
	Daily  time.Time `json:"daily,omitzero"`
	Weekly time.Time `json:"weekly,omitzero"`
}

// Notice is what the daemon has to say about itself and has not told yet.
type Notice = subconscious.Notice

// Verdict is what becomes of a request.
type Verdict string

const (
	Tell Verdict = "tell" // now
	Hold Verdict = "hold" // judged again at the next tick
	Drop Verdict = "drop" // no more
)

// Reason is the one reason of a decision: the first that applies.
type Reason string

const (
	NoEvidence      Reason = "no_evidence"
	Expired         Reason = "expired"
	Dismissed       Reason = "dismissed"
	Snoozed         Reason = "snoozed"
	Duplicate       Reason = "duplicate"
	LowConfidence   Reason = "low_confidence"
	Cooldown        Reason = "cooldown"
	QuietHours      Reason = "quiet_hours"
	Presence        Reason = "presence"
	BudgetAttention Reason = "budget_attention"
	Digest          Reason = "digest"
	Escalate        Reason = "escalate"
	Backlog         Reason = "backlog"
	Strangers       Reason = "strangers"

	// KeptBack is no reason of the gate's own: a deliberation ended without
	// telling the person.
	KeptBack Reason = "kept_back"
)

// Ruling is what was decided, and why.
type Ruling struct {
	Verdict Verdict `json:"verdict"`
	Reason  Reason  `json:"reason"`
	// Detail is the reason in plain words: "told at 09:10, and nothing changed
	// that matters".
	Detail string `json:"detail,omitempty"`
	// Until is how long a hold lasts at least; zero: until the next tick.
	Until time.Time `json:"until,omitzero"`
	// Critical passes quiet hours and presence.
	Critical bool `json:"critical,omitempty"`
	// Confidence is what importance and calibration come to, 0 to 1.
	Confidence float64 `json:"confidence"`
	// Again says why something told before is told again: "worse", "nearer",
	// "status", "participant", "returned", "reminder", "letter".
	Again string `json:"again,omitempty"`
	// Deliberate: a deliberation is given it, which may keep it back. It is not for
	// the outbox, and its message is what the person is told if that cannot be had.
	Deliberate bool `json:"deliberate,omitempty"`
}

// Decision is what became of one request at one tick, and why.
type Decision struct {
	Incident subconscious.IncidentKey `json:"incident"`
	ID       subconscious.IncidentID  `json:"id"`
	Asked    subconscious.Asked       `json:"asked"`
	Ruling
	// Urgent: the caps keep a place for it.
	Urgent bool `json:"urgent,omitempty"`
	// Rings: the person set this time, so that it counts by itself.
	Rings bool `json:"rings,omitempty"`
	// Stranger is the domain of who wrote it, where the person does not know them.
	Stranger string `json:"stranger,omitempty"`
	// New: nothing was on record for this request, or another verdict or reason.
	// What did not change is not recorded again.
	New bool `json:"new"`
	// Message is set where the verdict is Tell, but for one in a digest.
	Message *Message `json:"message,omitempty"`
}

// Message is what a person is told, in plain text: Title and Text together have
// at most 240 characters.
type Message struct {
	// Title is who or what it is and the point, Text what was said, when, and what
	// changes what to do about it.
	Title string `json:"title"`
	Text  string `json:"text"`
	// Outline is for channels that others can read: who and when, and no quotation.
	Outline string `json:"outline,omitempty"`
	// Priority is what is to be done about it: 5 act now, 4 soon, 3 by
	// tomorrow, 2 this week, 1 for the record.
	Priority int `json:"priority,omitempty"`
	// Buttons are answers that fit, at most 3, as package notify names them.
	Buttons []string `json:"buttons,omitempty"`
	// Urgent: it is re-sent once where nobody knows whether it arrived.
	Urgent bool `json:"urgent,omitempty"`
	// Expires is when it is of no use any more; zero for never.
	Expires time.Time `json:"expires,omitzero"`
}

// Decided is what the gate decided at one tick.
type Decided struct {
	// Decisions are of requests asked and held, the told ones first.
	Decisions []Decision `json:"decisions"`
	// Incidents are those whose Telling changed, whole.
	Incidents []subconscious.Incident `json:"incidents"`
	// Scores are those that changed.
	Scores []subconscious.Score `json:"scores"`
	// Digests are those that are due now and have something to say.
	Digests []DigestIssue `json:"digests"`
	// Clears take back what was pushed and is over.
	Clears []Clear `json:"clears,omitempty"`
	// Notices are told now, in one message.
	Notices *NoticeIssue `json:"notices,omitempty"`
	// History are what escalation_history gains.
	History []subconscious.EscalationRecord `json:"history"`
	// Concluded are what records of escalation_history become whose deliberation
	// has ended, by At and Incident.
	Concluded []subconscious.EscalationRecord `json:"concluded,omitempty"`
	// Answers are what the person said of incidents, in the order in which they
	// said it.
	Answers []Answer `json:"answers,omitempty"`
	// Done says for each command of the gate, by its id, what it did.
	Done map[int64]string `json:"done"`
	// Spent is Input.Spent after this tick. What is given to a deliberation is
	// counted at once; where that keeps it back, whoever notes so removes the
	// push from what Input.Spent is counted from.
	Spent Spent `json:"spent"`
}

// Answer is the person's word on an incident: "useful", "dismissed".
type Answer struct {
	Incident subconscious.IncidentKey `json:"incident"`
	Said     string                   `json:"said"`
}

// Clear says that what a push told is over, or taken back. It replaces that message,
// wakes nobody and takes nothing of the person's attention.
type Clear struct {
	ID      subconscious.IncidentID `json:"id"`
	Message Message                 `json:"message"`
	// told is when that was.
	told time.Time
}

// DigestIssue is one digest.
type DigestIssue struct {
	Weekly    bool                      `json:"weekly,omitempty"`
	Due       time.Time                 `json:"due"`
	Incidents []subconscious.IncidentID `json:"incidents"`
	Message   Message                   `json:"message"`
}

// NoticeIssue tells notices that are not told yet.
type NoticeIssue struct {
	Notices []Notice `json:"notices"`
	Message Message  `json:"message"`
}
