package setup_test

import (
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/setup"
)

// TestChannels: each kind is read, content is filled in by who can read along,
// paths are made absolute, and what is written again loads the same.
func TestChannels(t *testing.T) {
	config, err := load(t, `
notify:
  - {id: phone, ntfy: {url: https://ntfy.sh, topic: mine, token_file: ~/token}}
  - {id: nas, ntfy: {url: "localhost:2586", topic: mine, replies: false}}
  - {id: open, content: full, ntfy: {url: https://ntfy.sh, topic: mine}}
  - {id: chat, shoutrrr: {url_env: CHAT}}
  - {id: desk, desktop: {}}
  - {id: console, stdout: {}}
`)
	if err != nil {
		t.Fatal(err)
	}
	check := func(config *setup.Config) {
		t.Helper()
		want := []struct {
			kind    string
			content notify.Content
		}{{setup.KindNtfy, notify.ContentTitle}, {setup.KindNtfy, notify.ContentFull}, {setup.KindNtfy, notify.ContentFull},
			{setup.KindShoutrrr, notify.ContentTitle}, {setup.KindDesktop, notify.ContentFull}, {setup.KindStdout, notify.ContentFull}}
		if len(config.Notify) != len(want) {
			t.Fatalf("%d channels", len(config.Notify))
		}
		for i, c := range config.Notify {
			if c.Kind() != want[i].kind || c.Content != want[i].content {
				t.Errorf("%s is %s with %s, want %+v", c.ID, c.Kind(), c.Content, want[i])
			}
		}
		if at := config.Notify[1].Ntfy.URL; at != "http://localhost:2586" {
			t.Errorf("an address of this machine without a scheme is taken as %s", at)
		}
		if c := config.Notify[0].Ntfy; c.Token.File != "/home/sample/token" || !c.Answers() || config.Notify[1].Ntfy.Answers() {
			t.Errorf("%+v, %+v", c, config.Notify[1].Ntfy)
		}
	}
	check(config)
	text, err := setup.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	testutil.Write(t, path, text)
	again, err := setup.Load(path, env("HOME", "/home/sample"))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	check(again)
}

// TestGate: quiet hours and the limits of attention are in the gate's rules, and
// an empty list of classes is none.
func TestGate(t *testing.T) {
	config, err := load(t, `
quiet_hours: {from: "22:00", to: "22:00"}
budget: {notifications_per_day: 0, escalations_per_hour: 7}
escalation: {critical: [], digest: {daily: "", weekly: "sun 18:00"}}
`)
	if err != nil {
		t.Fatal(err)
	}
	rules := config.Gate()
	if rules.Quiet.From != "22:00" || rules.Quiet.To != "22:00" || rules.NotificationsPerDay != 0 || rules.EscalationsPerHour != 7 || rules.NoticesPerDay != 3 {
		t.Errorf("%+v", rules)
	}
	if len(rules.Critical) != 0 || rules.Digest.Daily != "" || rules.Digest.Weekly != "sun 18:00" || rules.PushFrom == 0 {
		t.Errorf("%+v", rules)
	}
	if standard := setup.Default().Gate(); standard.Validate() != nil || len(standard.Critical) == 0 {
		t.Errorf("the default cannot be used: %+v", standard)
	}
}
