package conformance

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func suite(protocol string, f flaw, litter <-chan struct{}) Suite {
	return Suite{Protocol: protocol, New: func(t testing.TB, url string) models.Driver {
		d := newFlawed(t, url, protocol, f)
		d.litter = litter
		return d
	}}
}

func TestSoundDrivers(t *testing.T) {
	for _, protocol := range []string{modeltest.OpenAI, modeltest.Anthropic} {
		t.Run(protocol, func(t *testing.T) { Run(t, suite(protocol, sound, nil)) })
	}
}

// recorder is a testing.TB that keeps what it is told.
type recorder struct {
	testing.TB // for what no rule calls
	mu         sync.Mutex
	said       []string
	cleanups   []func()
}

func (r *recorder) record(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, text)
}

func (r *recorder) Helper()                           {}
func (r *recorder) Errorf(format string, args ...any) { r.record(fmt.Sprintf(format, args...)) }
func (r *recorder) Error(args ...any)                 { r.record(fmt.Sprint(args...)) }
func (r *recorder) Cleanup(f func())                  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(ended{}) }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); panic(ended{}) }

// ended is panicked by what would end a test.
type ended struct{}

// judge runs one rule, or one fault if there is no rule of that name, and
// returns what it has to say.
func judge(name string, s Suite, streamed bool) []string {
	r := &recorder{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != (ended{}) {
				panic(p)
			}
		}()
		defer func() {
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		for _, rule := range rules() {
			if rule.name == name {
				rule.check(r, s)
				return
			}
		}
		about, ok := modeltest.AboutFault(modeltest.Fault(name))
		if !ok {
			panic("there is neither a rule nor a fault " + name)
		}
		faultIsReported(r, s, about, streamed)
	}()
	return r.said
}

// TestFaultyDrivers shows for each rule that it can fail.
func TestFaultyDrivers(t *testing.T) {
	cases := []struct {
		flaw     flaw
		rule     string
		protocol string // empty: both
		streamed bool
	}{
		{flaw: nameless, rule: "identity"},
		{flaw: vain, rule: "wrong-model"},
		{flaw: litters, rule: "plain"},
		{flaw: stateful, rule: "at once"},
		{flaw: alwaysLive, rule: "streamed is the same"},
		{flaw: mumbles, rule: "streamed is the same"},
		{flaw: unpacking, rule: "streamed is the same"},
		{flaw: lukewarm, rule: "request arrives"},
		{flaw: shapeless, rule: "schema is sent"},
		{flaw: muddles, rule: "several tools"},
		{flaw: thoughtless, rule: "tools", protocol: modeltest.Anthropic},
		{flaw: forgetsUsage, rule: "usage"},
		{flaw: spendthrift, rule: "limit of tokens", protocol: modeltest.OpenAI},
		{flaw: blunt, rule: "limit of tokens"},
		{flaw: blunt, rule: "truncated", streamed: true},
		{flaw: printsKey, rule: "keeps the key"},
		{flaw: stubborn, rule: "cancelled before"},
		{flaw: stubborn, rule: "cancelled in the middle"},
		{flaw: stubborn, rule: "hang"},
		{flaw: raves, rule: "no word after the end"},
		{flaw: leaksKey, rule: "401"},
		{flaw: wordy, rule: "500"},
		{flaw: retries, rule: "503"},
		{flaw: impatient, rule: "429-header"},
		{flaw: impatient, rule: "429-gemini"},
		{flaw: believes, rule: "cut-clean", streamed: true},
		{flaw: gulps, rule: "huge"},
		{flaw: gulps, rule: "long-line", streamed: true},
		{flaw: gulps, rule: "gzip-bomb", protocol: modeltest.OpenAI},
		{flaw: strays, rule: "redirect"},
		{flaw: inventsUsage, rule: "no-usage"},
		{flaw: accepting, rule: "html"},
		{flaw: accepting, rule: "not-json"},
		{flaw: hopeful, rule: "cut"},
		{flaw: hopeful, rule: "hang-before"},
	}
	for _, c := range cases {
		protocols := []string{modeltest.OpenAI, modeltest.Anthropic}
		if c.protocol != "" {
			protocols = []string{c.protocol}
		}
		for _, protocol := range protocols {
			t.Run(fmt.Sprintf("%s/%s/%s", c.flaw, c.rule, protocol), func(t *testing.T) {
				litter := make(chan struct{})
				defer close(litter)
				if said := judge(c.rule, suite(protocol, c.flaw, litter), c.streamed); len(said) == 0 {
					t.Errorf("a driver that is %s passes the rule %q", c.flaw, c.rule)
				}
			})
		}
	}
}
