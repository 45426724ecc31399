package view

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
)

// Channels implements api.Mind.
func (v *Reader) Channels(ctx context.Context) ([]api.ChannelStatus, error) {
	statuses, err := v.in.Outbox.Statuses(ctx)
	return statuses, Answer(err)
}
