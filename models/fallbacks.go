package models

import (
	"context"
	"errors"
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
		answer, err := f.ask(ctx, member, request)
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

func (f *fallbacks) ask(ctx context.Context, member Driver, request Request) (answer Answer, err error) {
	defer contain(member.Identity(), &err)
	return member.Generate(ctx, request)
}
