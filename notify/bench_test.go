package notify_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
)

// BenchmarkPost is a message for two channels in a transaction of its own, on
// a file: the tick has one anyway.
func BenchmarkPost(b *testing.B) {
	var r notifytest.Recorder
	o := opened(b, notify.Options{DB: database(b, filepath.Join(b.TempDir(), "mind.db")), Channels: []notify.Channel{channel("phone", &r), channel("screen", &r)}})
	n := 0
	for b.Loop() {
		n++
		o.put(b, incident(fmt.Sprint(n)))
	}
}

// BenchmarkPostInTransaction is what Post adds to one.
func BenchmarkPostInTransaction(b *testing.B) {
	var r notifytest.Recorder
	o := opened(b, notify.Options{DB: database(b, filepath.Join(b.TempDir(), "mind.db")), Channels: []notify.Channel{channel("phone", &r), channel("screen", &r)}})
	if err := o.db.Write(b.Context(), func(tx *store.Tx) error {
		n := 0
		for b.Loop() {
			n++
			if err := o.Post(b.Context(), tx, incident(fmt.Sprint(n))); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDeliver is a message from the post to what became of it, on a file,
// one after the other.
func BenchmarkDeliver(b *testing.B) {
	var r notifytest.Recorder
	o := running(b, notify.Options{DB: database(b, filepath.Join(b.TempDir(), "mind.db")), Channels: []notify.Channel{channel("phone", &r)}})
	n := 0
	for b.Loop() {
		n++
		o.post(b, incident(fmt.Sprint(n)))
		if _, err := r.Wait(b.Context(), n); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeliverMany is a message of a thousand that wait.
func BenchmarkDeliverMany(b *testing.B) {
	var r notifytest.Recorder
	o := running(b, notify.Options{DB: database(b, filepath.Join(b.TempDir(), "mind.db")), Channels: []notify.Channel{channel("phone", &r)}})
	const many = 1000
	n := 0
	for b.Loop() {
		var posts []notify.Post
		for range many {
			n++
			posts = append(posts, incident(fmt.Sprint(n)))
		}
		o.post(b, posts...)
		if err := drain(b.Context(), o.Outbox); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/message")
}

// BenchmarkForged is a token that somebody made up.
func BenchmarkForged(b *testing.B) {
	o := opened(b, notify.Options{})
	token := fmt.Sprintf("%088d", 7)
	for b.Loop() {
		if err := o.Take(b.Context(), token); err == nil {
			b.Fatal("taken")
		}
	}
}

// BenchmarkStatuses is what status reads after a month of 30 messages a day
// over two channels.
func BenchmarkStatuses(b *testing.B) {
	var r notifytest.Recorder
	o := opened(b, notify.Options{DB: database(b, filepath.Join(b.TempDir(), "mind.db")), Channels: []notify.Channel{channel("phone", &r), channel("screen", &r)}})
	var posts []notify.Post
	for n := range 900 {
		posts = append(posts, incident(fmt.Sprint(n)))
	}
	o.put(b, posts...)
	for b.Loop() {
		if _, err := o.Statuses(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
