package doctor_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// TestSources holds what can be wrong with a source of the person's own against
// what is said of it.
func TestSources(t *testing.T) {
	const exec = "senses: {exec: [{id: server, command: [%], kinds: [{id: failed}]}]}"
	for name, c := range map[string]struct {
		config, about string
		health        senses.Health
		state         doctor.State
		detail, next  string
	}{
		"well":    {strings.Replace(exec, "%", "cat", 1), "server exec", senses.Health{State: "ok"}, doctor.OK, "is there", ""},
		"missing": {strings.Replace(exec, "%", "/nowhere/checks", 1), "server exec", senses.Health{State: "ok"}, doctor.Broken, "/nowhere/checks is not there", "install it"},
		"fails": {strings.Replace(exec, "%", "cat", 1), "server exec", senses.Health{State: "blind", Error: "exec server: cat ended with exit code 1; run it by hand in /"},
			doctor.Degraded, "exit code 1", "run it by hand in /"},
		"feed":     {"senses: {feeds: [{id: news, url: \"https://example.com/x\"}]}", "news feeds", senses.Health{State: "blind", Error: "feeds news: it answers 404; correct url"}, doctor.Degraded, "404", "correct url"},
		"no token": {"senses: {post: [{id: bell, kinds: [{id: ring}]}]}", "bell post", senses.Health{State: "ok", Error: "it has no token; make one: x"}, doctor.Note, "no token", "make one: x"},
		"a token":  {"senses: {post: [{id: bell, kinds: [{id: ring}]}]}", "bell post", senses.Health{State: "ok"}, doctor.OK, "may hand in", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t, c.config)
			kind := strings.Fields(c.about)[1]
			c.health.ID, c.health.Kind = strings.Fields(c.about)[0], kind
			p.options.Daemon = fakeDaemon{status: api.Status{Version: "v1", Senses: []api.SenseStatus{c.health}}, asked: new([]string)}
			if got := find(t, p.examine(t), c.about); got.State != c.state || !strings.Contains(got.Detail, c.detail) || !strings.HasPrefix(got.Next, c.next) {
				t.Errorf("%+v, want %s, %q, %q", got, c.state, c.detail, c.next)
			}
		})
	}
}
