package daemon_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// BenchmarkDemoStart is from the start of the demo to its first finished tick,
// published and printed.
func BenchmarkDemoStart(b *testing.B) {
	parent := b.TempDir()
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		out := &firstTick{done: cancel}
		if err := daemon.RunDemo(ctx, daemon.DemoOptions{Out: out, Log: &out.log, Parent: parent}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(out.took.Microseconds())/1000, "ms-to-first-tick")
	}
}

// firstTick notes when the demo has printed its first tick, and ends it.
type firstTick struct {
	began time.Time
	took  time.Duration
	done  func()
	log   strings.Builder
}

// Write implements io.Writer.
func (f *firstTick) Write(p []byte) (int, error) {
	if f.began.IsZero() {
		f.began = time.Now() // the greeting
	}
	if strings.Contains(string(p), "Ctrl-C ends it") {
		f.took = time.Since(f.began)
		f.done()
	}
	return len(p), nil
}

// standing is a sense in which n observations stand, some of which change each
// time.
type standing struct {
	id               string
	n, change, looks int
}

func (s *standing) Name() string { return "health" }
func (s *standing) ID() string   { return s.id }

// Collect implements senses.Sense. It works out the changes itself, as a large
// sense does.
func (s *standing) Collect(_ context.Context, at time.Time, cursor []byte) (senses.Batch, error) {
	batch := senses.Batch{Cursor: fmt.Append(nil, s.looks)}
	observe := func(i int, change subconscious.Change) {
		batch.Changes = append(batch.Changes, subconscious.Observation{ID: fmt.Sprint(s.id, " pump ", i), Sense: "health", Instance: s.id, Kind: "unit",
			Change: change, At: at, Title: fmt.Sprintf("pump %d of the waterworks has failed", i), Fingerprint: fmt.Sprint(s.looks),
			Severity: subconscious.Notable, Trust: subconscious.Machine})
	}
	if cursor == nil {
		for i := range s.n {
			observe(i, subconscious.Appeared)
		}
	} else {
		for i := range s.change {
			observe((s.looks*s.change+i)%s.n, subconscious.Changed)
		}
	}
	s.looks++
	return batch, nil
}

// BenchmarkTickStanding is a tick with ten changes while many observations
// stand.
func BenchmarkTickStanding(b *testing.B) {
	const most = 10_000 // of one sense at one collect
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWorld(b)
			w.options.Senses = func(senses.RowReader) ([]senses.Sense, error) {
				all := []senses.Sense{&standing{id: "rack-0", n: min(n, most), change: 10}}
				for i := 1; i*most < n; i++ {
					all = append(all, &standing{id: fmt.Sprint("rack-", i), n: most})
				}
				return all, nil
			}
			w.options.Logger = nil
			w.begin()
			w.ticks(10)
			for b.Loop() {
				w.clock.advance(slot)
				if _, err := w.d.TickAs(b.Context(), subconscious.Scheduled); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			status, err := w.d.Status(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			stand := 0
			for _, s := range status.Senses {
				stand += s.Standing
			}
			if stand != n {
				b.Fatalf("%d observations stand", stand)
			}
		})
	}
}

// BenchmarkTickLetters is a tick with 200 new letters, from an IMAP server within the
// process to the finished tick, while as many stand unread as can; server-ms are those
// of it in which that server is waited for.
func BenchmarkTickLetters(b *testing.B) {
	const each = 200
	texts := []string{
		"the card reader is down again and the first guests are at six. Can you come by?",
		"Wednesday is fine with me. I will bring the drawings of the stair, and the list that you asked for.",
		"your invoice 88123 over 214.00 EUR is still open. Please pay it until Friday, 27 November.",
		"die Probe ist heute eine Stunde früher, um 17 Uhr. Bringst du die Noten mit?",
		"hoy cierro a las dos, si puedes pasa antes por la llave.",
		strings.Repeat("In this month's letter we look back on the summer, and forward to what the autumn has for the garden. See https://club.example/letter for more. ", 12),
	}
	w := newWorld(b)
	w.options.Logger = nil
	server, box := lettered(b, w, "")
	box.Create("Sent")
	waited := &wait{}
	w.options.DialMail = func(context.Context, string, string) (net.Conn, error) {
		conn, err := server.Dial()
		return waiting{conn, waited}, err
	}
	n := 0
	deliver := func(many int) {
		at := w.clock.Now()
		for range many {
			from := fmt.Sprintf("Writer %d <writer%d@firm%d.example>", n%90, n%90, n%30)
			box.Deliver("INBOX", mailtest.Compose(mailtest.Message{From: from, To: []string{"sam@example.com"}, Subject: fmt.Sprintf("Matter %d", n),
				Text: "Hello Sam,\n\n" + texts[n%len(texts)] + "\n\nBest wishes", MessageID: fmt.Sprintf("n%d@firm.example", n), Date: at}), at)
			n++
		}
	}
	for i := range 30 {
		box.Deliver("Sent", mailtest.Compose(mailtest.Message{From: "sam@example.com", To: []string{fmt.Sprintf("writer%d@firm%d.example", i, i)}, Subject: "Hello", Text: "Hello.", Date: start}), start)
	}
	w.begin()
	w.ticks(2)
	for range 4 {
		deliver(each)
		w.tick()
	}
	var spent time.Duration // of all threads of the process
	waited.sum.Store(0)
	for b.Loop() {
		b.StopTimer()
		deliver(each)
		w.clock.advance(slot)
		before := processTime(b)
		b.StartTimer()
		report, err := w.d.TickAs(b.Context(), subconscious.Scheduled)
		spent += processTime(b) - before
		if err != nil || !slices.ContainsFunc(report.Senses, func(s api.SenseReport) bool { return s.Changes >= each }) {
			b.Fatal(err, report.Senses)
		}
	}
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(waited.sum.Load())/1e6/float64(b.N), "server-ms/op")
}

// wait is for how long the server of a benchmark has kept its client waiting, and when
// that last asked for something.
type wait struct{ asked, sum atomic.Int64 }

// waiting is a connection to a server in this process that reads and answers in step
// with its client, so that what the client waits for is what the server does.
type waiting struct {
	net.Conn
	*wait
}

func (w waiting) Write(p []byte) (int, error) {
	w.asked.Store(time.Now().UnixNano())
	return w.Conn.Write(p)
}

// Read counts from when the client both has asked and listens.
func (w waiting) Read(p []byte) (int, error) {
	began := time.Now().UnixNano()
	n, err := w.Conn.Read(p)
	w.sum.Add(max(time.Now().UnixNano()-max(began, w.asked.Load()), 0))
	return n, err
}

// processTime is how long the process has kept processors busy.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
