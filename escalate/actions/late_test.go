package actions_test

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// TestLateRequest: what was let through and not begun, since the daemon ended or
// the machine slept, is not begun much later, nor what is refused since. How a
// run went is told at any time.
func TestLateRequest(t *testing.T) {
	a, file := noting(t, "note")
	b := running(t, nil, a)
	late := request("late", "note", `{"text":"late"}`)
	late.At = b.clock.Now().Add(-16 * time.Minute)
	if _, err := b.Execute(t.Context(), late); actions.CodeOf(err) != actions.CodeExpired || len(lines(t, file)) > 0 {
		t.Errorf("%v; it wrote %q", err, lines(t, file))
	}
	refused := request("refused", "note", `{"text":"refused"}`)
	refused.Refused = "it needs your word now"
	if _, err := b.Execute(t.Context(), refused); actions.CodeOf(err) != actions.CodeChanged || len(lines(t, file)) > 0 {
		t.Errorf("%v; it wrote %q", err, lines(t, file))
	}
	soon := request("soon", "note", `{"text":"soon"}`)
	soon.At = b.clock.Now().Add(-time.Minute)
	first, err := b.Execute(t.Context(), soon)
	if err != nil || first.State != actions.RunSucceeded {
		t.Fatalf("%+v, %v", first, err)
	}
	b.clock.pass(time.Hour)
	soon.Refused = "it needs your word now"
	if again, err := b.Execute(t.Context(), soon); err != nil || again.ID != first.ID || len(lines(t, file)) != 1 {
		t.Errorf("%+v, %v; it wrote %q", again, err, lines(t, file))
	}
}
