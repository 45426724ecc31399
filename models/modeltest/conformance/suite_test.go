package conformance

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
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

// judge runs one rule, or one fault if there is no rule of that name, and
// returns what it has to say.
func judge(name string, s Suite, streamed bool) []string {
	return testutil.Told(func(t testing.TB) {
		for _, rule := range rules() {
			if rule.name == name {
				rule.check(t, s)
				return
			}
		}
		about, ok := modeltest.AboutFault(modeltest.Fault(name))
		if !ok {
			panic("there is neither a rule nor a fault " + name)
		}
		faultIsReported(t, s, about, streamed)
	})
}

// TestRelayIsSound: what stands before the server for some flaws is no flaw by itself.
func TestRelayIsSound(t *testing.T) {
	for _, protocol := range []string{modeltest.OpenAI, modeltest.Anthropic} {
		for _, rule := range []string{"401", "500", "redirect"} {
			if said := judge(rule, suite(protocol, relayed, nil), false); len(said) > 0 {
				t.Errorf("%s, %s: %q", protocol, rule, said)
			}
		}
	}
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
