package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// StackOptions are what the decorators around a driver need.
type StackOptions struct {
	By Identity // who answers; Stack sets it
	// Accepts are further names under which the model may answer.
	Accepts  []string
	Meter    Meter // nil: nothing is debited
	Rate     Rate
	Recorder Recorder // nil: nothing is recorded
	// Secrets takes secrets out of text, for remote models and for records; nil
	// is redact.Text.
	Secrets func(string) string
	Masker  func() Masker // nil masks nothing
	// Circuit is shared by all stacks of one model; nil is one of its own.
	Circuit *Circuit
	// Retries is shared by a roster; nil is one of its own.
	Retries *RetryBudget
	Wait    func() time.Duration // before a retry; nil is its own
	Timeout time.Duration        // of one attempt; 0 or less is none
	Now     func() time.Time     // nil is time.Now
}

// Member is one model behind its decorators.
type Member struct {
	outer   Generator
	by      Identity
	circuit *Circuit
	rate    Rate
	account *account // nil outside a roster
}

var _ Driver = (*Member)(nil)

// Stack puts the decorators around a driver: record, redact where the model is
// remote, breaker, retry, budget, timeout, from the outside in. A retry is a call
// of its own to the budget.
func Stack(driver Driver, options StackOptions) *Member {
	by := driver.Identity()
	options.By = by
	if options.Secrets == nil {
		options.Secrets = redact.Text
	}
	if options.Circuit == nil {
		options.Circuit = NewCircuit(options.Now)
	}
	inner := NewTimeout(NewVerify(driver, by, options.Accepts), by, options.Timeout)
	inner = NewBreaker(NewRetry(NewBudget(inner, options), options), by, options.Circuit)
	if !by.Local {
		inner = NewRedact(inner, options)
	}
	return &Member{outer: NewRecord(inner, options), by: by, circuit: options.Circuit, rate: options.Rate}
}

// Identity implements Driver.
func (m *Member) Identity() Identity { return m.by }

// Health says how the model does.
func (m *Member) Health() Health { return m.circuit.Health() }

// Generate implements Generator. Every failure is an *Error: a panic too.
func (m *Member) Generate(ctx context.Context, request Request) (answer Answer, err error) {
	defer contain(m.by, &err)
	ask := m.outer.Generate
	if m.account != nil {
		ask = m.askRenewed
	}
	if answer, err = ask(ctx, request); err != nil {
		return answer, asError(err, m.by)
	}
	return answer, nil
}

// Fallbacks asks members in order until one answers. It is never silent about
// it: the answer, or the last error, has the failures of those before, and says
// who answered. A member that may not be paid for is passed like one that fails;
// a free one may still be asked.
func Fallbacks(members ...Driver) Generator {
	return GeneratorFunc(func(ctx context.Context, request Request) (Answer, error) {
		var passed []*Error
		for i, member := range members {
			answer, err := askOne(ctx, members, i, request)
			if err == nil {
				if answer.By == (Identity{}) {
					answer.By = member.Identity()
				}
				answer.Passed = append(passed, answer.Passed...)
				return answer, nil
			}
			failure := asError(err, member.Identity())
			if i == len(members)-1 || ctx.Err() != nil || failure.Kind == KindCancelled {
				failure.Passed = append(passed, failure.Passed...)
				return Answer{}, failure
			}
			passed = append(passed, failure)
		}
		return Answer{}, &Error{Kind: KindModel, Text: "no model is assigned", Next: "name one in models.roles, or choose a preset",
			Err: errors.New("no members")}
	})
}

// askOne asks the member at i. While others wait behind it, it has an even share of
// the time that is left, so that one that hangs does not take theirs.
func askOne(ctx context.Context, members []Driver, i int, request Request) (answer Answer, err error) {
	member := members[i]
	defer contain(member.Identity(), &err)
	if ends, ok := ctx.Deadline(); ok && i < len(members)-1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(ends)/time.Duration(len(members)-i))
		defer cancel()
	}
	return member.Generate(ctx, request)
}

// maxRecorded bounds, in bytes, what is kept of an answer.
const maxRecorded = 4 << 10

// Call is the record of one request for an answer, all its attempts together.
type Call struct {
	Purpose Purpose
	By      Identity
	// PromptHash is the SHA-256, in hexadecimal, of the request as it was
	// asked, and PromptBytes its size as JSON.
	PromptHash  string
	PromptBytes int
	Usage       Usage
	Cost        budget.Money
	Latency     time.Duration
	Attempts    int
	Outcome     string // "answered" or a Kind
	Error       string // in plain words
	Answer      string // redacted, at most 4 KB
}

// Answered is the outcome of a call that brought an answer.
const Answered = "answered"

// Recorder keeps the records of calls. It must not wait for long.
type Recorder interface {
	Record(ctx context.Context, call Call)
}

