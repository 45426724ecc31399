package daemon_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// Junk on the reply topic holds no button back, is counted, over a restart too,
// and is not read again then; a renewed topic is rid of it.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	const junk = 300
	server := ntfytest.New(ntfytest.Options{Keepalive: 20 * time.Millisecond})
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	w, message := reached(ctx, t, server)
	reply := message.Actions[0].URL
	for n := range junk {
		response, err := http.Post(reply, "text/plain", strings.NewReader(fmt.Sprintf("%0*d", []int{20, notify.TokenLength}[n%2], n)))
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	press := func(label string, answers int) {
		t.Helper()
		if err := server.Press(ctx, message, label); err != nil {
			t.Fatal(err)
		}
		w.until("the answer is there", func() bool {
			pending, err := w.d.Mind().Pending(context.Background())
			return err == nil && len(pending) == answers
		})
	}
	phone := func() api.ChannelStatus {
		t.Helper()
		channels, err := w.d.Channels(ctx)
		if err != nil || len(channels) != 1 {
			t.Fatalf("%+v, %v", channels, err)
		}
		return channels[0]
	}
	press("Done", 1)
	kept := func() {
		t.Helper()
		w.until("the place is kept", func() (all bool) {
			w.query("SELECT strange FROM notify_replies", func(scan func(...any) error) error {
				strange := 0
				err := scan(&strange)
				all = all || strange >= junk
				return err
			})
			return all
		})
	}
	kept()
	if got := phone(); got.Refused != junk || got.RefusedSince.IsZero() || !got.Flooded() {
		t.Errorf("%+v", got)
	}
	w.restart()
	press("Tomorrow", 2)
	if got := phone(); got.Refused != junk {
		t.Errorf("after a restart it knows of %d strange answers", got.Refused)
	}
	// The twin: where the place is forgotten, all comes again.
	w.stop()
	w.change("UPDATE notify_replies SET place = ''")
	w.begin()
	press("Mute", 3)
	w.until("all came again", func() bool { return phone().Refused >= 2*junk })

	renewed, err := w.d.RenewChannel(ctx, "phone")
	if err != nil || renewed.Refused != 0 {
		t.Fatalf("%+v, %v", renewed, err)
	}
	if _, err := w.d.TestChannels(ctx, "phone"); err != nil {
		t.Fatal(err)
	}
	messages, err := server.Await(ctx, "mind", 5) // of which three confirm what was pressed
	if err != nil {
		t.Fatal(err)
	}
	messages = slices.DeleteFunc(messages, func(m ntfytest.Message) bool { return len(m.Actions) == 0 })
	fresh := messages[1].Actions[0].URL
	if fresh == reply || len(fresh) != len(reply) {
		t.Errorf("answers come back over %s", fresh)
	}
	if err := server.AwaitStreams(ctx, reply[strings.LastIndexByte(reply, '/')+1:], 0); err != nil {
		t.Error("the old topic is still read", err)
	}
	if err := server.Press(ctx, messages[1], "Done"); err != nil {
		t.Fatal(err)
	}
	w.until("the answer to the test is there", func() bool {
		statuses, err := w.d.Outbox().Statuses(ctx)
		return err == nil && statuses[0].Answered.After(renewed.Last)
	})
	if _, err := w.d.RenewChannel(ctx, "nobody"); api.ProblemOf(err).Code != api.CodeNotFound {
		t.Error(err)
	}
}

// change changes the database behind the mind's back, as another program of the
// same user can.
func (w *world) change(statement string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.state, "mind.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		w.t.Fatal(err)
	}
}
