package conformance

import (
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// Suite is what a driver's test hands over.
type Suite struct {
	// New makes a driver for the model Model with the key Key, for a provider
	// at baseURL. It registers what it has to clean up.
	New func(t testing.TB, baseURL string) models.Driver
	// Protocol is what the driver speaks: OpenAI or Anthropic.
	Protocol string
}

// Run runs all rules of the suite, each as a test of its own.
func Run(t *testing.T, s Suite) {
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) { r.check(t, s) })
	}
	for _, about := range modeltest.Faults() {
		t.Run("fault "+string(about.Fault), func(t *testing.T) {
			t.Run("plain", func(t *testing.T) { faultIsReported(t, s, about, false) })
			t.Run("streamed", func(t *testing.T) { faultIsReported(t, s, about, true) })
		})
	}
}
