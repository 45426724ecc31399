package daemon_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/senses"
)

// A daemon that is ended while it hands over to another configuration takes no longer
// from then on than one that is ended at any other time, and not the time that the
// unit gives it.
func TestEndedInAHandOver(t *testing.T) {
	const never = -1
	for _, test := range []struct {
		name  string
		hangs int // steps that do
		ended time.Duration
		takes time.Duration
	}{
		{"left alone", 2, never, 40 * time.Second},
		{"before", 2, 0, 10 * time.Second},
		{"in the middle", 2, 3 * time.Second, 13 * time.Second},
		{"in the second step", 2, 25 * time.Second, 35 * time.Second},
		{"at its end", 1, 15 * time.Second, 20 * time.Second},
		{"nothing hangs", 0, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				if test.ended != never {
					time.AfterFunc(test.ended, end)
				}
				began := time.Now()
				err := daemon.HandOver(ctx, test.hangs)
				if took := time.Since(began); took != test.takes || (err == nil) != (test.hangs == 0) {
					t.Errorf("it took %s, want %s: %v", took, test.takes, err)
				}
			})
		})
	}
}

// ending is a sense that does something when it is stopped.
type ending struct {
	senses.Sense
	stop func()
}

func (e ending) Stop(context.Context) error { e.stop(); return nil }

// Who is asked to end while another configuration is taken up begins no other mind,
// and lets go of the folder.
func TestEndedWhileItReloads(t *testing.T) {
	for name, when := range map[string]struct{ stopped, opened int }{
		"when it has just begun":       {},
		"while the last one is ended":  {stopped: 2}, // the first is the rehearsal's
		"while the next one is begun":  {opened: 3},
		"after the next one has begun": {stopped: -1, opened: -1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.options.NoSocket = false
			ctx, end := context.WithCancel(t.Context())
			defer end()
			stopped, opened := 0, 0
			at := func(count *int, when int) {
				if *count++; *count == when {
					end()
				}
			}
			w.options.Senses = func(senses.RowReader) ([]senses.Sense, error) {
				at(&opened, when.opened)
				return []senses.Sense{ending{&sense{rack: &rack{}}, func() { at(&stopped, when.stopped) }}}, nil
			}
			r := w.reloads("timezone: Europe/Berlin\n")
			r.tick()
			save(t, r.path, "timezone: Europe/Berlin\nschedule: '*/9 * * * *'\n")
			if when.stopped+when.opened == 0 {
				end()
			}
			d, err := r.source.Reload(ctx, r.d)
			if err != nil {
				t.Fatal(err)
			}
			if changed := d != r.d; changed != (when.stopped < 0) {
				t.Errorf("another mind runs: %t", changed)
			}
			r.d = d
			w.stop()
			if _, err := os.Lstat(filepath.Join(w.state, "socket")); !os.IsNotExist(err) {
				t.Errorf("the socket is there: %v", err)
			}
			w.options.Senses = nil
			w.begin()
			if report := w.tick(); report.Tick != 2 {
				t.Errorf("tick %d", report.Tick)
			}
		})
	}
}
