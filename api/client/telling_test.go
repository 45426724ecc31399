package client

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestTellingMethods(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Telling()
	apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	c, ctx := newClient(t, folder), t.Context()
	inbox, err := Ask(ctx, c, api.GetInbox, api.InboxQuery{})
	if err != nil || len(inbox.Incidents) != 4 || inbox.Before != "" || inbox.Presence.State != subconscious.PresenceBusy || inbox.NextDigest.IsZero() {
		t.Errorf("inbox: %v %+v", err, inbox)
	}
	if diff := cmp.Diff(mind.Box.Incidents[1], inbox.Incidents[1]); diff != "" {
		t.Errorf("an incident on its way: %s", diff)
	}
	var all []subconscious.IncidentID
	query := api.InboxQuery{All: true, Limit: 4}
	for {
		page, err := Ask(ctx, c, api.GetInbox, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, incident := range page.Incidents {
			all = append(all, incident.ID)
		}
		if query.Before = page.Before; page.Before == "" {
			break
		}
	}
	if want := []subconscious.IncidentID{"i-invoice-1b2", "i-backup-1a0", "i-fair-19c", "i-disk-0f3", "i-swap-0a1", "i-offer-09d"}; !cmp.Equal(all, want) {
		t.Errorf("all pages: %v", all)
	}
	story, err := Ask(ctx, c, api.GetIncident, api.IncidentQuery{ID: "i-backup-1a0"})
	if diff := cmp.Diff(mind.Stories["i-backup-1a0"], story); diff != "" || err != nil {
		t.Errorf("incident: %v %s", err, diff)
	}
	var problem *api.Problem
	if _, err := Ask(ctx, c, api.GetIncident, api.IncidentQuery{ID: "i-nothing-1"}); !errors.As(err, &problem) || problem.Code != api.CodeNotFound || problem.Next == "" {
		t.Errorf("an incident that is not: %v", err)
	}
	if _, err := Ask(ctx, c, api.GetIncident, api.IncidentQuery{ID: "../status"}); !errors.As(err, &problem) || problem.Code != api.CodeBadRequest {
		t.Errorf("a path for an id: %v", err)
	}
	trace, err := Ask(ctx, c, api.PostMissed, api.MissedRequest{Text: "the backup"})
	if err != nil || trace.Text != "the backup" || len(trace.Steps) != 4 || trace.Incident != "i-backup-1a0" || !cmp.Equal(mind.MissedTexts(), []string{"the backup"}) {
		t.Errorf("missed: %v %+v, %v", err, trace, mind.MissedTexts())
	}
	if learnt, err := Ask(ctx, c, api.GetCalibration, api.Nothing{}); err != nil || !cmp.Equal(learnt, mind.Learnt) {
		t.Errorf("calibration: %v %+v", err, learnt)
	}
	if learnt, err := Ask(ctx, c, api.PostCalibration, api.CalibrationRequest{Thread: subconscious.Oracle, Source: "calendar"}); err != nil || len(learnt.Scores) != 1 {
		t.Errorf("reset: %v %+v", err, learnt)
	}
	if channels, err := Ask(ctx, c, api.GetChannels, api.Nothing{}); err != nil || !cmp.Equal(channels, mind.Now.Channels) {
		t.Errorf("channels: %v %+v", err, channels)
	}
	if sent, err := Ask(ctx, c, api.PostChannelTest, api.ChannelTestRequest{Channel: "family"}); err != nil || len(sent) != 1 || sent[0].State != "failed" || sent[0].Next == "" {
		t.Errorf("test of a channel: %v %+v", err, sent)
	}
	if sent, err := Ask(ctx, c, api.PostChannelTest, api.ChannelTestRequest{Channel: ""}); err != nil || !cmp.Equal(sent, mind.Sent) {
		t.Errorf("test of all: %v %+v", err, sent)
	}
	result, err := Ask(ctx, c, api.PostCommand, api.CommandRequest{Kind: subconscious.CommandRemind, Incident: "i-backup-1a0", For: "2h"})
	if err != nil || !result.Pending || result.Command.IncidentID != "i-backup-1a0" || !result.Command.Until.Equal(apitest.At().Add(2*time.Hour)) {
		t.Errorf("command: %v %+v", err, result)
	}
}
