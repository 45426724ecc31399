package deliberate

import (
	"encoding/json"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// progress is how far an escalation has come. It follows from its steps alone,
// so that after a crash it is made again of what was written down.
type progress struct {
	opened   bool
	messages []models.Message
	taint    escalate.Taint
	own      []subconscious.Ref
	model    string // who answered last

	rounds, calls int // in all
	inRound       int // tools used in this round
	shown         int // bytes that tools told
	// pending are the tools that the last answer asks for and that were not run.
	pending []ToolCall
	// silent: the last answer asks for no tool.
	silent bool
	// underway is the action that was begun.
	underway   *Step
	remembered bool
	// cut: the record does not hold all that the model was shown.
	cut bool
	n   int // the next step's number
}

// apply carries on with a step.
func (p *progress) apply(s Step) {
	p.n = s.N + 1
	p.cut = p.cut || s.Cut
	p.taint = p.taint.With(s.Words...)
	switch s.Kind {
	case StepOpened:
		p.opened, p.own = true, s.Own
		p.messages = []models.Message{{Role: models.User, Text: s.Text}}
	case StepAnswered:
		p.answered(s)
	case StepStarted:
		p.underway = &s
	case StepCalled:
		p.called(s)
	}
}

func (p *progress) answered(s Step) {
	message := models.Message{Role: models.Assistant, Text: s.Text, Opaque: s.Answer.Opaque}
	for _, c := range s.Answer.Calls {
		message.Calls = append(message.Calls, models.ToolCall{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
	}
	p.messages = append(p.messages, message)
	p.rounds, p.inRound, p.model = p.rounds+1, 0, s.Answer.Model
	p.pending, p.silent = s.Answer.Calls, len(s.Answer.Calls) == 0
}

func (p *progress) called(s Step) {
	p.messages = append(p.messages, models.Message{Role: models.ToolRole, CallID: s.Call.ID, Text: s.Text})
	if len(p.pending) > 0 {
		p.pending = p.pending[1:]
	}
	p.calls, p.inRound, p.shown, p.underway = p.calls+1, p.inRound+1, p.shown+len(s.Text), nil
	if s.Call.Name == string(escalate.EffectRemember) && !s.Call.Failed {
		p.remembered = true
	}
}
