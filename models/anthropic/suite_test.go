package anthropic_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/anthropic"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/models/modeltest/conformance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// options are those of a driver for a provider at an address.
func options(t testing.TB, baseURL string, change func(*models.Provider)) models.DriverOptions {
	t.Helper()
	provider := models.Provider{ID: "scripted", Vendor: "anthropic", Kind: models.Anthropic, BaseURL: baseURL, Schema: models.SchemaJSON}
	if change != nil {
		change(&provider)
	}
	client := models.NewClient(models.TransportOptions{BaseURL: baseURL})
	t.Cleanup(client.CloseIdleConnections)
	return models.DriverOptions{Provider: provider, Model: modeltest.Model, Key: secret.New(modeltest.Key), Client: client}
}

func driver(t testing.TB, o models.DriverOptions) models.Driver {
	t.Helper()
	return anthropic.New(o)
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Suite{Protocol: models.Anthropic, New: func(t testing.TB, baseURL string) models.Driver {
		return driver(t, options(t, baseURL, nil))
	}})
}
