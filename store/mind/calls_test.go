package mind_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func call(role string, tick int64, at time.Time) mind.ModelCall {
	return mind.ModelCall{Tick: tick, At: at, Role: role, Provider: "groq", Model: "llama-3.3-70b-versatile", Exploration: true,
		PromptHash: "5f2b", PromptBytes: 9000, Input: 2200, Cached: 2000, Written: 100, Output: 150, Thinking: 50, UsageKnown: true,
		Cost: 1_400_000, Latency: 812 * time.Millisecond, Attempts: 2, Outcome: "answered", Answer: `{"findings":[]}`}
}

func TestCallsComeWithTheTick(t *testing.T) {
	minds, db := newStore(t, filepath.Join(t.TempDir(), "mind.db"))
	c := next(load(t, minds))
	failed := call("oracle", c.Record.Tick, c.Record.At)
	failed.Outcome, failed.Error, failed.Answer, failed.UsageKnown, failed.Exploration = "timeout", "no answer in 30 seconds", "", false, false
	c.Calls = []mind.ModelCall{call("watcher", c.Record.Tick, c.Record.At), failed}
	// One that was made outside ticks comes with one as well.
	early := call("chat", 0, noon.In(time.FixedZone("", -7*3600)).Add(-time.Hour))
	commit(t, db, minds, c)
	if err := minds.AddCalls(t.Context(), []mind.ModelCall{early}); err != nil {
		t.Fatal(err)
	}
	got, err := minds.CallsOfTick(t.Context(), c.Record.Tick)
	if diff := cmp.Diff(c.Calls, got, sameZone()); err != nil || diff != "" {
		t.Errorf("of the tick: %v\n%s", err, diff)
	}
	got, err = minds.Calls(t.Context(), noon.Add(-2*time.Hour), 10)
	if diff := cmp.Diff([]mind.ModelCall{failed, c.Calls[0], early}, got, sameZone()); err != nil || diff != "" {
		t.Errorf("newest first: %v\n%s", err, diff)
	}
	if got, err = minds.Calls(t.Context(), noon.Add(-2*time.Hour), 1); err != nil || len(got) != 1 {
		t.Errorf("limited to one: %d, %v", len(got), err)
	}
	if got, err = minds.Calls(t.Context(), noon, 10); err != nil || len(got) != 2 {
		t.Errorf("since noon: %d, %v", len(got), err)
	}
	if got, err = minds.CallsOfTick(t.Context(), 0); err != nil || got != nil {
		t.Errorf("of no tick: %v, %v", got, err)
	}
}

// sameZone compares times as a person reads them.
func sameZone() cmp.Option {
	return cmp.Comparer(func(a, b time.Time) bool { return a.Format(time.RFC3339Nano) == b.Format(time.RFC3339Nano) })
}

func TestCallsOfAFailedTickAreNotKept(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	c := next(load(t, minds))
	c.Calls = []mind.ModelCall{call("watcher", 1, c.Record.At)}
	rollback := errors.New("the disk is full")
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(minds.Commit(t.Context(), tx, c), rollback)
	}); !errors.Is(err, rollback) {
		t.Fatal(err)
	}
	if got, err := minds.CallsOfTick(t.Context(), 1); err != nil || len(got) != 0 {
		t.Errorf("%d calls, %v", len(got), err)
	}
}

