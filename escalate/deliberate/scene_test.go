package deliberate_test

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// scripted is an answer of a model.
type scripted struct {
	Text  string `json:"text"`
	Calls []struct {
		ID, Name  string
		Arguments json.RawMessage
		Raw       string // in place of Arguments
		Times     int    // the same so often
	} `json:"calls"`
	Stop  string        `json:"stop"`
	Error models.Kind   `json:"error"`
	Takes time.Duration `json:"takes"` // seconds
	Money int64         `json:"money"` // billionths
	Panic bool          `json:"panic"`
}

// scene is an escalation and the world around it.
type scene struct {
	About string `json:"about"`
	// The escalation.
	Critical, Urgent bool
	Title, Text      string
	DueIn, ExpiresIn float64 // minutes
	WaitsFor         float64 // minutes before the worker starts
	AnsweredIn       float64 // minutes from the decision before the person answers; 0: they do not
	QuietIn          float64 // minutes from the decision before an hour of quiet begins; 0: there is none
	// The model.
	NoModel  bool
	Problem  string
	Disabled bool
	Rounds   int
	Answers  []scripted
	// What it is shown.
	Words     []escalate.Word
	Own       []subconscious.Ref
	NoWords   bool
	GatherErr string
	Readings  map[string]reading
	// What there is.
	Without []string // memories, conversations, actions
	Actions []action
	// Policy: names of clauses that are left out, and of such that become
	// allowed.
	Drop, Allow []string
	WrongMemory string
}

// action is a configured action, and how it goes.
type action struct {
	Name        string
	Approval    escalate.Approval
	Fails       bool
	Unknown     bool
	Output, Err string
	Wrong       string
}

// reading is what a tool tells.
type reading struct {
	Text  string
	Words []escalate.Word
	Error string
	Takes time.Duration // seconds
	Big   int           // so many bytes more
}

func (w *world) theEscalation(at time.Time) deliberate.Escalation {
	e := deliberate.Escalation{Person: "i-disk-ab", Critical: w.Critical,
		Request: subconscious.Request{Incident: "disk:/", Asked: subconscious.Asked{Tick: 7, At: at, Thread: subconscious.Watcher, Kind: subconscious.KindRisk,
			Importance: 8, Summary: "The disk is filling up", Evidence: []subconscious.Citation{{Ref: "health:aaaaaaaaaa", Seq: 3}}}},
		Template: escalate.Message{Title: cmp.Or(w.Title, "The disk is filling up"), Text: cmp.Or(w.Text, "It is a warning. Free some room on it."), Urgent: w.Urgent}}
	if w.DueIn != 0 {
		e.Due = at.Add(time.Duration(w.DueIn * float64(time.Minute)))
	}
	if w.ExpiresIn != 0 {
		e.Template.Expires = at.Add(time.Duration(w.ExpiresIn * float64(time.Minute)))
	}
	return e
}
