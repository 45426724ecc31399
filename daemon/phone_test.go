package daemon_test

import (
	"context"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// reached is a mind that has sent the phone what it says of a full disk.
func reached(ctx context.Context, t *testing.T, server *ntfytest.Server) (*world, ntfytest.Message) {
	t.Helper()
	w := newWorld(t)
	w.options.Config.QuietHours.To = w.options.Config.QuietHours.From
	w.options.Config.Notify = []setup.Channel{{ID: "phone", Content: notify.ContentFull, Ntfy: &ntfy.Config{URL: server.URL(), Topic: "mind"}}}
	w.options.Now = nil // ntfy's clock is the real one
	w.begin()
	w.tickAs(subconscious.Scheduled)
	w.disk.set(97)
	w.tickAs(subconscious.Scheduled)
	messages, err := server.Await(ctx, "mind", 1)
	if err != nil {
		t.Fatal(err)
	}
	return w, messages[0]
}

// From a disk that is full to the phone, and from the button back to what was
// learnt: over real HTTP, and over a restart.
func TestPhone(t *testing.T) {
	server := ntfytest.New(ntfytest.Options{})
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	w, message := reached(ctx, t, server)
	if !strings.Contains(message.Title+message.Message, "/srv") || message.Priority != 5 || len(message.Actions) != 3 {
		t.Fatalf("the phone got %+v", message)
	}
	w.restart() // which listens to the same topic again
	if err := server.Press(ctx, message, "Done"); err != nil {
		t.Fatal(err)
	}
	w.until("the answer is there", func() bool {
		pending, err := w.d.Mind().Pending(context.Background())
		return err == nil && len(pending) == 1
	})
	if messages, err := server.Await(ctx, "mind", 2); err != nil || messages[1].Sequence != message.Sequence || messages[1].Priority != 1 ||
		messages[1].Title != "You answered “Done”" || messages[1].Message != message.Title || len(messages[1].Actions) > 0 {
		t.Errorf("the answer was confirmed as %+v, %v", messages, err)
	}
	w.tickAs(subconscious.Early)
	inbox := w.inbox()
	if len(inbox) != 1 || inbox[0].State != subconscious.TellingAcknowledged || inbox[0].Feedback != subconscious.Useful {
		t.Fatalf("the inbox holds %+v", inbox)
	}
	if len(inbox[0].Delivery) != 1 || inbox[0].Delivery[0].State != "sent" {
		t.Errorf("it was delivered: %+v", inbox[0].Delivery)
	}
}
