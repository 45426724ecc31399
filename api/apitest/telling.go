package apitest

import (
	"context"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Inbox returns a page of Box. The mark of a page is its last incident's id.
func (m *Mind) Inbox(_ context.Context, query api.InboxQuery) (api.Inbox, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	box, id := m.Box, func(i api.InboxIncident) string { return string(i.ID) }
	if query.Before != "" && !slices.ContainsFunc(box.Incidents, func(i api.InboxIncident) bool { return id(i) == query.Before }) {
		return api.Inbox{}, api.Errorf(api.CodeBadRequest, "take it from the page before", "before: %s is not a page's mark", query.Before)
	}
	box.Incidents, box.Before = page(box.Incidents, query.Before, query.Limit, id, func(i api.InboxIncident) bool { return query.All || concerns(i) })
	return box, nil
}

// concerns reports whether the incident is shown without being asked for.
func concerns(incident api.InboxIncident) bool {
	if incident.Waits || !incident.Remind.IsZero() {
		return true
	}
	switch incident.State {
	case subconscious.TellingOpen, subconscious.TellingResolved, subconscious.TellingDismissed:
		return false
	}
	return true
}

// Incident returns one of Stories, or what Box shows of it.
func (m *Mind) Incident(_ context.Context, id subconscious.IncidentID) (api.IncidentExplanation, error) {
	if story, ok := m.Stories[id]; ok {
		return story, nil
	}
	incident, err := m.boxed(id)
	return api.IncidentExplanation{Incident: incident, Deliveries: incident.Delivery}, err
}

func (m *Mind) boxed(id subconscious.IncidentID) (api.InboxIncident, error) {
	i, err := find(m.Box.Incidents, func(i api.InboxIncident) bool { return i.ID == id }, "take an id from subconsciousctl inbox", "there is no incident %s", id)
	return *i, err
}

// Missed returns Traced with the words and the time of the samples, and records
// the request.
func (m *Mind) Missed(_ context.Context, request api.MissedRequest) (api.Trace, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.missed = append(m.missed, request.Text)
	trace := m.Traced
	trace.Text, trace.At, trace.Counted = request.Text, at, trace.Missed && request.Teach
	return trace, nil
}

// MissedTexts returns what was said to be missed so far.
func (m *Mind) MissedTexts() []string { return copied(m, &m.missed) }

// Calibration returns Learnt.
func (m *Mind) Calibration(context.Context) (api.Calibration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Learnt, nil
}

// ResetCalibration takes scores out of Learnt. Where none is of that sort they
// are not found.
func (m *Mind) ResetCalibration(_ context.Context, request api.CalibrationRequest) (api.Calibration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if request.Letters != "" || request == (api.CalibrationRequest{}) {
		m.Learnt.Letters = slices.DeleteFunc(slices.Clone(m.Learnt.Letters), func(h api.HabitStatus) bool { return request.Letters == "" || h.Name == request.Letters })
	}
	if request.Letters != "" {
		return m.Learnt, nil
	}
	left := slices.DeleteFunc(slices.Clone(m.Learnt.Scores), func(s api.ScoreStatus) bool {
		return (request.Thread == "" || request.Thread == s.Thread) && (request.Source == "" || request.Source == s.Source) && (request.Kind == "" || request.Kind == s.Kind)
	})
	if len(left) == len(m.Learnt.Scores) && request != (api.CalibrationRequest{}) {
		return api.Calibration{}, api.Errorf(api.CodeNotFound, "see subconsciousctl calibration", "nothing of that sort has been learnt")
	}
	m.Learnt.Scores = left
	return m.Learnt, nil
}

// Channels returns the channels of Now.
func (m *Mind) Channels(context.Context) ([]api.ChannelStatus, error) {
	return copied(m, &m.Now.Channels), nil
}

// Observe takes what is handed in with the token of "doorbell".
func (m *Mind) Observe(_ context.Context, handed api.Handed) error {
	if handed.Source != "doorbell" || handed.Token != "source-OPEN" && !handed.Vouched {
		return api.Errorf(api.CodeRefused, "make a new one", "the token does not open this source")
	}
	return nil
}

// SetSourceToken returns that token.
func (m *Mind) SetSourceToken(_ context.Context, request api.SourceTokenRequest) (api.SourceToken, error) {
	if request.Source != "doorbell" {
		return api.SourceToken{}, api.Errorf(api.CodeNotFound, "see senses.post", "there is no source %s", request.Source)
	}
	token := api.SourceToken{Source: request.Source, Token: "source-OPEN"}
	if request.Revoke {
		token.Token = ""
	}
	return token, nil
}

// RenewChannel returns that channel of Now, to which nobody strange writes now.
func (m *Mind) RenewChannel(_ context.Context, channel string) (api.ChannelStatus, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := find(m.Now.Channels, func(c api.ChannelStatus) bool { return c.ID == channel }, "see subconsciousctl status", "there is no channel %s", channel)
	if err != nil {
		return api.ChannelStatus{}, err
	}
	c.Refused, c.RefusedSince = 0, time.Time{}
	return *c, nil
}

// TestChannels returns those of Sent that are of that channel.
func (m *Mind) TestChannels(_ context.Context, channel string) ([]api.Delivery, error) {
	found := slices.DeleteFunc(slices.Clone(m.Sent), func(d api.Delivery) bool { return channel != "" && channel != d.Channel })
	if channel != "" && len(found) == 0 {
		return nil, api.Errorf(api.CodeNotFound, "see subconsciousctl status", "there is no channel %s", channel)
	}
	return found, nil
}
