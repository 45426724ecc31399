package conformance

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

const (
	// answerTime is how long a sound server may take, for slow machines.
	answerTime = 30 * time.Second
	// silence is how long the suite waits for a server that falls silent.
	silence = 150 * time.Millisecond
	// promptly is how soon a driver must come back once it is to stop. It is
	// wide, for machines that are busy.
	promptly = 5 * time.Second
	// maxErrorText bounds what a failure says, in bytes.
	maxErrorText = 1000
	// maxAnswer is how many bytes of one answer a driver reads at most.
	maxAnswer = 8 << 20
	// maxAllocated is what may be allocated for one answer in all, freed or not,
	// the server's share included: several times an answer of the largest size.
	maxAllocated = 256 << 20
	// inFlight is what a connection holds beyond what was read, on either side.
	inFlight = 24 << 20
)

// bench is one driver and its server. Its clean-up looks for goroutines that
// the driver left behind.
type bench struct {
	t      testing.TB
	server *modeltest.Server
	driver models.Driver
}

func newBench(t testing.TB, s Suite, options modeltest.Options) *bench {
	t.Helper()
	before := goleak.IgnoreCurrent()
	options.Key, options.Models = modeltest.Key, []string{modeltest.Model}
	b := &bench{t: t, server: modeltest.NewServer(options)}
	t.Cleanup(func() {
		b.server.Close()
		if err := goleak.Find(before); err != nil {
			t.Errorf("the driver left goroutines behind: %v", err)
		}
	})
	b.driver = s.New(t, b.server.BaseURL(s.Protocol))
	return b
}

// question is a request without anything special.
func question() models.Request {
	return models.Request{
		Purpose:  models.Purpose{Role: "watcher"},
		System:   "You answer in JSON.",
		Messages: []models.Message{{Role: models.User, Text: "What is new?\n[files:abcdefghij@42] Report.odt was saved"}},
		// Enough for the longest answer of the scripts.
		MaxTokens: 2000,
	}
}

// inBothForms checks an answer in one piece and one that is streamed.
func inBothForms(check func(streamed bool, request models.Request)) {
	request := question()
	check(false, request)
	request.OnText = func(string) {}
	check(true, request)
}

// heard collects what a stream tells.
type heard struct {
	mu     sync.Mutex
	text   strings.Builder
	deltas int
	over   bool
	late   bool
}

func (h *heard) listen(delta string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.WriteString(delta)
	h.deltas++
	h.late = h.late || h.over
}

// end says that nothing may be told any more.
func (h *heard) end() (text string, deltas int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	return h.text.String(), h.deltas
}

func (b *bench) ask(request models.Request) (models.Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	return b.driver.Generate(ctx, request)
}

// must asks and ends the test where there is no answer.
func (b *bench) must(request models.Request) models.Answer {
	b.t.Helper()
	answer, err := b.ask(request)
	if err != nil {
		b.t.Fatalf("Generate: %v", err)
	}
	return answer
}

// last is the request that the server received last.
func (b *bench) last() modeltest.Record {
	b.t.Helper()
	all := b.server.Requests()
	if len(all) == 0 {
		b.t.Fatal("nothing reached the server")
	}
	return all[len(all)-1]
}
