package mail

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest/dovecot"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// TestConformanceDovecot is TestConformance on a real server.
func TestConformanceDovecot(t *testing.T) {
	server := dovecot.Start(t, mailtest.User{Name: me, Password: "secret"})
	box := server.User(me)
	host, port, err := net.SplitHostPort(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	config := Config{ID: "home", Host: host, Port: number, Security: account.None, User: me, Password: secret.Ref{File: "unused"}}
	message := func(id, from, to string) []byte {
		return mailtest.Compose(mailtest.Message{From: from, To: []string{to}, Subject: "Figures", Text: asking, Date: time.Now(), MessageID: id + "@example.org"})
	}
	box.Deliver("Sent", message("old", me, boss), time.Now().Add(-30*24*time.Hour))
	at, round := map[int]imap.UID{}, 0
	var broken atomic.Bool
	sensetest.Run(t, sensetest.Harness{
		OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense {
			s, err := New(config, Options{
				Rows: rows, Zone: func() *time.Location { return time.UTC },
				Password: func(context.Context) (secret.Value, error) {
					if broken.Load() {
						return secret.New("another"), nil
					}
					return secret.New("secret"), nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Add: func(_ testing.TB, n int) {
			round++
			at[n] = box.Deliver("INBOX", message(fmt.Sprintf("thing-%d-%d", n, round), boss, me), time.Now().Add(-time.Minute))
		},
		Change:   func(_ testing.TB, n int) { box.SetFlags("INBOX", at[n], imap.FlagSeen) },
		Remove:   func(_ testing.TB, n int) { box.Expunge("INBOX", at[n]) },
		Break:    func(testing.TB) { broken.Store(true); box.Drop() },
		Mend:     func(testing.TB) { broken.Store(false) },
		Collects: 200,
	})
}
