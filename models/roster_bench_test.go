package models_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// BenchmarkAsk asks a model that answers at once over loopback: what all
// decorators, the driver, the transport and the server take, for a prompt of
// 8 KiB.
func BenchmarkAsk(b *testing.B) {
	for _, kind := range []string{models.OpenAI, models.Anthropic} {
		b.Run(kind, func(b *testing.B) {
			server := modeltest.NewServer(modeltest.Options{Script: modeltest.Chatter("hello"), Key: modeltest.Key, Keep: 1})
			defer server.Close()
			r, err := models.OpenRoster(models.RosterOptions{Protocols: protocols,
				Config: models.Config{Timeout: 5 * time.Second, Providers: []models.Provider{provider("lab", kind, server)},
					Roles: []models.Role{{ID: models.RoleWatcher, Provider: "lab", Model: "m-1"}}},
				Env: func(string) (string, bool) { return modeltest.Key, true },
			})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			a, _ := r.Role(models.RoleWatcher)
			request := a.Request
			request.Messages = []models.Message{{Role: models.User, Text: strings.Repeat("What is new: the backup failed again. ", 220)}}
			for b.Loop() {
				if _, err := a.Generator.Generate(context.Background(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
