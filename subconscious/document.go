package subconscious

import (
	_ "embed"
	"time"
)

// Schema is the JSON Schema (2020-12) of the published document.
//
//go:embed schema.json
var Schema []byte

// Limits of the document, fixed by its schema. Configuration may only lower
// the numbers of entries.
const (
	MaxActive   = 5
	MaxPatterns = 5
	MaxHunches  = 5
	MaxInsights = 3
	MaxHistory  = 10
	MaxStrength = 10
	MaxPressure = 10
	MaxTokens   = 2000
)

// Document is the published projection of a State: subconscious.json. All lists
// are always present.
type Document struct {
	Version           int                           `json:"version"`
	TickCount         int64                         `json:"tick_count"`
	LastTick          time.Time                     `json:"last_tick"`
	ActiveThreads     []DocumentEntry               `json:"active_threads"`
	Patterns          []DocumentEntry               `json:"patterns"`
	Hunches           []DocumentEntry               `json:"hunches"`
	Insights          []DocumentEntry               `json:"insights"`
	EscalationHistory []EscalationRecord            `json:"escalation_history"`
	ThreadState       map[ThreadName]DocumentThread `json:"thread_state"`
}

// DocumentEntry is an entry as it is published.
type DocumentEntry struct {
	ID       EntryID   `json:"id"`
	Summary  string    `json:"summary"`
	Strength int       `json:"strength"`
	Kind     Kind      `json:"kind"`
	Created  time.Time `json:"created,omitzero"`
	LastSeen time.Time `json:"last_seen"`
	Due      time.Time `json:"due,omitzero"`
	Over     bool      `json:"over,omitempty"`
	Evidence []string  `json:"evidence"`
	// Importance is taken from an edit by hand, and not published.
	Importance int `json:"importance,omitempty"`
}

// DocumentThread is a thread's state as it is published.
type DocumentThread struct {
	LastFindings    [][]EntryID `json:"last_findings"`
	NoveltyPressure int         `json:"novelty_pressure"`
	FocusHint       string      `json:"focus_hint"`
	Health          string      `json:"health"`
}

// published are how many entries of each list are.
var published = map[List]int{ActiveThreads: MaxActive, Patterns: MaxPatterns, Hunches: MaxHunches, Insights: MaxInsights}
