package view

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
)

// Channels implements api.Messenger.
func (v *Reader) Channels(ctx context.Context) ([]api.ChannelStatus, error) {
	out := []api.ChannelStatus{}
	statuses, err := v.in.Outbox.Statuses(ctx)
	if err != nil {
		return nil, Answer(err)
	}
	for _, s := range statuses {
		out = append(out, api.ChannelStatus{
			ID: s.ID, Kind: s.Kind, Content: string(s.Content), State: string(s.State), Answers: s.Answers, AnswersError: s.AnswersError,
			Strange: s.Refused, StrangeSince: s.RefusedSince, Last: s.Last, Error: s.Error, Next: s.Next, Waiting: s.Waiting,
		})
	}
	return out, nil
}
