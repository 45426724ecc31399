package initial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/openai"
)

// probeWithin is how long a server on this machine may take to answer.
const probeWithin = 700 * time.Millisecond

// finds are what is there already.
type finds struct {
	// variables are those that hold a key, by vendor.
	variables map[string]string
	servers   []server
	// What the person has here, in customary places, and whether there is a
	// desktop.
	notes, files, calendars []spot
	desktop                 bool
	// What the environment says of an ntfy server; ntfyToken is a variable.
	ntfyURL, ntfyTopic, ntfyToken string
}

// server is one that answers on this machine.
type server struct {
	vendor models.Vendor
	models []string
}

// localVendors are the servers that run on one's own machine.
func localVendors() []models.Vendor {
	return slices.DeleteFunc(models.Vendors(), func(v models.Vendor) bool { return !v.Local })
}

// findModels finds keys in the environment, whose values are not looked at, and
// servers on this machine.
func findModels(ctx context.Context, s *session) error {
	s.found.variables = map[string]string{}
	var names []string
	for _, v := range models.Vendors() {
		for _, name := range v.KeyEnv {
			if value, ok := s.Env(name); ok && strings.TrimSpace(value) != "" {
				s.found.variables[v.Name] = name
				names = append(names, name)
				break
			}
		}
	}
	s.found.servers = probe(ctx, s.Servers)
	findPlaces(ctx, s)
	findNtfy(s)
	if len(names) > 0 {
		s.say("Keys in the environment: %s.", strings.Join(names, ", "))
	}
	for _, one := range s.found.servers {
		s.say("%s answers on this machine, with %s.", one.vendor.Title, few(one.models))
	}
	if len(names)+len(s.found.servers) == 0 {
		s.say("No key of a provider is in the environment, and no model's server answers on this machine.")
	}
	return nil
}

// few names the first of many.
func few(names []string) string {
	const most = 4
	switch {
	case len(names) == 0:
		return "no model in it"
	case len(names) <= most:
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// probe asks all servers at once which models they have. The order is that of
// the vendors.
func probe(ctx context.Context, vendors []models.Vendor) []server {
	ctx, done := context.WithTimeout(ctx, probeWithin)
	defer done()
	answers := make([]*server, len(vendors))
	var all sync.WaitGroup
	for i, v := range vendors {
		all.Go(func() {
			provider := models.Provider{ID: v.Name, Vendor: v.Name, Kind: models.OpenAI, BaseURL: v.BaseURL, Local: true}
			client := models.NewClient(models.TransportOptions{BaseURL: v.BaseURL})
			defer client.CloseIdleConnections()
			if names, err := openai.List(ctx, models.DriverOptions{Provider: provider, Client: client}); err == nil {
				answers[i] = &server{vendor: v, models: names}
			}
		})
	}
	all.Wait()
	var found []server
	for _, a := range answers {
		if a != nil {
			found = append(found, *a)
		}
	}
	return found
}
