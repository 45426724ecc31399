package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// MaxInbox and DefaultInbox are how many incidents a page has.
	MaxInbox     = MaxPage
	DefaultInbox = DefaultPage
	// MaxMissed is the longest account of what was missed, in bytes.
	MaxMissed = 2000
)

func (s *Server) inbox(ctx context.Context, r *http.Request) (any, error) {
	query, err := inboxQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	if s.options.Teller == nil {
		return nil, notServed("inbox")
	}
	inbox, err := s.options.Teller.Inbox(ctx, query)
	return inbox.filled(), err
}

func (s *Server) incident(ctx context.Context, r *http.Request) (any, error) {
	id := subconscious.IncidentID(r.PathValue("id"))
	if err := checkIncident(id); err != nil {
		return nil, err
	}
	if s.options.Teller == nil {
		return nil, notServed("inbox")
	}
	explanation, err := s.options.Teller.Incident(ctx, id)
	return explanation.filled(), err
}

func (s *Server) missed(ctx context.Context, body []byte) (any, error) {
	request, err := decodeMissed(body)
	if err != nil {
		return nil, err
	}
	if s.options.Teller == nil {
		return nil, notServed("inbox")
	}
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	trace, err := s.options.Teller.Missed(ctx, request)
	return trace.filled(), err
}

func (s *Server) calibration(ctx context.Context, _ *http.Request) (any, error) {
	if s.options.Calibrator == nil {
		return nil, notServed("calibration")
	}
	calibration, err := s.options.Calibrator.Calibration(ctx)
	return calibration.filled(), err
}

func (s *Server) resetCalibration(ctx context.Context, body []byte) (any, error) {
	request, err := decodeCalibration(body)
	if err != nil {
		return nil, err
	}
	if s.options.Calibrator == nil {
		return nil, notServed("calibration")
	}
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	calibration, err := s.options.Calibrator.ResetCalibration(ctx, request)
	return calibration.filled(), err
}

func (s *Server) channels(ctx context.Context, _ *http.Request) (any, error) {
	if s.options.Messenger == nil {
		return nil, notServed("channels")
	}
	channels, err := s.options.Messenger.Channels(ctx)
	return list(channels), err
}

// testChannels may take long: it waits for what became of each message.
func (s *Server) testChannels(ctx context.Context, body []byte) (any, error) {
	request, err := decodeChannelTest(body)
	if err != nil {
		return nil, err
	}
	if s.options.Messenger == nil {
		return nil, notServed("channels")
	}
	release, err := s.queue()
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, done := context.WithTimeout(ctx, testTimeout)
	defer done()
	deliveries, err := s.options.Messenger.TestChannels(ctx, request.Channel)
	return list(deliveries), err
}

func (s *Server) renewChannel(ctx context.Context, body []byte) (any, error) {
	request, err := decodeChannelTest(body)
	if err == nil && request.Channel == "" {
		err = badRequest("take one from `subconsciousctl notify list`", "channel: which one is missing")
	}
	if err != nil {
		return nil, err
	}
	if s.options.Messenger == nil {
		return nil, notServed("channels")
	}
	ctx, done := context.WithTimeout(ctx, answerTimeout)
	defer done()
	return s.options.Messenger.RenewChannel(ctx, request.Channel)
}

// inboxQuery reads all, before and limit of GET /v1/inbox.
func inboxQuery(query url.Values) (wanted InboxQuery, err error) {
	if err = onlyOnce(query, "all", "before", "limit"); err != nil {
		return InboxQuery{}, err
	}
	if wanted.All, err = yesQuery(query, "all"); err != nil {
		return InboxQuery{}, err
	}
	if wanted.Limit, err = limitQuery(query); err != nil {
		return InboxQuery{}, err
	}
	wanted.Before, err = markQuery(query)
	return wanted, err
}

// decodeMissed reads the body of POST /v1/missed.
func decodeMissed(body []byte) (MissedRequest, error) {
	request, err := decode[MissedRequest](body)
	if err == nil {
		err = firstError(checkText(request.Text, MaxMissed), checkAs(request.As))
	}
	if err != nil {
		return MissedRequest{}, err
	}
	request.Text = strings.TrimSpace(subconscious.Printable(request.Text))
	if request.Text == "" {
		return MissedRequest{}, badRequest("write what should have been told, in a few words", "text: it is empty")
	}
	return request, nil
}

// decodeCalibration reads the body of POST /v1/calibration/reset.
func decodeCalibration(body []byte) (CalibrationRequest, error) {
	request, err := decode[CalibrationRequest](body)
	if err != nil {
		return CalibrationRequest{}, err
	}
	for _, field := range []struct{ name, value string }{
		{"thread", string(request.Thread)}, {"source", request.Source}, {"kind", string(request.Kind)},
	} {
		if field.value != "" && !isName(field.value, maxThread) {
			return CalibrationRequest{}, badRequest("take it from `subconsciousctl calibration`, or leave it out", "%s: %q is not one that is calibrated", field.name, clip(field.value))
		}
	}
	return request, nil
}

// decodeChannelTest reads the body of POST /v1/channels/test and renew.
func decodeChannelTest(body []byte) (ChannelTestRequest, error) {
	request, err := decode[ChannelTestRequest](body)
	if err == nil && request.Channel != "" && !isName(request.Channel, maxThread) {
		err = badRequest("use the id of a channel, or leave it out for all", "channel: %q is not a channel's id", clip(request.Channel))
	}
	return request, err
}
