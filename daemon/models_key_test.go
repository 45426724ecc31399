package daemon_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestMissingKey: without a key reflex thinks and everything says so; nothing is
// sent or counted; and once the key is there the models think, without a
// restart.
func TestMissingKey(t *testing.T) {
	server := lab(t, modeltest.Options{Script: modeltest.Thinker()})
	w := newWorld(t).thinking(modeltest.OpenAI, server)
	var has atomic.Bool
	w.options.Env = func(name string) (string, bool) {
		if !has.Load() {
			return "", false
		}
		return labEnv(name)
	}
	w.begin()
	for i := range 2 {
		w.news(i)
		for _, r := range asked(w.tick()) {
			if r.Mode != "reflex" || r.Usual != usualModel || r.Calls != 0 || len(r.Failures) == 0 ||
				!strings.Contains(r.Reason, "lab") || !strings.Contains(r.Reason, "key") || !strings.Contains(r.Reason, labKey) {
				t.Errorf("without a key: %+v", r)
			}
		}
	}
	if m := w.model(subconscious.Watcher); m.State != api.ModelUnavailable || m.Error == "" {
		t.Errorf("the model is shown as %+v", m)
	}
	if n := len(w.modelNotices()); n != 1 { // which names them all
		t.Errorf("%d notices", n)
	}
	if spent := w.spent().Today; server.Count() != 0 || spent.Calls != 0 || spent.Money != 0 {
		t.Errorf("%d requests, counted %+v", server.Count(), spent)
	}
	has.Store(true)
	w.clock.advance(time.Minute)
	w.news(3)
	for _, r := range asked(w.tick()) {
		if r.Mode != "model" || r.Usual != "" {
			t.Errorf("with the key: %+v", r)
		}
	}
	if m := w.model(subconscious.Watcher); m.State != api.ModelOK || m.Error != "" || len(w.modelNotices()) > 0 {
		t.Errorf("the model is shown as %+v, the notices are %+v", m, w.modelNotices())
	}
}
