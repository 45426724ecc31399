package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
)

// The steps of a check, in order.
const (
	StepModel    = "model"   // one is assigned
	StepKey      = "key"     // it is there
	StepList     = "list"    // the provider says which models it has; where no role has one of it
	StepAnswer   = "answer"  // the endpoint answers, the model is known, and it is the one asked for
	StepSchema   = "schema"  // the answer keeps to a schema
	StepUsage    = "usage"   // it says what it took
	StepStream   = "stream"  // the answer comes in pieces
	StepVectors  = "vectors" // an embedder gives vectors
	checkTokens  = 512       // beside thinking
	listedModels = 8         // at most, in what to do next
)

// CheckResult is what came of asking one model live.
type CheckResult struct {
	Role     string // the first that the model has; empty for a fallback or a provider alone
	Identity Identity
	Steps    []Step
	Latency  time.Duration // of the first answer
	Tokens   int
	Cost     budget.Money
}

// Step is one thing that was tried.
type Step struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
	Next   string `json:"next,omitempty"` // what to do about a failure
}

// OK reports whether all steps went well.
func (c CheckResult) OK() bool {
	for _, step := range c.Steps {
		if !step.OK {
			return false
		}
	}
	return len(c.Steps) > 0
}

func (c *CheckResult) good(name, detail string) {
	c.Steps = append(c.Steps, Step{Name: name, OK: true, Detail: detail})
}

func (c *CheckResult) bad(name, detail, next string) {
	c.Steps = append(c.Steps, Step{Name: name, Detail: detail, Next: next})
}

// fail notes a failure of a call.
func (c *CheckResult) fail(name string, err error) *Error {
	failure := asError(err, c.Identity)
	c.bad(name, failure.Text, failure.Next)
	c.Tokens += failure.Usage.Total()
	c.Cost += failure.Cost
	return failure
}

func (c *CheckResult) took(answer Answer) {
	c.Tokens += answer.Usage.Total()
	c.Cost += answer.Cost
}

// Check asks models live: those of a role with its fallbacks, or of a provider,
// or all where who is empty, each model once. It goes through the budget and is
// recorded, but asks a model that rests, too. The result is empty where no role
// and no provider is called so.
func (r *Roster) Check(ctx context.Context, who string) []CheckResult {
	if known := r.lookup(who); known != nil && len(known.members) == 0 {
		none := CheckResult{Role: who}
		none.bad(StepModel, "no model thinks in this role", "name one for it in models.roles, or choose a preset in models.preset")
		return []CheckResult{none}
	}
	var results []CheckResult
	done := map[string]bool{}
	for _, known := range r.roles {
		for i, m := range known.members {
			name := m.by.String()
			if done[name] || who != "" && who != known.assigned.Role.ID && who != m.by.Provider {
				continue
			}
			done[name] = true
			result := r.check(ctx, known, i)
			if i == 0 {
				result.Role = known.assigned.Role.ID
			}
			results = append(results, result)
		}
	}
	if len(results) > 0 || who == "" {
		return results
	}
	if provider, ok := r.options.Config.Provider(who); ok {
		return []CheckResult{r.checkProvider(ctx, provider)}
	}
	return nil
}

// check asks one model of a role.
func (r *Roster) check(ctx context.Context, known *role, position int) CheckResult {
	shared := known.members[position]
	result := CheckResult{Identity: shared.by}
	if !r.checkKey(&result, shared.account) {
		return result
	}
	m, err := r.member(known.assigned, position, NewCircuit(r.options.Now), r.options.Meter) // one that rests is asked, too
	if err != nil {
		result.bad(StepAnswer, err.Error(), "")
		return result
	}
	if known.assigned.Role.ID == RoleEmbedding {
		r.checkVectors(ctx, &result, m)
	} else {
		r.checkAnswer(ctx, &result, m, known)
	}
	if result.OK() {
		shared.circuit.Reset()
	}
	return result
}

// checkVectors asks an embedder.
func (r *Roster) checkVectors(ctx context.Context, result *CheckResult, m *Member) {
	start := r.options.Now()
	got, err := m.Embed(ctx, Purpose{Role: RoleEmbedding, At: start}, []string{"harbour", "a boat in the harbour"})
	if err != nil {
		result.fail(StepVectors, err)
		return
	}
	result.took(got)
	result.Latency = r.options.Now().Sub(start)
	result.good(StepVectors, fmt.Sprintf("vectors of %d dimensions", len(got.Vectors[0])))
}

func (r *Roster) checkKey(result *CheckResult, account *account) bool {
	key, missing := account.fetch()
	switch {
	case missing != nil:
		result.bad(StepKey, missing.Text, missing.Next)
		return false
	case key.IsZero():
		result.good(StepKey, "none is needed")
	default:
		result.good(StepKey, "it is there")
	}
	return true
}