// NewRecord records every call, and says how long it took.
func NewRecord(inner Generator, options StackOptions) Generator {
	options.Now = clock(options.Now)
	return GeneratorFunc(func(ctx context.Context, request Request) (Answer, error) {
		start := options.Now()
		answer, err := inner.Generate(ctx, request)
		answer.Latency = options.Now().Sub(start)
		if options.Recorder == nil {
			return answer, err
		}
		call := Call{Purpose: request.Purpose, By: options.By, Usage: answer.Usage, Cost: answer.Cost, Latency: answer.Latency,
			Attempts: answer.Attempts, Outcome: Answered}
		call.PromptHash, call.PromptBytes = hashRequest(request)
		if err != nil {
			failure := asError(err, options.By)
			call.Outcome, call.Error = string(failure.Kind), options.kept(failure.Text)
			call.Usage, call.Cost, call.Attempts = failure.Usage, failure.Cost, failure.Attempts
		} else {
			call.Answer = options.kept(answered(answer))
		}
		options.Recorder.Record(context.WithoutCancel(ctx), call)
		return answer, err
	})
}

// kept redacts before it cuts: a secret that is cut in two is none that can be
// found. What is far over the bound is cut to it first, with the room of the
// longest secret beyond.
func (o StackOptions) kept(text string) string {
	if o.Secrets == nil {
		return ""
	}
	return subconscious.Clip(o.Secrets(subconscious.Clip(text, 4*maxRecorded)), maxRecorded)
}

// answered is an answer as text, with the calls of tools in it.
func answered(answer Answer) string {
	text := answer.Text
	for _, call := range answer.Calls {
		if text != "" {
			text += "\n"
		}
		text += call.Name + " " + string(call.Arguments)
	}
	return text
}

// NewTimeout bounds one attempt, and makes a well-formed *Error of whatever
// goes wrong in it: a panic of the driver too. A timeout of 0 or less is none.
func NewTimeout(inner Generator, by Identity, timeout time.Duration) Generator {
	return GeneratorFunc(func(ctx context.Context, request Request) (Answer, error) {
		attempt, cancel := ctx, func() {}
		if timeout > 0 {
			attempt, cancel = context.WithTimeout(ctx, timeout)
		}
		defer cancel()
		answer, err := askContained(attempt, inner, by, request)
		if err == nil {
			answer.Attempts = max(1, answer.Attempts)
			return answer, nil
		}
		failure := asError(err, by)
		failure.Attempts = max(1, failure.Attempts)
		switch {
		case ctx.Err() != nil && failure.Kind != KindBudget && errors.Is(ctx.Err(), context.Canceled):
			failure.Kind, failure.Text, failure.Next = KindCancelled, "it was asked for no more", ""
		case attempt.Err() != nil && isBroken(failure.Kind):
			failure.Kind, failure.Text = KindTimeout, "no answer came in time"
			if ctx.Err() == nil {
				failure.Text = fmt.Sprintf("no answer came within %s", timeout)
				failure.Next = "give it more time by models.timeout, or choose a faster model"
			}
		}
		switch {
		case failure.Usage.Known && plausible(failure.Usage):
			failure.Unsure = 0
		case maybePaid(failure.Kind):
			failure.Usage, failure.Unsure = Usage{}, max(1, failure.Unsure)
		default:
			failure.Usage = Usage{}
		}
		return Answer{}, failure
	})
}

// askContained makes an error of a panic.
func askContained(ctx context.Context, inner Generator, by Identity, request Request) (answer Answer, err error) {
	defer contain(by, &err)
	return inner.Generate(ctx, request)
}

// isBroken are the kinds that a deadline can look like from within.
func isBroken(kind Kind) bool { return kind.is(KindNetwork, KindCut, KindCancelled, KindTimeout) }

// maybePaid are the kinds after which a provider may count the call. Network
// is not one of them: the driver knows whether the request had left.
func maybePaid(kind Kind) bool {
	return kind.is(KindCut, KindTimeout, KindTooLarge, KindAnswer, KindWrongModel, KindRefused, KindCancelled)
}

// NewVerify throws away what another model than the one asked for answered.
// Versions of its name are it, and so are the names in accepts; a provider that
// does not say who answered is believed.
func NewVerify(inner Generator, by Identity, accepts []string) Generator {
	return GeneratorFunc(func(ctx context.Context, request Request) (Answer, error) {
		answer, err := inner.Generate(ctx, request)
		if err != nil {
			return answer, err
		}
		if other := otherModel(by, accepts, answer.By.Model); other != nil {
			return Answer{}, other
		}
		answer.By = by
		if !plausible(answer.Usage) {
			answer.Usage = Usage{}
		}
		return answer, nil
	})
}

// otherModel is the failure where another model than the one asked for answered,
// and nil where it was that or one of those accepted.
func otherModel(asked Identity, accepts []string, name string) *Error {
	same := func(accepted string) bool { return SameModel(accepted, name) }
	if name == "" || same(asked.Model) || slices.ContainsFunc(accepts, same) {
		return nil
	}
	name = line(name, 80)
	return &Error{Kind: KindWrongModel, By: asked, Attempts: 1, Unsure: 1,
		Text: fmt.Sprintf("%q answered in its place; the answer was thrown away", name),
		Next: fmt.Sprintf("add %q to accepts of the role if it may, or name another model", name)}
}

// maxTokens is more than any call takes: a usage beyond it is none.
const maxTokens = 100_000_000

// plausible reports whether a usage can be what a call took.
func plausible(u Usage) bool {
	for _, n := range [...]int{u.Input, u.Cached, u.Written, u.Output, u.Thinking} {
		if n < 0 || n > maxTokens {
			return false
		}
	}
	return u.Cached+u.Written <= u.Input && u.Thinking <= u.Output
}

// clock returns now, or the machine's clock where it is nil.
func clock(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}
