package daemon_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// labPrice is what the scripted model costs.
var labPrice = models.Price{Provider: "lab", Model: modeltest.Model, Input: 1, Output: 4, Cached: 0.1, Written: 1.25}

// labKey is where its key is.
const labKey = "LAB_KEY"

// margin is for all of a tick that is not the threads, on a machine that has other
// things to do.
const margin = 5 * time.Second

// hurry bounds the wait for answers of which some never come, or come after 7 s.
// Where all do, tests have patience: a busy machine may take seconds for one.
func hurry(config *setup.Config) {
	config.Models.Timeout, config.Threads.Deadline = 2*time.Second, 6*time.Second
}

// modelsOf is the configuration under which all threads think with the scripted
// model of a server.
func modelsOf(protocol, baseURL string) models.Config {
	config := models.DefaultConfig()
	config.Providers = []models.Provider{{ID: "lab", Kind: protocol, BaseURL: baseURL, Key: secret.Ref{Env: labKey}}}
	for _, name := range subconscious.Threads() {
		config.Roles = append(config.Roles, models.Role{ID: string(name), Provider: "lab", Model: modeltest.Model})
	}
	config.Prices, config.Timeout = []models.Price{labPrice}, patience
	return config
}

// labEnv is an environment that has the key and nothing else.
func labEnv(name string) (string, bool) { return modeltest.Key, name == labKey }

// thinking has all threads of a world think with the scripted model.
func (w *world) thinking(protocol string, server *modeltest.Server) *world {
	w.options.Config.Models = modelsOf(protocol, server.BaseURL(protocol))
	w.options.Config.Threads.Deadline, w.options.Config.Threads.Gate = patience, threads.Changed // adaptive threads let it gather
	w.options.Config.Budget.MoneyPerDay = 20
	w.options.Env = labEnv
	return w
}

// lab starts a scripted server, which ends with the test.
func lab(t testing.TB, options modeltest.Options) *modeltest.Server {
	t.Helper()
	options.Key = modeltest.Key
	server := modeltest.NewServer(options)
	t.Cleanup(server.Close)
	return server
}

// news gives every thread something new: a file, and a promise with a date.
func (w *world) news(n int) {
	w.t.Helper()
	testutil.Write(w.t, filepath.Join(w.files, fmt.Sprintf("paper-%d.md", n)), strings.Repeat("words ", n+1))
	testutil.Write(w.t, filepath.Join(w.notes, fmt.Sprintf("note-%d.md", n)), fmt.Sprintf("- [ ] send offer number %d by Friday\n", n))
}

// spent is what the budget counts, and charged what the server would have on
// its bill.
func (w *world) spent() budget.Overview {
	w.t.Helper()
	o, err := w.d.Spent(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

func bill(usage models.Usage) budget.Money { return models.Rate{Price: labPrice}.Cost(usage) }

func (w *world) calls() []mind.ModelCall {
	w.t.Helper()
	calls, err := w.d.CallsOnRecord(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return calls
}

// model is the status of the role's model.
func (w *world) model(role subconscious.ThreadName) api.ModelStatus {
	w.t.Helper()
	for _, m := range w.status().Models {
		if m.Role == string(role) {
			return m
		}
	}
	w.t.Fatalf("no model is assigned to the %s", role)
	return api.ModelStatus{}
}

// modelNotices are those of models that cannot be had.
func (w *world) modelNotices() []api.Notice {
	w.t.Helper()
	var found []api.Notice
	for _, n := range w.status().Notices {
		if n.Code == "model_unavailable" {
			found = append(found, n)
		}
	}
	return found
}

// asked are the reports of the threads that were asked.
func asked(report api.TickReport) []api.ThreadReport {
	var all []api.ThreadReport
	for _, r := range report.Threads {
		if r.Mode != "skipped" {
			all = append(all, r)
		}
	}
	return all
}
