package models

import (
	"context"
	"errors"
	"time"
)

// Fallbacks asks members in order until one answers. It is never silent about
// it: the answer, or the last error, has the failures of those before, and says
// who answered. A member that may not be paid for is passed like one that fails;
// a free one may still be asked.
func Fallbacks(members ...Driver) Generator { return &fallbacks{members} }

type fallbacks struct{ members []Driver }

var _ Generator = (*fallbacks)(nil)

// Generate implements Generator.
func (f *fallbacks) Generate(ctx context.Context, request Request) (Answer, error) {
	var passed []*Error
	for i, member := range f.members {
		answer, err := f.ask(ctx, i, request)
		if err == nil {
			if answer.By == (Identity{}) {
				answer.By = member.Identity()
			}
			answer.Passed = append(passed, answer.Passed...)
			return answer, nil
		}
		failure := asError(err, member.Identity())
		if i == len(f.members)-1 || ctx.Err() != nil || failure.Kind == KindCancelled {
			failure.Passed = append(passed, failure.Passed...)
			return Answer{}, failure
		}
		passed = append(passed, failure)
	}
	return Answer{}, &Error{Kind: KindModel, Text: "no model is assigned", Next: "name one in models.roles, or choose a preset",
		Err: errors.New("no members")}
}

// ask asks the member at i. While others wait behind it, it has an even share of
// the time that is left, so that one that hangs does not take theirs.
func (f *fallbacks) ask(ctx context.Context, i int, request Request) (answer Answer, err error) {
	member := f.members[i]
	defer contain(member.Identity(), &err)
	if ends, ok := ctx.Deadline(); ok && i < len(f.members)-1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(ends)/time.Duration(len(f.members)-i))
		defer cancel()
	}
	return member.Generate(ctx, request)
}
