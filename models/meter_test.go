package models_test

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// TestMeterOf debits a role from a meter of its own, fallbacks included, and the
// others from that of all.
func TestMeterOf(t *testing.T) {
	broken := scripted(t, modeltest.Options{Troubles: []modeltest.Trouble{modeltest.Always(modeltest.ServerError)}})
	sound := scripted(t, modeltest.Options{Script: modeltest.Chatter("hello")})
	all, own := &books{}, &books{}
	r, err := models.OpenRoster(models.RosterOptions{Protocols: protocols,
		Config: models.Config{Timeout: 5 * time.Second,
			Providers: []models.Provider{provider("broken", models.OpenAI, broken), provider("sound", models.OpenAI, sound)},
			Roles: []models.Role{{ID: models.RoleDeliberation, Provider: "broken", Model: "m-1", Fallbacks: []string{"sound/m-2"}},
				{ID: models.RoleChat, Provider: "sound", Model: "m-2"}}},
		Meter: all, Wait: func() time.Duration { return 0 }, Env: func(name string) (string, bool) { value, ok := keyed[name]; return value, ok },
		MeterOf: func(role string) models.Meter {
			if role == models.RoleDeliberation {
				return own
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, role := range []string{models.RoleDeliberation, models.RoleChat} {
		a, ok := r.Role(role)
		if !ok {
			t.Fatalf("%s has no model", role)
		}
		if _, err := a.Generator.Generate(t.Context(), question(a)); err != nil {
			t.Fatal(err)
		}
	}
	if len(own.charges) != 3 || // what is broken is asked twice
		len(all.charges) != 1 || all.charges[0].Role != models.RoleChat {
		t.Errorf("its own meter debited %+v, that of all %+v", own.charges, all.charges)
	}
}
