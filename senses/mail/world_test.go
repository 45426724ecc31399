package mail_test

import (
	"context"
	"flag"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest/dovecot"
)

// steps is how much happens to a mailbox in one run.
const steps = 200

// worlds are how many runs there are, and realWorlds how many on a real server.
// Each is another one, and always the same.
var (
	worlds     = flag.Int("worlds", 16, "runs of TestWorld")
	realWorlds = flag.Int("realworlds", 2, "runs of TestWorldDovecot")
)

// began is when the worlds begin.
var began = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func worldConfig() mail.Config {
	off := false
	return mail.Config{ID: "home", Host: "127.0.0.1", Security: account.None, User: ines, Password: secret.Ref{File: "unused"}, Folders: []string{inbox, kept}, Idle: &off}
}

// TestWorld lets chance deliver, expunge, move, flag and renumber, cut
// connections, throw collects away, crash and restart, and checks that all is told
// once, and nothing that is not so, and that no reader leaves a trace.
func TestWorld(t *testing.T) {
	for seed := range runs(*worlds) {
		options := mailtest.Options{Users: []mailtest.User{{Name: ines, Password: password}}, Now: func() time.Time { return began }}
		if seed%4 == 3 {
			options.Without = []imap.Cap{imap.CapCondStore, imap.CapESearch, imap.CapSpecialUse}
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			server := mailtest.New(options)
			box := server.User(ines)
			live(t, uint64(seed), box, worldConfig(), func(context.Context) (net.Conn, error) { return server.Dial() })
			if writes := box.Writes(); len(writes) > 0 {
				t.Errorf("the sense tried to change something: %v", writes)
			}
			if err := server.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// runs are a quarter of them in the short form, but one.
func runs(all int) int {
	if testing.Short() {
		return min(all, max(1, all/4))
	}
	return all
}

// TestWorldDovecot is TestWorld on a real server.
func TestWorldDovecot(t *testing.T) {
	for seed := range runs(*realWorlds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			server := dovecot.Start(t, mailtest.User{Name: ines, Password: password})
			live(t, uint64(seed), server.User(ines), worldConfig(), func(ctx context.Context) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", server.Addr())
			})
		})
	}
}

// live runs one world.
func live(t *testing.T, seed uint64, box mailtest.Mailbox, config mail.Config, dial func(context.Context) (net.Conn, error)) {
	w := newWorld(t, seed, box, began)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what happened, seed %d:\n%s", seed, strings.Join(w.done, "\n"))
		}
	})
	for n := range 12 { // what is there before anybody looks
		w.deliver([]string{inbox, kept, unseen, outbox}[n%4], began.AddDate(0, 0, -n*2)).old = n%4 < 2
	}
	m := newMind(t, config, w.at, dial)
	w.hear(m.tick())
	w.stands(m.ledger.View(), true)
	w.check()
	for step := range steps {
		w.act()
		pause := time.Duration(w.random.IntN(600)) * time.Second
		if w.random.IntN(9) == 0 {
			pause = time.Duration(w.random.IntN(72)) * time.Hour
		}
		w.at = w.at.Add(pause)
		m.at = w.at
		if w.random.IntN(12) == 0 || step == steps-1 {
			w.relist(m, step < steps-1 && w.looked(kept))
		}
		w.step(m)
		if t.Failed() {
			return
		}
		if step%50 == 49 {
			w.untouched()
		}
	}
	w.hear(m.tick())
	w.hear(m.tick())
	w.check()
	w.untouched()
	w.enough()
}

// step is what comes of the mind after something was done: mostly a collect that
// goes well, else a worse one, or none.
func (w *world) step(m *mind) {
	n := w.random.IntN(100)
	if n < 25 {
		return
	}
	if cut := n < 45; cut {
		m.after.Store(int64(w.random.IntN(12_000)))
	}
	batch, staged, err := m.collect()
	m.after.Store(-1)
	switch {
	case n < 35: // cut, and nothing came of it
		w.note("a collect is cut and lost: %v %q", err, batch.Degraded)
	case n < 50: // cut, and what there is of it counts
		w.take(m, batch, staged, err)
	case n < 58:
		w.note("a collect is lost")
	case n < 66:
		w.note("a crash after a collect")
		m.stop()
		m.start()
	case n < 71:
		w.take(m, batch, staged, err)
		w.note("a restart")
		m.stop()
		m.start()
	default:
		w.take(m, batch, staged, err)
	}
}

// relist writes the configuration anew, as a whole or cut short in the list of folders.
func (w *world) relist(m *mind, short bool) {
	w.note("the list of folders is cut short: %t", short)
	m.stop()
	w.short, m.config.Folders = short, []string{inbox, kept}
	if short {
		m.config.Folders = []string{inbox}
	}
	m.start()
}

// take commits a collect.
func (w *world) take(m *mind, batch senses.Batch, staged *senses.Staged, err error) {
	w.note("a collect: %v %q", err, batch.Degraded)
	w.hear(m.commit(staged))
	clean := err == nil && batch.Degraded == "" && !batch.Starting && w.looked(kept)
	w.stands(m.ledger.View(), clean)
	if clean {
		w.check()
	}
}

// enough checks that a world was worth the trouble.
func (w *world) enough() {
	arrived, stood, ended, promised := 0, 0, 0, 0
	for _, l := range w.messages {
		for _, what := range l.told {
			switch what {
			case "arrival":
				arrived++
			default:
				promised++
			}
		}
		if l.stood > 0 {
			stood++
		}
		if l.stood > len(l.standing) {
			ended++
		}
	}
	if arrived < steps/5 || stood < 10 || ended < 5 || promised < 2 {
		w.fail("%d messages were told of, %d stood, %d of them ended, and %d were promises and questions: too little to show anything", arrived, stood, ended, promised)
	}
}

// TestOldStands has something stand that arrived before the look-back, while its
// folder is numbered anew and the message moved.
func TestOldStands(t *testing.T) {
	server := mailtest.New(mailtest.Options{Users: []mailtest.User{{Name: ines, Password: password}}})
	defer func() { _ = server.Close(t.Context()) }()
	box := server.User(ines)
	m := newMind(t, worldConfig(), began, func(context.Context) (net.Conn, error) { return server.Dial() })
	m.tick()
	uid := box.Deliver(inbox, mailtest.Compose(mailtest.Message{From: "Omar <omar@example.org>", To: []string{ines}, Subject: "The contract", Date: began,
		Text: "Hi Ines,\n\ncould you send me the signed contract by 30 March 2026?\n\nOmar\n"}), began)
	m.at = began.Add(time.Minute)
	if told := m.tick(); len(told) != 1 || told[0].Kind != "request" || told[0].Until.Before(began.AddDate(0, 0, 28)) {
		t.Fatalf("told %v", told)
	}
	m.at = began.AddDate(0, 0, 20)
	m.tick()
	uid = box.Renumber(inbox)[uid]
	if told := m.tick(); len(told) > 0 {
		t.Errorf("numbered anew it is told as %s", told[0].Change)
	}
	box.Move(inbox, uid, kept)
	if told := m.tick(); len(told) > 0 {
		t.Errorf("moved it is told as %s", told[0].Change)
	}
	m.at = began.AddDate(0, 0, 35)
	if told := m.tick(); len(told) != 1 {
		t.Errorf("after its time %d observations are told", len(told))
	}
}
