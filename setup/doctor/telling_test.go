package doctor_test

import (
	"context"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
	"github.com/subconsciousd/subconsciousd/presence"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

func channel(url, more string) string {
	return "timezone: UTC\nnotify: [{id: phone, ntfy: {url: " + url + ", topic: mine" + more + "}}]"
}

// running is a daemon that says this of its channels.
func running(channels ...api.ChannelStatus) func(*testing.T, *patient) {
	return func(_ *testing.T, p *patient) {
		p.options.Daemon = fakeDaemon{status: api.Status{Channels: channels}}
	}
}

// TestTelling holds each fault in how the person is told against what is said
// of it.
func TestTelling(t *testing.T) {
	open := ntfytest.New(ntfytest.Options{})
	t.Cleanup(open.Close)
	const token = "tk_0f1e2d3c4b5a69788796a5b4c3d2e"
	locked := ntfytest.New(ntfytest.Options{Accounts: []ntfytest.Account{{Token: token}, {Token: token + "w", Access: []ntfytest.Grant{{Topic: "mine", Write: true}}}}})
	t.Cleanup(locked.Close)
	withToken := func(_ *testing.T, p *patient) { p.env["TOKEN"] = token }
	for name, test := range map[string]fault{
		"no channel":               {"", nil, "channels", doctor.Note, "subconsciousctl inbox"},
		"all is well":              {channel(open.URL(), ""), nil, "phone", doctor.OK, "lets you in to the topic"},
		"nobody answers":           {channel("http://127.0.0.1:1", ""), nil, "phone", doctor.Broken, "127.0.0.1:1 does not answer"},
		"another server":           {channel(open.URL()+"/elsewhere", ""), nil, "phone", doctor.Broken, "not as an ntfy server does"},
		"it asks for signing in":   {channel(locked.URL(), ""), nil, "phone", doctor.Broken, "does not let you in"},
		"a token":                  {channel(locked.URL(), ", token_env: TOKEN"), withToken, "phone", doctor.OK, "lets you in"},
		"a token that is not set":  {channel(locked.URL(), ", token_env: TOKEN"), nil, "phone", doctor.Broken, "variable TOKEN: it is not set"},
		"a token that is wrong":    {channel(locked.URL(), ", token_env: TOKEN"), func(_ *testing.T, p *patient) { p.env["TOKEN"] = "tk_other" }, "phone", doctor.Broken, "does not let you in"},
		"a token that may write":   {channel(locked.URL(), ", token_env: TOKEN"), func(_ *testing.T, p *patient) { p.env["TOKEN"] = token + "w" }, "phone", doctor.OK, "may not read the topic"},
		"a token of the daemon's":  {channel(locked.URL(), ", token_env: TOKEN"), running(api.ChannelStatus{ID: "phone", State: "ok", Last: at}), "phone", doctor.OK, "the daemon, which runs, sent over it"},
		"a channel that fails":     {channel(open.URL(), ""), running(api.ChannelStatus{ID: "phone", State: "failing", Error: "it refused", Waiting: 2}), "phone delivery", doctor.Degraded, "2 wait: it refused"},
		"answers that do not come": {channel(open.URL(), ""), running(api.ChannelStatus{ID: "phone", State: "ok", AnswersError: "no stream"}), "phone answers", doctor.Degraded, "no stream"},
		"a service without its address": {"notify: [{id: chat, shoutrrr: {url_env: CHAT}}]", nil, "chat", doctor.Broken,
			"its address is not to be had"},
		"quiet for most of the day": {"timezone: UTC\nquiet_hours: {from: \"08:00\", to: \"23:00\"}", nil, "quiet hours", doctor.Degraded, "15 hours"},
		"never quiet":               {"quiet_hours: {from: \"08:00\", to: \"08:00\"}", nil, "quiet hours", doctor.OK, "none"},
		"the time there":            {"timezone: Europe/Berlin", nil, "quiet hours", doctor.OK, "where it is 13:00 now"},
		"a digest at night":         {"escalation: {digest: {daily: \"03:00\"}}", nil, "daily digest", doctor.Note, "lies in the quiet hours"},
		"nothing may be told":       {"budget: {notifications_per_day: 0}", nil, "attention", doctor.Note, "nothing is ever told"},
		"enough was told": {"", func(_ *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Budget: api.BudgetStatus{Limits: []api.LimitStatus{{Name: "escalations_per_hour", Exhausted: true}}}}}
		}, "attention", doctor.OK, "escalations_per_hour is reached now"},
		"enough was told, and models think on": {"", func(_ *testing.T, p *patient) {
			p.options.Daemon = fakeDaemon{status: api.Status{Budget: api.BudgetStatus{Limits: []api.LimitStatus{{Name: "escalations_per_hour", Exhausted: true}}}}}
		}, "budget", doctor.OK, "today"},
		"nobody says anything": {"", nil, "presence", doctor.OK, "this machine says nothing of your session, no calendar is configured"},
		"a session": {"", func(_ *testing.T, p *patient) {
			p.options.Session = func(context.Context) presence.Session {
				return presence.Session{Known: true, Locked: true, LockedSince: at.Add(-time.Hour)}
			}
		}, "presence", doctor.OK, "the session (locked)"},
		"presence is off": {"presence: {session: false, calendar: false, command_line: false}", nil, "presence", doctor.OK, "waits for no good moment"},
		"a test message":  {channel(open.URL(), ""), func(_ *testing.T, p *patient) { p.options.Send = true }, "phone test", doctor.OK, "took a message"},
		"a test message that is refused": {channel(locked.URL(), ""), func(_ *testing.T, p *patient) { p.options.Send = true },
			"phone test", doctor.Broken, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(open.Messages("mine")) + len(locked.Messages("mine"))
			p, _ := test.told(t, token)
			if sent := len(open.Messages("mine")) + len(locked.Messages("mine")) - before; sent > 0 && !p.options.Send {
				t.Errorf("%d messages were sent", sent)
			}
		})
	}
}