func TestSumsOfCalls(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	slow := call("watcher", 0, noon)
	slow.Latency, slow.UsageKnown = 3*time.Second, false
	failed := call("watcher", 0, noon)
	failed.Outcome = "rate"
	if err := minds.AddCalls(t.Context(), []mind.ModelCall{slow, call("watcher", 0, noon), failed, call("chat", 0, noon), call("chat", 0, noon.Add(-time.Second))}); err != nil {
		t.Fatal(err)
	}
	one := mind.CallSum{Role: "chat", Provider: "groq", Model: "llama-3.3-70b-versatile", Outcome: "answered", Calls: 1, Exploration: 1, Attempts: 2,
		Input: 2200, Cached: 2000, Written: 100, Output: 150, Thinking: 50, Cost: 1_400_000, Latency: 812 * time.Millisecond, Slowest: 812 * time.Millisecond}
	rate := one
	rate.Role, rate.Outcome = "watcher", "rate"
	want := []mind.CallSum{one, {Role: "watcher", Provider: "groq", Model: "llama-3.3-70b-versatile", Outcome: "answered", Calls: 2, Exploration: 2,
		Attempts: 4, Input: 4400, Cached: 4000, Written: 200, Output: 300, Thinking: 100, Unknown: 1, Cost: 2_800_000, Latency: 3812 * time.Millisecond, Slowest: 3 * time.Second}, rate}
	got, err := minds.SumCalls(t.Context(), noon)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err = minds.SumCalls(t.Context(), noon.Add(time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

func TestTextsOfCallsAreBounded(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	long := call("watcher", 0, noon)
	long.Answer, long.Error, long.Model = strings.Repeat("日本語", 4000), strings.Repeat("é", 1000), strings.Repeat("m", 1000)
	broken := call("watcher", 0, noon)
	broken.Answer = "a\xffb"
	if err := minds.AddCalls(t.Context(), []mind.ModelCall{long, broken}); err != nil {
		t.Fatal(err)
	}
	calls, err := minds.Calls(t.Context(), noon, 10)
	if err != nil || len(calls) != 2 {
		t.Fatalf("%d calls, %v", len(calls), err)
	}
	if got := calls[0].Answer; got != "a\uFFFDb" {
		t.Errorf("the broken answer is %q", got)
	}
	for text, size := range map[string]int{calls[1].Answer: 4096, calls[1].Error: 500, calls[1].Model: 200} {
		if len(text) > size || len(text) < size-3 || !utf8.ValidString(text) || !strings.HasSuffix(text, "…") {
			t.Errorf("%d bytes, want up to %d: …%q", len(text), size, text[len(text)-10:])
		}
	}
}

func TestCallsThatSayTooLittleAreRefused(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	for name, spoil := range map[string]func(*mind.ModelCall){
		"time":    func(c *mind.ModelCall) { c.At = time.Time{} },
		"role":    func(c *mind.ModelCall) { c.Role = "" },
		"outcome": func(c *mind.ModelCall) { c.Outcome = "" },
	} {
		bad := call("watcher", 0, noon)
		spoil(&bad)
		if err := minds.AddCalls(t.Context(), []mind.ModelCall{call("watcher", 0, noon), bad}); err == nil {
			t.Errorf("without %s it is taken", name)
		}
	}
	if calls, err := minds.Calls(t.Context(), noon, 10); err != nil || len(calls) != 0 {
		t.Errorf("%d calls of those that failed are there, %v", len(calls), err)
	}
}

// Two months of ticks, one an hour, with four calls each.
func TestOldCallsGo(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	state := load(t, minds)
	const perDay, days = 24, 60
	for range perDay * days {
		c := nextAfter(state, 24*time.Hour/perDay)
		for _, role := range subconscious.Threads() {
			c.Calls = append(c.Calls, call(string(role), c.Record.Tick, c.Record.At))
		}
		commit(t, db, minds, c)
		state = c.State
	}
	if n := rows(t, db, "SELECT count(*) FROM mind_model_calls"); n < 30*perDay*4 || n > 31*perDay*4 {
		t.Errorf("%d calls, want those of 30 days", n)
	}
	old := rows(t, db, "SELECT count(*) FROM mind_model_calls WHERE at < ?", state.LastTick.Add(-31*24*time.Hour).UnixNano())
	if old != 0 {
		t.Errorf("%d calls are older than 31 days", old)
	}
}

// The queries of report and why must not read a month of calls.
func TestCallsAreFoundByIndex(t *testing.T) {
	_, db := newStore(t, store.Memory)
	for query, index := range map[string]string{
		"SELECT * FROM mind_model_calls WHERE at >= 1 ORDER BY at DESC, id DESC LIMIT 5": "mind_model_calls_at",
		"SELECT * FROM mind_model_calls WHERE tick = 5 AND tick > 0 ORDER BY id":         "mind_model_calls_tick",
		"DELETE FROM mind_model_calls WHERE at < 5":                                      "mind_model_calls_at",
	} {
		var id, parent, unused int
		var plan string
		if err := db.Read(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRowContext(t.Context(), "EXPLAIN QUERY PLAN "+query).Scan(&id, &parent, &unused, &plan)
		}); err != nil || !strings.Contains(plan, fmt.Sprint("INDEX ", index)) {
			t.Errorf("%s: %s, %v", query, plan, err)
		}
	}
}
