package initial

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// phoneServer is a stand-in for an ntfy server.
func phoneServer(t *testing.T, options ntfytest.Options) *ntfytest.Server {
	t.Helper()
	s := ntfytest.New(options)
	t.Cleanup(s.Close)
	return s
}

// write makes a file of the person's.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// run goes the whole way and loads what was written.
func run(t *testing.T, o Options, p *person) (Outcome, *setup.Config) {
	t.Helper()
	outcome, err := Run(t.Context(), o, p)
	if err != nil {
		t.Fatalf("%v\n%s", err, &p.said)
	}
	config, err := setup.Load(o.File, o.Env)
	if err != nil {
		t.Fatalf("%v\n%s", err, read(t, o.File))
	}
	return outcome, config
}

// TestWholeWay goes the way of a new user by hand: what is found is proposed,
// the topic is made, the message arrives, and all of it is in the configuration.
func TestWholeWay(t *testing.T) {
	o := here(t)
	home, _ := o.Env("HOME")
	write(t, home+"/Notes/a.md", "- [ ] call\n")
	write(t, home+"/home.ics", "\ufeffBEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
	write(t, home+"/letter.ics", "Dear all\n")
	write(t, home+"/2026/x.txt", "x")
	phone := phoneServer(t, ntfytest.Options{})
	o.Offline, o.Preset = false, models.PresetReflex
	p := &person{answers: []string{"another", "", "", none, "own server", "yes", "again", "yes", "other hours"},
		texts: []string{home + "/none", "~/2026", "no address", strings.TrimPrefix(phone.URL(), "http://"), "noon", "22-6:30"}}
	outcome, config := run(t, o, p)
	if len(config.Senses.Notes) != 1 || config.Senses.Notes[0].Path != home+"/Notes" || len(config.Senses.Calendar) != 1 || config.Senses.Calendar[0].Trust != subconscious.Owner ||
		len(config.Senses.Files) != 1 || config.Senses.Files[0].ID != "2026" || len(outcome.Watched) != 3 {
		t.Errorf("it watches %+v", config.Senses)
	}
	if len(config.Notify) != 1 || config.Notify[0].Content != notify.ContentFull || !outcome.Pushed || outcome.Channel != "phone" {
		t.Fatalf("channels are %+v, %+v", config.Notify, outcome)
	}
	topic := config.Notify[0].Ntfy.Topic
	if len(topic) != len("subconscious-")+26 || len(phone.Messages(topic)) != 2 {
		t.Errorf("%d messages came to %s", len(phone.Messages(topic)), topic)
	}
	if config.QuietHours.From != "22:00" || config.QuietHours.To != "06:30" {
		t.Errorf("quiet hours are %+v", config.QuietHours)
	}
	for _, want := range []string{"there is no such folder", "✗ url: ", "are no hours", "taken as " + phone.URL(), "ntfy://" + strings.TrimPrefix(phone.URL(), "http://") + "/" + topic} {
		if !strings.Contains(p.said.String(), want) {
			t.Errorf("%q was not said:\n%s", want, &p.said)
		}
	}
}

// TestTypedToken: a server that asks for signing in gets a token, which is kept
// in a file of its own.
func TestTypedToken(t *testing.T) {
	const token = "tk_0f1e2d3c4b5a69788796a5b4c3d2e"
	phone := phoneServer(t, ntfytest.Options{Accounts: []ntfytest.Account{{Token: token}}})
	o := here(t)
	o.Offline, o.Ntfy.URL, o.Ntfy.Topic = false, strings.TrimPrefix(phone.URL(), "http://"), "mine"
	p := &person{secret: token}
	outcome, config := run(t, o, p)
	kept := filepath.Join(filepath.Dir(o.File), "keys", "ntfy-phone")
	if config.Notify[0].Ntfy.Token.File != kept || read(t, kept) != token+"\n" || !outcome.Pushed {
		t.Errorf("%+v, %+v\n%s", config.Notify[0].Ntfy, outcome, &p.said)
	}
	if strings.Contains(read(t, o.File)+p.said.String(), token) {
		t.Error("the token is in the configuration, or was said")
	}
}

// TestDeadServer: a server that does not answer is told of; the channel is kept,
// or left out where the person says so.
func TestDeadServer(t *testing.T) {
	phone := ntfytest.New(ntfytest.Options{})
	phone.Close()
	for answer, channels := range map[string]int{"go on": 1, "without": 0} {
		o := here(t)
		o.Offline, o.Preset, o.Ntfy.URL, o.Ntfy.Topic, o.Notes = false, models.PresetReflex, phone.URL(), "mine", nil
		p := &person{answers: []string{"", "", "", none, "yes", answer}}
		outcome, config := run(t, o, p)
		if len(config.Notify) != channels || outcome.Pushed || len(outcome.Failed) != 1 || !strings.Contains(p.said.String(), "does not answer") {
			t.Errorf("%s: %+v, %+v\n%s", answer, config.Notify, outcome, &p.said)
		}
	}
}

// TestFoundNtfy takes what the environment names, in the forms that people use.
func TestFoundNtfy(t *testing.T) {
	for name, pairs := range map[string][]string{
		"both":        {"NTFY_URL", "http://127.0.0.1:8", "NTFY_TOPIC", "mine", "NTFY_TOKEN", "tk_x"},
		"in one":      {"NTFY_TOPIC", "http://127.0.0.1:8/mine", "NTFY_TOKEN", "tk_x"},
		"in the url":  {"NTFY_URL", "http://127.0.0.1:8/mine/", "NTFY_TOKEN", "tk_x"},
		"other names": {"NTFY_SERVER", "http://127.0.0.1:8", "NTFY_TOPIC", "mine", "NTFY_TOKEN", "tk_x"},
	} {
		o := here(t, pairs...)
		o.Agree = true
		_, config := run(t, o, &person{})
		if len(config.Notify) != 1 {
			t.Errorf("%s: no channel", name)
			continue
		}
		if c := config.Notify[0].Ntfy; c.URL != "http://127.0.0.1:8" || c.Topic != "mine" || c.Token.Env != "NTFY_TOKEN" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestDesktop: the desktop is proposed where there is one, and taken by flag.
func TestDesktop(t *testing.T) {
	for _, o := range []Options{here(t, "DISPLAY", ":0", "DBUS_SESSION_BUS_ADDRESS", "unix:path=/none"), here(t)} {
		o.Agree = true
		_, session := o.Env("DISPLAY")
		o.Desktop = !session
		outcome, config := run(t, o, &person{})
		if len(config.Notify) != 1 || config.Notify[0].Desktop == nil || outcome.Channel != "desktop" {
			t.Errorf("%+v, %+v", config.Notify, outcome)
		}
	}
}

// TestAgain: a second run adds what is missing, and a third has nothing to do.
func TestAgain(t *testing.T) {
	o := here(t)
	o.Agree = true
	run(t, o, &person{})
	home, _ := o.Env("HOME")
	write(t, home+"/mine/a.md", "x")
	write(t, home+"/cal.ics", "BEGIN:VCALENDAR\n")
	first := read(t, o.File)
	o.Notes, o.Ntfy.URL, o.Preset = []string{home + "/mine"}, "https://ntfy.example.com", models.PresetFree
	outcome, config := run(t, o, &person{})
	if len(config.Senses.Notes) != 1 || len(config.Senses.Calendar) != 1 || len(config.Notify) != 1 || config.Models.Preset != models.PresetFree || outcome.Change != "" {
		t.Errorf("%+v\n%s", outcome, read(t, o.File))
	}
	if config.Notify[0].Content != notify.ContentTitle {
		t.Errorf("a foreign server gets %s", config.Notify[0].Content)
	}
	for line := range strings.Lines(first) {
		if !strings.Contains(read(t, o.File), line) && !strings.Contains(line, "preset:") {
			t.Errorf("the line %q is gone", line)
		}
	}
	o.Notes, o.Ntfy.URL, o.Preset = nil, "", ""
	again, _ := run(t, o, &person{})
	if again.Written || again.Change != "" {
		t.Errorf("a third run wrote: %+v\n%s", again, read(t, o.File))
	}
}
