package mail_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// large is how many messages a large account has.
const large = 100_000

// estate is accounts of one size on one server.
type estate struct {
	server *mailtest.Server
	boxes  []*mailtest.Box
	minds  []*mind
	count  int
}

// newEstate makes accounts with n messages in INBOX, which came every ten minutes,
// and a tenth of it in Sent. Nobody has looked yet.
func newEstate(t testing.TB, accounts, n int) *estate {
	t.Helper()
	e := &estate{count: n}
	options := mailtest.Options{}
	for i := range accounts {
		options.Users = append(options.Users, mailtest.User{Name: fmt.Sprintf("ines%d@example.com", i), Password: password})
	}
	e.server = mailtest.New(options)
	t.Cleanup(func() {
		if err := e.server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for i, u := range options.Users {
		box := e.server.User(u.Name)
		for folder, many := range map[string]int{inbox: n, outbox: n / 10} {
			box.DeliverMany(folder, many, func(k int) time.Time { return began.Add(time.Duration(k-many) * 10 * time.Minute) },
				func(k int) []byte { return ordinary(folder, k) }, imap.FlagSeen)
		}
		e.boxes = append(e.boxes, box)
		config := worldConfig()
		config.ID, config.User, config.Folders = fmt.Sprintf("account%d", i), u.Name, []string{inbox}
		e.minds = append(e.minds, newMind(t, config, began, func(context.Context) (net.Conn, error) { return e.server.Dial() }))
	}
	return e
}

// ordinary is mail as most of it is: nothing stands for it.
func ordinary(folder string, n int) []byte {
	l := mailtest.Message{From: fmt.Sprintf("Sender %03d <sender%03d@example.org>", n%500, n%500), To: []string{"ines0@example.com"}, Subject: fmt.Sprintf("News number %08d", n),
		Text: "Here is what happened lately. All went well, and there is more on the page.\n", Date: began, MessageID: fmt.Sprintf("%s.%08d@example.org", folder, n),
		Headers: []string{"List-Id: <news.example.org>", "Precedence: bulk"}}
	if folder == outbox {
		l.From, l.To, l.Headers = "ines0@example.com", []string{l.From}, nil
	}
	return mailtest.Compose(l)
}

// arrive delivers n messages to each account.
func (e *estate) arrive(n int) {
	for range n {
		for _, box := range e.boxes {
			box.Deliver(inbox, ordinary(inbox, e.count), e.minds[0].at)
		}
		e.count++
	}
}

// tick looks at every account and returns how many observations were told and
// what went over the wire.
func (e *estate) tick() (told int, t mailtest.Traffic) {
	before := e.server.Traffic()
	for _, m := range e.minds {
		m.at = m.at.Add(5 * time.Minute)
		told += len(m.tick())
	}
	after := e.server.Traffic()
	return told, mailtest.Traffic{Connections: after.Connections - before.Connections, Commands: after.Commands - before.Commands,
		Read: after.Read - before.Read, Written: after.Written - before.Written}
}

// TestScale shows that the first collect of 100,000 messages is bounded, and that
// afterwards a tick costs what is new, whatever lies in the mailbox.
func TestScale(t *testing.T) {
	small, big := newEstate(t, 1, 3_000), newEstate(t, 1, large)
	_, a := small.tick()
	_, b := big.tick()
	t.Logf("first collect of 3,000: %+v, at %d: %+v", a, large, b)
	// The newest messages are taken, and of what was sent the newest; what is
	// more is searched, in pieces, and never read.
	if b.Written > 6<<20 {
		t.Errorf("the first collect at %d messages read %d bytes", large, b.Written)
	}
	for _, fresh := range []int{0, 0, 20, 0} {
		small.arrive(fresh)
		big.arrive(fresh)
		toldA, a := small.tick()
		toldB, b := big.tick()
		t.Logf("tick with %d new: of 3,000 %+v, of %d %+v", fresh, a, large, b)
		if toldA != fresh || toldB != fresh {
			t.Errorf("of %d new messages %d and %d are told", fresh, toldA, toldB)
		}
		// Numbers have more digits in a large mailbox, and nothing else is more.
		if b.Commands != a.Commands || b.Connections != a.Connections || b.Written > a.Written+200+int64(fresh)*20 || b.Read > a.Read+200 {
			t.Errorf("a tick with %d new costs %+v in a small mailbox and %+v in a large one", fresh, a, b)
		}
		if limit := int64(2_000 + fresh*3_000); b.Written > limit {
			t.Errorf("a tick with %d new read %d bytes, and %d at most were expected", fresh, b.Written, limit)
		}
	}
}

// BenchmarkScale looks at 5 accounts of 100,000 messages.
func BenchmarkScale(b *testing.B) {
	b.Run("first collect", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			e := newEstate(b, 5, large)
			before := heap()
			b.StartTimer()
			_, cost := e.tick()
			b.StopTimer()
			b.ReportMetric(float64(cost.Written), "wire-bytes/op")
			b.ReportMetric(float64(cost.Commands), "commands/op")
			b.ReportMetric(float64(heap()-before)/(1<<20), "MiB-kept")
			for _, m := range e.minds {
				m.stop()
			}
			b.StartTimer()
		}
	})
	e := newEstate(b, 5, large)
	e.tick()
	for _, fresh := range []int{0, 20} {
		b.Run(fmt.Sprintf("%d new each", fresh), func(b *testing.B) {
			b.ReportAllocs()
			var all mailtest.Traffic
			for b.Loop() {
				e.arrive(fresh)
				told, cost := e.tick()
				if told != fresh*len(e.minds) {
					b.Fatalf("%d told", told)
				}
				all.Written += cost.Written
				all.Commands += cost.Commands
			}
			b.ReportMetric(float64(all.Written)/float64(b.N), "wire-bytes/op")
			b.ReportMetric(float64(all.Commands)/float64(b.N), "commands/op")
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
