package threads_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mind is a thread that does as it is told.
type mind struct {
	name  subconscious.ThreadName
	think func(context.Context) (subconscious.Thought, error)
	asked atomic.Int32
}

var _ threads.Thread = (*mind)(nil)

func (m *mind) Name() subconscious.ThreadName { return m.name }
func (m *mind) Mode() string                  { return "reflex" }
func (m *mind) Think(ctx context.Context, _ subconscious.Snapshot) (threads.Answer, error) {
	m.asked.Add(1)
	thought, err := m.think(ctx)
	return threads.Answer{Thought: thought}, err
}

func finds(words string, after time.Duration) func(context.Context) (subconscious.Thought, error) {
	return func(context.Context) (subconscious.Thought, error) {
		time.Sleep(after)
		return subconscious.Thought{Thread: "somebody else", Findings: []subconscious.Finding{{Summary: words}}}, nil
	}
}

func newRunner(t *testing.T, deadline time.Duration, minds ...*mind) *threads.Runner {
	t.Helper()
	options := threads.RunnerOptions{Deadline: deadline}
	for _, m := range minds {
		options.Threads = append(options.Threads, m)
	}
	r, err := threads.NewRunner(options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func everyone(minds ...*mind) map[subconscious.ThreadName]threads.Attention {
	all := map[subconscious.ThreadName]threads.Attention{}
	for _, m := range minds {
		all[m.name] = threads.Attention{Ask: true, Level: 2}
	}
	return all
}

func stop(t *testing.T, r *threads.Runner) {
	t.Helper()
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRunnerIsParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c := &mind{name: "a", think: finds("one", 3*time.Second)}, &mind{name: "b", think: finds("two", 2*time.Second)}, &mind{name: "c"}
		r := newRunner(t, 0, a, b, c)
		began := time.Now()
		results := r.RunAll(t.Context(), subconscious.Snapshot{}, everyone(a, b))
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s", took)
		}
		for i, want := range []string{"one", "two"} {
			got := results[i]
			if got.Err != nil || got.Thought.Findings[0].Summary != want || got.Thought.Thread != got.Thread || got.Mode != "reflex" ||
				got.Attention.Level != 2 || got.Elapsed != time.Duration(3-i)*time.Second {
				t.Errorf("got %+v", got)
			}
		}
		if results[2].Thread != "c" || results[2].Attention.Ask || c.asked.Load() != 0 {
			t.Errorf("who is not to be asked: %+v", results[2])
		}
		if !slices.Equal(r.Names(), []subconscious.ThreadName{"a", "b", "c"}) || r.Modes()["c"] != "reflex" {
			t.Errorf("%v, %v", r.Names(), r.Modes())
		}
		stop(t, r)
	})
}

// TestRunnerLosesNobodyElse: one is late, one panics, one fails, one leaves its
// goroutine, and the thought of the last is kept.
func TestRunnerLosesNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := &mind{name: "late", think: func(ctx context.Context) (subconscious.Thought, error) {
			<-ctx.Done()
			return subconscious.Thought{}, ctx.Err()
		}}
		panics := &mind{name: "panics", think: func(context.Context) (subconscious.Thought, error) { panic("a thread's own fault") }}
		fails := &mind{name: "fails", think: func(context.Context) (subconscious.Thought, error) {
			return subconscious.Thought{}, errors.New("no idea")
		}}
		leaves := &mind{name: "leaves", think: func(context.Context) (subconscious.Thought, error) {
			runtime.Goexit()
			return subconscious.Thought{}, nil
		}}
		good := &mind{name: "good", think: finds("kept", time.Second)}
		r := newRunner(t, 5*time.Second, late, panics, fails, leaves, good)
		began := time.Now()
		results := r.RunAll(t.Context(), subconscious.Snapshot{}, everyone(late, panics, fails, leaves, good))
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %s", took)
		}
		for i, want := range []string{"deadline", "it panicked: a thread's own fault", "no idea", "it ended without an answer"} {
			if results[i].Err == nil || !strings.Contains(results[i].Err.Error(), want) || len(results[i].Thought.Findings) > 0 {
				t.Errorf("%s: %+v, want %q", results[i].Thread, results[i], want)
			}
		}
		if results[4].Err != nil || results[4].Thought.Findings[0].Summary != "kept" {
			t.Errorf("the good one: %+v", results[4])
		}
		stop(t, r)
	})
}

