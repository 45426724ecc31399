package api

import (
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
)

// Report sums up a stretch of time: what was thought, by whom, for how much,
// and when the mind was blind. It is the receipt for a silence.
type Report struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	// Ticks that committed; Unchanged are those of them that changed no entry;
	// FailedTicks did not commit, as far as this process knows: what failed before
	// its start left no record.
	Ticks       int `json:"ticks"`
	Unchanged   int `json:"unchanged"`
	FailedTicks int `json:"failed_ticks"`
	// Findings is how many were brought: Accepted and the sum of Rejected.
	Findings int            `json:"findings"`
	Accepted int            `json:"accepted"`
	Rejected map[string]int `json:"rejected"`
	// Changes counts what happened to entries, by its name.
	Changes map[string]int `json:"changes"`
	// Told counts the incidents that were told, and Again those of them that
	// were told more than once; Digested those that were told in one of Digests.
	Told     int `json:"told"`
	Again    int `json:"again"`
	Digested int `json:"digested"`
	Digests  int `json:"digests"`
	// Useful, NotUseful, Dismissed and Ignored are the person's last word on
	// those told, and Missed what the person said should have been.
	Useful    int `json:"useful"`
	NotUseful int `json:"not_useful"`
	Dismissed int `json:"dismissed"`
	Ignored   int `json:"ignored"`
	Missed    int `json:"missed"`
	// Decisions counts the gate's, by reason.
	Decisions map[string]int `json:"decisions"`
	// Undelivered are messages that no channel took.
	Undelivered int         `json:"undelivered"`
	Threads     []ThreadSum `json:"threads"`
	Models      []ModelSum  `json:"models"`
	// Money is in US dollars, over the whole time.
	Money float64 `json:"money"`
	// Budget is as of now.
	Budget BudgetStatus  `json:"budget"`
	Blind  []BlindPeriod `json:"blind"`
}

// ThreadSum is what one thread did in that time, in ticks.
type ThreadSum struct {
	Name     string `json:"name"`
	Asked    int    `json:"asked"`
	Skipped  int    `json:"skipped"`
	Failed   int    `json:"failed"`
	Reflex   int    `json:"reflex"` // it thought by rules
	Model    int    `json:"model"`  // it thought with a model
	FellBack int    `json:"fell_back"`
	Findings int    `json:"findings"` // accepted
}

// ModelSum is what one model did for one role in that time.
type ModelSum struct {
	Role     string  `json:"role"`
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Calls    int     `json:"calls"`
	Failed   int     `json:"failed"`
	Tokens   int     `json:"tokens"`
	Cached   int     `json:"cached"`
	Cost     float64 `json:"cost"` // US dollars
	Local    bool    `json:"local"`
}

// BlindPeriod is a time in which a sense saw nothing.
type BlindPeriod = senses.BlindPeriod

// ReportQuery says since when a report is wanted; zero for the last 24 hours.
type ReportQuery struct {
	Since time.Time `query:"since"`
}
