package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
	"github.com/subconsciousd/subconsciousd/senses/source"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// opened is a door with the sources, and the token of the first.
func opened(t testing.TB, now func() time.Time, sources ...source.Config) (*source.Door, string) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: store.Memory}, source.Migrations()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	door := &source.Door{DB: db, Sources: sources, Now: now}
	token, err := door.SetToken(t.Context(), sources[0].ID, false)
	if err != nil {
		t.Fatal(err)
	}
	return door, token
}

// TestPostConforms: what happens, and what stands until it is said to be gone.
func TestPostConforms(t *testing.T) {
	for name, standing := range map[string]bool{"standing": true, "momentary": false} {
		t.Run(name, func(t *testing.T) {
			c, now, n := checks("doorbell"), clock(), 0
			c.PerHour = 3600
			if standing {
				c.Kinds[0].Stands = 300 * 24 * time.Hour
			}
			door, token := opened(t, now, c)
			say := func(more string) func(testing.TB, int) {
				return func(t testing.TB, thing int) {
					n++
					report := fmt.Sprintf(`{"id":"%d","kind":"failed","title":"%d failed","state":"%d"%s}`, thing, thing, n, more)
					if err := door.Take(t.Context(), "doorbell", token, []byte(report)); err != nil {
						t.Fatal(err)
					}
				}
			}
			remove := say("")
			if standing {
				remove = say(`,"gone":true`)
			}
			sensetest.Run(t, sensetest.Harness{
				Open: func(t testing.TB) senses.Sense {
					s, err := source.NewPost(c, door)
					if err != nil {
						t.Fatal(err)
					}
					return s
				},
				Add: say(""), Change: say(""), Remove: remove, Momentary: !standing, Now: now, Collects: 100,
			})
		})
	}
}

// TestToken: a token opens its own source and no other, and none once it is
// replaced or revoked; its hash alone is stored.
func TestToken(t *testing.T) {
	now := clock()
	door, token := opened(t, now, checks("doorbell"), checks("parcels"))
	ring := []byte(`{"kind":"failed","title":"It rang"}`)
	take := func(id, token string) error { return door.Take(t.Context(), id, token, ring) }
	if err := take("doorbell", token); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"parcels", token}, {"doorbell", ""}, {"doorbell", token + "A"}, {"nowhere", token}, {"", token}, {"parcels", ""}} {
		if err := take(c[0], c[1]); !errors.Is(err, source.ErrToken) {
			t.Errorf("%q: %v", c, err)
		}
	}
	hash, _, err := store.One(t.Context(), door.DB, store.Value[[]byte], "SELECT hash FROM source_tokens")
	if err != nil || len(hash) != 32 || strings.Contains(string(hash), token) {
		t.Errorf("%q is stored, %v", hash, err)
	}
	next, err := door.SetToken(t.Context(), "doorbell", false)
	if err != nil || next == token || !errors.Is(take("doorbell", token), source.ErrToken) || take("doorbell", next) != nil {
		t.Errorf("the token was not replaced: %v", err)
	}
	if _, err := door.SetToken(t.Context(), "doorbell", true); err != nil || !errors.Is(take("doorbell", next), source.ErrToken) {
		t.Errorf("the token was not revoked: %v", err)
	}
	if _, err := door.SetToken(t.Context(), "nowhere", false); !errors.Is(err, source.ErrUnknown) {
		t.Error(err)
	}
}

// TestPostIsBounded: so much an hour, and secrets are not even stored.
func TestPostIsBounded(t *testing.T) {
	at := time.Now()
	c := checks("doorbell")
	c.PerHour = 3
	door, token := opened(t, func() time.Time { return at }, c)
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	for n := range 4 {
		err := door.Take(t.Context(), "doorbell", token, []byte(`{"kind":"failed","title":"It says `+secret+`"}`))
		if errors.Is(err, source.ErrLimit) != (n == 3) || n < 3 && err != nil {
			t.Errorf("report %d: %v", n, err)
		}
	}
	bodies, err := store.All(t.Context(), door.DB, store.Value[string], "SELECT body FROM source_reports")
	if err != nil || len(bodies) != 3 || strings.Contains(strings.Join(bodies, ""), secret) {
		t.Errorf("%q, %v", bodies, err)
	}
	s, err := source.NewPost(c, door)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Collect(t.Context(), at, nil)
	if err != nil || len(first.Changes) != 3 || first.Changes[0].ID == first.Changes[1].ID || first.Changes[0].Change != subconscious.Momentary {
		t.Fatalf("%+v, %v", first, err)
	}
	at = at.Add(61 * time.Minute)
	if err := door.Take(t.Context(), "doorbell", token, []byte(`{"kind":"failed","title":"It rang"}`)); err != nil {
		t.Error(err)
	}
	second, err := s.Collect(t.Context(), at, first.Cursor)
	left, _, counted := store.One(t.Context(), door.DB, store.Value[int], "SELECT count(*) FROM source_reports")
	if err != nil || len(second.Changes) != 1 || left != 1 || counted != nil {
		t.Errorf("%+v, %v; %d are kept", second, err, left)
	}
}