// hanging is a thread that thinks until it is released.
func hanging() (hung *mind, release chan struct{}) {
	release = make(chan struct{})
	return &mind{name: "hung", think: func(context.Context) (subconscious.Thought, error) {
		<-release
		return subconscious.Thought{}, nil
	}}, release
}

// TestRunnerHungThread: who does not come back fails, is not asked again until
// it is back, and then is.
func TestRunnerHungThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung, release := hanging()
		good := &mind{name: "good", think: finds("kept", 0)}
		r := newRunner(t, time.Second, hung, good)
		at := clock("2026-11-23 12:00")
		ask := func() threads.Result {
			results := r.RunAll(t.Context(), subconscious.Snapshot{At: at}, everyone(hung, good))
			if results[1].Err != nil {
				t.Errorf("the other: %v", results[1].Err)
			}
			return results[0]
		}
		if got := ask(); !errors.Is(got.Err, context.DeadlineExceeded) || !strings.Contains(got.Err.Error(), "it did not answer within 1s") || got.Elapsed != time.Second {
			t.Errorf("first: %+v", got)
		}
		began := time.Now()
		if got := ask(); got.Err == nil || !strings.Contains(got.Err.Error(), "asked at 12:00:00: it has not come back") || time.Since(began) != 0 {
			t.Errorf("second: %+v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if hung.asked.Load() != 1 {
			t.Errorf("it was asked %d times", hung.asked.Load())
		}
		close(release)
		synctest.Wait()
		if got := ask(); got.Err != nil || hung.asked.Load() != 2 {
			t.Errorf("when it is back: %+v", got)
		}
		if err := r.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestRunnerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung, release := hanging()
		r := newRunner(t, time.Second, hung)
		r.RunAll(t.Context(), subconscious.Snapshot{}, everyone(hung))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		if err := r.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 of them not back") || time.Since(began) != 3*time.Second {
			t.Errorf("it did not wait: %v after %s", err, time.Since(began))
		}
		if got := r.RunAll(t.Context(), subconscious.Snapshot{}, everyone(hung))[0]; got.Err == nil || hung.asked.Load() != 1 {
			t.Errorf("it is asked while it is being stopped: %+v", got)
		}
		time.AfterFunc(time.Minute, func() { close(release) })
		began = time.Now()
		if err := r.Stop(t.Context()); err != nil || time.Since(began) != time.Minute {
			t.Errorf("it did not wait until the thread was back: %v after %s", err, time.Since(began))
		}
	})
}

// TestRunnerIsCutOff: a tick that ends does not wait for its threads.
func TestRunnerIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, good := &mind{name: "slow", think: finds("late", time.Hour)}, &mind{name: "good", think: finds("kept", time.Second)}
		for _, test := range []struct {
			name string
			ctx  func() (context.Context, context.CancelFunc)
			want error
		}{
			{"cancelled", func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				return ctx, cancel
			}, context.Canceled},
			{"out of time", func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), 2*time.Second) }, context.DeadlineExceeded},
		} {
			r := newRunner(t, time.Minute, slow, good)
			ctx, cancel := test.ctx()
			began := time.Now()
			results := r.RunAll(ctx, subconscious.Snapshot{}, everyone(slow, good))
			if time.Since(began) != 2*time.Second || !errors.Is(results[0].Err, test.want) || !strings.Contains(results[0].Err.Error(), "the tick ended before it answered") {
				t.Errorf("%s: %v after %s", test.name, results[0].Err, time.Since(began))
			}
			if results[1].Err != nil || len(results[1].Thought.Findings) != 1 {
				t.Errorf("%s: the other: %+v", test.name, results[1])
			}
			cancel()
			stop(t, r)
		}
	})
}

func TestRunnerRefusesTwins(t *testing.T) {
	if _, err := threads.NewRunner(threads.RunnerOptions{Threads: []threads.Thread{&mind{name: "a"}, &mind{name: "a"}}}); err == nil {
		t.Error("two threads of one name")
	}
	r := newRunner(t, 0)
	if got := r.RunAll(t.Context(), subconscious.Snapshot{}, nil); len(got) != 0 {
		t.Errorf("nobody answers: %v", got)
	}
	stop(t, r)
}
