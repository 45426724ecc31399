package modeltest

import (
	"encoding/json"
	"fmt"

	"github.com/subconsciousd/subconsciousd/models"
)

// Reply is what a Script has a model say.
type Reply struct {
	// Thought, if set, is the answer, written as JSON; else Text is.
	Thought *Thought
	Text    string
	// Calls are tools that it asks for.
	Calls []models.ToolCall
	// Model is who answers, the one asked if empty.
	Model string
	// Stop is why it ends: "end", "length", "tools", "refused"; empty is
	// "tools" with calls and "end" without.
	Stop string
	// Reasoning is what it thought before.
	Reasoning string
	// Fault, if set, is what goes wrong with this reply.
	Fault Fault
}

// Thought is what a thread's prompt asks a model for.
type Thought struct {
	Findings []Finding `json:"findings"`
	Focus    *Focus    `json:"suggested_focus"`
	Over     []string  `json:"over"`
	Journal  string    `json:"journal"`
}

// Finding is one thing that a model says it noticed.
type Finding struct {
	Kind           string   `json:"kind"`
	Summary        string   `json:"summary"`
	Importance     int      `json:"importance"`
	Evidence       []string `json:"evidence"`
	Reinforces     []string `json:"reinforces"`
	Due            *string  `json:"due"`
	Escalate       bool     `json:"escalate"`
	EscalateReason *string  `json:"escalate_reason"`
}

// Focus is a hint for another thread.
type Focus struct {
	Thread string `json:"thread"`
	Hint   string `json:"hint"`
}

// JSON returns the thought as a model writes it. All lists are there.
func (t Thought) JSON() string {
	if t.Over == nil {
		t.Over = []string{}
	}
	findings := make([]Finding, len(t.Findings))
	for i, f := range t.Findings {
		if f.Evidence == nil {
			f.Evidence = []string{}
		}
		if f.Reinforces == nil {
			f.Reinforces = []string{}
		}
		findings[i] = f
	}
	t.Findings = findings
	return compact(t)
}

// compact writes a value of this package, which can always be written.
func compact(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("modeltest: write %T: %v", value, err))
	}
	return string(data)
}

// text is what the reply says in answer to the request.
func (r Reply) text() string {
	if r.Thought != nil {
		return r.Thought.JSON()
	}
	return r.Text
}

// stop is why the reply ends.
func (r Reply) stop() string {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return "tools"
	}
	return "end"
}
