package mind_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// migrated opens a database of an earlier version, in which that was stored.
func migrated(t *testing.T, version int, stored ...string) (*mind.Store, *store.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mind.db")
	old, err := store.Open(t.Context(), store.Options{Path: path}, mind.Migrations()[:version]...)
	if err != nil {
		t.Fatal(err)
	}
	err = old.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), strings.Join(stored, ";"))
		return err
	})
	if err := errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	return newStore(t, path)
}

// A database of version 2 is taken over with all that is in it, and what came
// with version 3 works on it.
func TestMigrateFromVersion2(t *testing.T) {
	had := subconscious.Incident{Key: "health:disk", Links: []string{"health:disk", "/var"}, Changes: 3, LastSeen: noon}
	minds, db := migrated(t, 2,
		`INSERT INTO mind_incidents (key, last_seen, body) VALUES ('health:disk', 1773489600000000000,
				'{"key":"health:disk","links":["health:disk","/var"],"changes":3,"opened":"0001-01-01T00:00:00Z","last_seen":"2026-03-14T12:00:00Z"}')`,
		`INSERT INTO mind_incident_links VALUES ('health:disk', 'health:disk'), ('/var', 'health:disk')`,
		`INSERT INTO mind_notices VALUES ('sense_blind', 'home', 1773489600000000000, 0, 'home is blind', 'look')`,
		`INSERT INTO mind_inputs (at, body) VALUES (1773489600000000000, '{"id":0,"at":"2026-03-14T12:00:00Z","kind":"note","text":"x","by":"person"}')`,
		`INSERT INTO mind_told VALUES ('health:disk', 1773489600000000000)`,
		`INSERT INTO mind_meta VALUES ('started', 'then')`)
	found, err := minds.Incidents(t.Context(), nil, []string{"/var"})
	if err != nil || len(found) != 1 || found[0].Changes != had.Changes || found[0].Telling != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	if live, err := minds.LiveIncidents(t.Context(), 10); err != nil || len(live) != 0 {
		t.Errorf("live: %+v, %v", live, err)
	}
	if page, _, err := minds.Inbox(t.Context(), mind.InboxQuery{All: true, Limit: 10}); err != nil || len(page) != 0 {
		t.Errorf("the inbox: %+v, %v", page, err)
	}
	if untold, err := minds.UntoldNotices(t.Context()); err != nil || len(untold) != 1 || untold[0].Key != "home" {
		t.Errorf("untold: %+v, %v", untold, err)
	}
	if pending, err := minds.Pending(t.Context()); err != nil || len(pending) != 1 || pending[0].Text != "x" {
		t.Errorf("pending: %+v, %v", pending, err)
	}
	if value, ok, err := minds.Meta(t.Context(), "started"); value != "then" || !ok || err != nil {
		t.Errorf("meta: %q %v %v", value, ok, err)
	}

	c := next(load(t, minds))
	had = found[0]
	had.Telling = waiting("i-disk-1", noon)
	c.Incidents = []subconscious.Incident{had}
	c.Decisions = []mind.Decision{decided("i-disk-1", noon, mind.VerdictTell, "escalate")}
	c.Pushes = []mind.Push{{At: noon, Kind: "incident"}}
	c.ToldNotices = []mind.NoticeKey{{Code: "sense_blind", Key: "home"}}
	commit(t, db, minds, c)
	if incident, ok, err := minds.IncidentByID(t.Context(), "i-disk-1"); !ok || err != nil || !cmp.Equal(incident, had) {
		t.Errorf("%+v %v %v", incident, ok, err)
	}
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// A database of version 3 keeps its pushes, which nobody can take back.
func TestMigrateFromVersion3(t *testing.T) {
	minds, db := migrated(t, 3, fmt.Sprintf("INSERT INTO mind_pushes (at, zone, kind) VALUES (%d, 0, 'incident')", noon.UnixNano()))
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		done, err := minds.RefundPush(t.Context(), tx, 0, "")
		if done {
			t.Error("a push without a key was taken back")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	c := next(load(t, minds))
	c.Pushes = []mind.Push{{At: noon.Add(time.Minute), Kind: "incident", Key: mind.PushKey(1, "i-disk-1")}}
	commit(t, db, minds, c)
	pushes, err := minds.Pushes(t.Context(), noon)
	if diff := cmp.Diff([]mind.Push{{At: noon, Kind: "incident"}, c.Pushes[0]}, pushes); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// waiting is the telling of an incident that waits since then.
func waiting(id subconscious.IncidentID, since time.Time) *subconscious.Telling {
	return &subconscious.Telling{ID: id, State: subconscious.TellingOpen, Since: since, Waits: true, Held: "quiet_hours",
		Asked: subconscious.Asked{At: since, Summary: "The disk fills", Importance: 8, Evidence: []subconscious.Citation{{Ref: "health:abcdefghij", Seq: 4}}}}
}

func decided(id subconscious.IncidentID, at time.Time, verdict, reason string) mind.Decision {
	return mind.Decision{Tick: 1, At: at, Incident: subconscious.IncidentKey("key of " + id), ID: id, Entry: "w-disk-1", Thread: subconscious.Watcher,
		Verdict: verdict, Reason: reason, JSON: []byte(`{"detail":"so"}`)}
}