// checkRequest is the smallest question that shows whether a schema is kept to.
func (r *Roster) checkRequest(known *role) Request {
	own := known.assigned.Role
	return Request{
		Purpose:     Purpose{Role: own.ID, At: r.options.Now()},
		System:      `You are asked whether you can be reached. Answer with the JSON object {"reached": true, "word": "WORD"}, where WORD is the word that you are told.`,
		Messages:    []Message{{Role: User, Text: "The word is: harbour"}},
		Schema:      &Schema{Name: "reached", JSON: json.RawMessage(`{"type":"object","properties":{"reached":{"type":"boolean"},"word":{"type":"string"}},"required":["reached","word"],"additionalProperties":false}`)},
		MaxTokens:   max(checkTokens+own.Thinking, own.MaxTokens), // some think unasked
		Temperature: own.Temperature, Thinking: own.Thinking,
	}
}

func (r *Roster) checkAnswer(ctx context.Context, result *CheckResult, m *Member, known *role) {
	request := r.checkRequest(known)
	answer, err := m.Generate(ctx, request)
	if err != nil {
		failure := result.fail(StepAnswer, err)
		if failure.Kind == KindModel {
			result.Steps[len(result.Steps)-1].Next = r.otherModels(ctx, m, failure.Next)
		}
		return
	}
	result.took(answer)
	result.Latency = answer.Latency
	result.good(StepAnswer, fmt.Sprintf("%s answers after %s", answer.By.Model, answer.Latency.Round(time.Millisecond))+r.unlisted(ctx, m))
	checkSchema(result, answer)
	if answer.Usage.Known {
		result.good(StepUsage, fmt.Sprintf("%d tokens in, %d out", answer.Usage.Input, answer.Usage.Output))
	} else {
		result.good(StepUsage, "it does not say what it took: each call counts at its worst case")
	}
	pieces := 0
	request.OnText = func(string) { pieces++ }
	streamed, err := m.Generate(ctx, request)
	if err != nil {
		result.fail(StepStream, err)
		return
	}
	result.took(streamed)
	if pieces == 0 {
		result.bad(StepStream, "a streamed answer brought no text", "choose another model for chat; threads do not stream")
		return
	}
	result.good(StepStream, "the answer came as it was made")
}

// checkSchema judges whether an answer is the object that was asked for.
func checkSchema(result *CheckResult, answer Answer) {
	var said struct {
		Reached *bool   `json:"reached"`
		Word    *string `json:"word"`
	}
	err := json.Unmarshal([]byte(answer.Text), &said)
	switch {
	case answer.Stop == StopLength:
		result.bad(StepSchema, "the answer was cut at its bound", "give the role more max_tokens, or less thinking")
	case err != nil:
		result.bad(StepSchema, "the answer is not one JSON object; most such answers can be repaired", "set schema of the provider to what it enforces, or choose another model")
	case said.Reached == nil || said.Word == nil:
		result.bad(StepSchema, "the answer does not keep to the schema that it was given", "set schema of the provider to what it enforces, or choose another model")
	default:
		result.good(StepSchema, "the answer keeps to the schema")
	}
}

// unlisted says where a model that answers is not among those that its provider
// says it has, which is no fault; "" where it is, or where that is not known.
func (r *Roster) unlisted(ctx context.Context, m *Member) string {
	names, err := r.list(ctx, m.account)
	if err != nil || slices.ContainsFunc(names, func(name string) bool { return SameModel(m.by.Model, name) }) {
		return ""
	}
	return ", though the provider does not list it"
}

// otherModels says which models there are instead of one that there is not.
func (r *Roster) otherModels(ctx context.Context, m *Member, next string) string {
	names, err := r.list(ctx, m.account)
	if err != nil || len(names) == 0 {
		return next
	}
	more := ""
	if len(names) > listedModels {
		more = fmt.Sprintf(" and %d more", len(names)-listedModels)
		names = names[:listedModels]
	}
	return "choose one of those it has: " + strings.Join(names, ", ") + more
}

// checkProvider looks whether a provider can be reached of which no role has a
// model.
func (r *Roster) checkProvider(ctx context.Context, provider Provider) CheckResult {
	result := CheckResult{Identity: Identity{Provider: provider.ID, Local: provider.Local}}
	account := r.newAccount(provider)
	defer account.client.CloseIdleConnections()
	if !r.checkKey(&result, account) {
		return result
	}
	start := r.options.Now()
	names, err := r.list(ctx, account)
	result.Latency = r.options.Now().Sub(start)
	if err != nil {
		result.fail(StepList, err)
		return result
	}
	result.good(StepList, fmt.Sprintf("it has %d models; no role has one of it", len(names)))
	return result
}

// Models returns the names of the models that a provider says it has.
func (r *Roster) Models(ctx context.Context, provider string) ([]string, error) {
	known, ok := r.options.Config.Provider(provider)
	if !ok {
		return nil, fmt.Errorf("no provider is called %s", provider)
	}
	account := r.newAccount(known)
	defer account.client.CloseIdleConnections()
	return r.list(ctx, account)
}

// list asks a provider which models it has, within the time of one attempt.
func (r *Roster) list(ctx context.Context, account *account) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Config.Timeout)
	defer cancel()
	options, missing := account.options("any")
	if missing != nil {
		return nil, missing
	}
	return account.protocol.List(ctx, options)
}
