package view

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestAttention: a digest takes of the day and not of the hour, which has room again
// an hour after the first of its messages.
func TestAttention(t *testing.T) {
	db, err := store.Open(t.Context(), store.Options{Path: store.Memory}, mind.Migrations()...)
	testutil.Opened(t, db, err)
	kept, noon := mind.New(db), time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	state, err := kept.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	state.TickCount, state.LastTick = 1, noon
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		return kept.Commit(t.Context(), tx, mind.Commit{
			State: state, Published: []byte(`{}`), Record: mind.Record{Tick: 1, At: noon, Kind: subconscious.Scheduled, Inputs: []byte(`{}`), Report: []byte(`{}`)},
			Pushes: []mind.Push{
				{At: noon.Add(-2 * time.Hour), Kind: mind.PushIncident}, {At: noon.Add(-50 * time.Minute), Kind: mind.PushDigest},
				{At: noon.Add(-40 * time.Minute), Kind: mind.PushUrgent}, {At: noon, Kind: mind.PushIncident},
			},
		})
	}); err != nil {
		t.Fatal(err)
	}
	want := escalate.Spent{Today: 4, LastHour: 2, UrgentToday: 1, UrgentLastHour: 1, Opens: noon.Add(20 * time.Minute)}
	got, err := Attention(t.Context(), kept, noon)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
}

func TestAnswer(t *testing.T) {
	full := &store.Error{Code: store.CodeDiskFull, Text: "there is no space left", Next: "Free some space", Err: io.ErrShortWrite}
	for _, test := range []struct {
		name string
		err  error
		want api.Problem
	}{
		{"a full disk", fmt.Errorf("commit tick 2: %w", full),
			api.Problem{Code: api.CodeUnavailable, Detail: "there is no space left", Next: "free some space"}},
		{"a command that cannot be taken", &store.Error{Code: store.CodeInput, Text: "too long", Next: "Shorten it"},
			api.Problem{Code: api.CodeBadRequest, Detail: "too long", Next: "shorten it"}},
		{"without a next step", &store.Error{Code: store.CodeBusy, Text: "held"},
			api.Problem{Code: api.CodeUnavailable, Detail: "held", Next: "look at `subconsciousctl status`, then repeat"}},
		{"said already", api.Errorf(api.CodePaused, "resume", "paused: %w", full),
			api.Problem{Code: api.CodePaused, Detail: "paused: " + full.Error(), Next: "resume"}},
		{"a fault", io.ErrUnexpectedEOF,
			api.Problem{Code: api.CodeInternal, Detail: "the daemon failed to answer", Next: "read its log for the reason"}},
	} {
		got := Answer(test.err)
		if !errors.Is(got, test.err) && !errors.Is(test.err, got) {
			t.Errorf("%s: the cause is lost", test.name)
		}
		if p := api.ProblemOf(got); p.Code != test.want.Code || p.Detail != test.want.Detail || p.Next != test.want.Next {
			t.Errorf("%s: %s, %q, %q", test.name, p.Code, p.Detail, p.Next)
		}
	}
	if Answer(nil) != nil {
		t.Error("no error became one")
	}
}
