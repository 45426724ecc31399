package api

import (
	"time"

	"github.com/subconsciousd/subconsciousd/models"
)

// The states of a model.
const (
	ModelOK          = "ok"
	ModelFailing     = "failing"     // its last call failed; it is asked again
	ModelResting     = "resting"     // it failed so often that it is left alone until Next
	ModelUnused      = "unused"      // it has not been asked yet
	ModelUnavailable = "unavailable" // it cannot be asked: its key is missing, say
)

// ModelStatus says which model a role has, and how it is; TestStep is one thing
// that was tried of one.
type (
	ModelStatus = models.Status
	TestStep    = models.Step
)

// ModelTest is what came of asking one model live.
type ModelTest struct {
	Role      string     `json:"role,omitempty"`
	Provider  string     `json:"provider"`
	Model     string     `json:"model"`
	OK        bool       `json:"ok"`
	Steps     []TestStep `json:"steps"`
	LatencyMS float64    `json:"latency_ms"`
	Tokens    int        `json:"tokens"`
	Cost      float64    `json:"cost"` // US dollars
}

// ModelTestRequest is the body of POST /v1/models/test.
type ModelTestRequest struct {
	// Who is a role or a provider; empty means all.
	Who string `json:"who,omitempty" is:"asked"`
}

// PromptQuery names the thread whose prompt is wanted.
type PromptQuery struct {
	Thread string `path:"thread" is:"thread"`
}

// RenderedPrompt is what a thread would be asked now.
type RenderedPrompt struct {
	Thread string `json:"thread"`
	// Model is "PROVIDER/MODEL", or empty where the thread thinks by reflex.
	Model  string `json:"model,omitempty"`
	System string `json:"system"`
	User   string `json:"user"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"` // an estimate
	Hash   string `json:"hash"`
	// Redacted: secrets, and what privacy withholds, are replaced, because the
	// model is not local.
	Redacted bool   `json:"redacted"`
	Note     string `json:"note,omitempty"`
}

// LimitStatus is one limit of the budget and what is used of it.
type LimitStatus struct {
	// Name is "money_per_day", or with the thread: "watcher.calls_per_day".
	Name string  `json:"name"`
	Used float64 `json:"used"`
	// Limit is -1 where there is none.
	Limit     float64 `json:"limit"`
	Exhausted bool    `json:"exhausted"`
	// Until is when there is room again.
	Until time.Time `json:"until,omitzero"`
}

// Exploration is how often threads asked a model today although nothing in
// their field was unseen, and how often they may.
type Exploration struct {
	Used    int `json:"used"`
	Allowed int `json:"allowed"` // -1: without a limit
}

// RoleSpend is what one role cost today.
type RoleSpend struct {
	Role   string  `json:"role"`
	Calls  int     `json:"calls"`
	Tokens int     `json:"tokens"`
	Money  float64 `json:"money"` // US dollars
}
