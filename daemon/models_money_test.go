package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// What a child that spends is told: where the server is, what is limited, and
// when the test began, by which its clock goes.
const (
	spendServer = "DAEMON_TEST_SERVER"
	spendCap    = "DAEMON_TEST_CAP"
	spendBegan  = "DAEMON_TEST_BEGAN"
)

// spendCaps are the small limits.
var spendCaps = map[string]func(*budget.Config){
	budget.MoneyPerDay:  func(c *budget.Config) { c.MoneyPerDay = 2 },
	budget.CallsPerDay:  func(c *budget.Config) { c.CallsPerDay, c.MoneyPerDay = 120, 10 },
	budget.TokensPerDay: func(c *budget.Config) { c.TokensPerDay, c.MoneyPerDay = 900_000, 10 },
}

// fast is a clock twenty times as fast as the machine's, from noon: calls to
// models that rest come up again soon, and the day does not end.
func fast(began time.Time) func() time.Time {
	return func() time.Time { return start.Add(20 * time.Since(began)) }
}

// spender sets the world of a mind that spends.
func spender(options daemon.Options, baseURL, limit string, began time.Time) daemon.Options {
	options.Config.Models = modelsOf(modeltest.OpenAI, baseURL)
	hurry(options.Config)
	options.Config.Threads.Gate = threads.Changed // adaptive threads let what is new gather
	options.Config.Budget = budget.DefaultConfig()
	spendCaps[limit](&options.Config.Budget)
	options.Env, options.Now = labEnv, fast(began)
	return options
}

// childSpends ticks without a pause, each time with something new, until it is
// killed.
func childSpends(dir string) error {
	nanos, err := strconv.ParseInt(os.Getenv(spendBegan), 10, 64)
	if err != nil {
		return err
	}
	disk := &machine{}
	return lives(spender(daemon.Options{Config: configOf(dir), Unscheduled: true, NoSocket: true, Health: disk,
		OnTick: func(report api.TickReport) { fmt.Println("tick", report.Tick) }},
		os.Getenv(spendServer), os.Getenv(spendCap), time.Unix(0, nanos)), func(_ context.Context, _ *daemon.Daemon, i int) error {
		disk.set(50 + uint64(i%2)*40)
		name := fmt.Sprintf("%d-%d.md", os.Getpid(), i)
		return errors.Join(os.WriteFile(filepath.Join(dir, "files", name), []byte("words\n"), 0o600),
			os.WriteFile(filepath.Join(dir, "notes", name), fmt.Appendf(nil, "- [ ] send offer %s by Friday\n", name), 0o600))
	})
}

// TestSpendingAcrossKills kills a mind that spends as fast as it can, again and
// again: what the provider charged is never more than what is counted, and that
// never more than what is allowed. Then reflex thinks until midnight, and the
// models the day after.
func TestSpendingAcrossKills(t *testing.T) {
	t.Parallel()
	kills := map[string]int{budget.MoneyPerDay: 20, budget.CallsPerDay: 6, budget.TokensPerDay: 6}
	if testing.Short() {
		kills = map[string]int{budget.MoneyPerDay: 5}
	}
	var all sync.WaitGroup
	for limit, n := range kills {
		all.Go(func() { t.Run(limit, func(t *testing.T) { newSpending(t, limit).run(n) }) })
	}
	all.Wait()
}

// spending is a mind that spends and is killed.
type spending struct {
	*world
	limit  string
	server *modeltest.Server
	began  time.Time
	ticks  int
}

func newSpending(t *testing.T, limit string) *spending {
	server := lab(t, modeltest.Options{Script: modeltest.Thinker(), Seed: 3, Troubles: []modeltest.Trouble{
		modeltest.Sometimes(modeltest.Cut, 0.06), modeltest.Sometimes(modeltest.Hang, 0.02), modeltest.Sometimes(modeltest.NoUsage, 0.05),
		modeltest.Sometimes(modeltest.ServerError, 0.05), modeltest.Sometimes(modeltest.Huge, 0.01), modeltest.Sometimes(modeltest.Reset, 0.03),
	}})
	s := &spending{world: newWorld(t), limit: limit, server: server, began: time.Now()}
	s.options = spender(s.options, server.BaseURL(modeltest.OpenAI), limit, s.began)
	return s
}

func (s *spending) run(kills int) {
	s.begin()
	s.think() // the baseline
	s.stop()
	random := rand.New(rand.NewPCG(17, 4))
	for range kills {
		s.life(time.Duration(random.IntN(250)) * time.Millisecond)
		s.begin()
		s.holds()
		s.stop()
	}
	lost := s.runsDry()
	s.t.Logf("%s: %d kills, %d ticks, %d requests; charged %s and %d tokens, counted %s, %d tokens and %d calls, of these lost by kills %s and %d calls",
		s.limit, kills, s.ticks, s.server.Count(), bill(s.server.Charged()), s.server.Charged().Total(),
		lost.Today.Money, lost.Today.Tokens, lost.Today.Calls, lost.Lost.Money, lost.Lost.Calls)
}

// life is a mind in a process of its own, killed so long after its first tick.
func (s *spending) life(after time.Duration) {
	s.t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "DAEMON_TEST_CHILD=spends", childDir+"="+s.dir, spendServer+"="+s.server.BaseURL(modeltest.OpenAI),
		spendCap+"="+s.limit, spendBegan+"="+strconv.FormatInt(s.began.UnixNano(), 10))
	lines := testutil.Started(s.t, command)
	kill := func() {
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			s.t.Error(err)
		}
	}
	death := time.AfterFunc(time.Minute, kill)
	for first := true; lines.Scan(); first = false {
		if !strings.HasPrefix(lines.Text(), "tick ") {
			s.t.Errorf("it said %q", lines.Text())
		}
		if first {
			death.Reset(after)
		}
		s.ticks++
	}
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || exit.Exited() {
		s.t.Errorf("it was not killed: %v", err)
	}
	death.Stop()
}

// holds compares what was charged with what is counted and with what is allowed.
func (s *spending) holds() {
	s.t.Helper()
	charged, counted, allowed := s.server.Charged(), s.spent().Today, s.options.Config.Budget
	if bill(charged) > counted.Money || counted.Money > budget.Dollars(allowed.MoneyPerDay) {
		s.t.Fatalf("charged %s, counted %s, allowed $%.2f", bill(charged), counted.Money, allowed.MoneyPerDay)
	}
	if charged.Total() > counted.Tokens || counted.Tokens > allowed.TokensPerDay {
		s.t.Fatalf("charged %d tokens, counted %d, allowed %d", charged.Total(), counted.Tokens, allowed.TokensPerDay)
	}
	// A call may be tried twice.
	if s.server.Count() > 2*counted.Calls || counted.Calls > allowed.CallsPerDay {
		s.t.Fatalf("%d requests, counted %d calls, allowed %d", s.server.Count(), counted.Calls, allowed.CallsPerDay)
	}
}

// think is a tick with news.
func (s *spending) think() api.TickReport {
	s.t.Helper()
	s.ticks++
	s.news(1000 + s.ticks)
	report := s.tickAs(subconscious.Scheduled)
	s.holds()
	return report
}

// runsDry ticks until nothing is left, and then into the next day.
func (s *spending) runsDry() budget.Overview {
	s.t.Helper()
	// Answers that do not say what they used count at their worst.
	s.server.SetTroubles(modeltest.Always(modeltest.NoUsage))
	s.clock.advance(s.options.Now().Sub(s.clock.Now()))
	s.options.Now = s.clock.Now
	s.options.Config.Models.Timeout, s.options.Config.Threads.Deadline = patience, patience
	s.begin()
	reached := "has no room for a call until midnight"
	for range 200 {
		s.clock.advance(time.Minute)
		if isReflex(s.think(), reached) {
			break
		}
	}
	before := s.server.Count()
	s.clock.advance(time.Minute)
	if report := s.think(); !isReflex(report, reached) || s.server.Count() != before {
		s.t.Fatalf("%d more requests: %+v", s.server.Count()-before, report.Threads)
	}
	s.saysSo(reached)
	dry := s.spent()

	s.server.SetTroubles()
	local := s.clock.Now().In(time.FixedZone("CET", 3600))
	midnight := time.Date(local.Year(), local.Month(), local.Day()+1, 0, 1, 0, 0, local.Location())
	s.clock.advance(midnight.Sub(s.clock.Now()))
	s.news(1)
	report := s.tickAs(subconscious.Scheduled)
	for _, r := range asked(report) {
		if r.Mode != "model" {
			s.t.Errorf("the day after: %+v", r)
		}
	}
	if notices := s.modelNotices(); len(notices) > 0 || s.server.Count() == before {
		s.t.Errorf("the day after: %d requests, %+v", s.server.Count()-before, notices)
	}
	if today := s.spent().Today; today.Calls == 0 || today.Money > dry.Today.Money/2 {
		s.t.Errorf("the day after %+v is counted", today)
	}
	return dry
}

// isReflex reports whether all threads that were asked thought by reflex for
// that reason.
func isReflex(report api.TickReport, reason string) bool {
	for _, r := range asked(report) {
		if r.Mode != "reflex" || !strings.Contains(r.Reason, reason) {
			return false
		}
	}
	return len(asked(report)) > 0
}

// saysSo: status, notices and report tell that the budget is used up.
func (s *spending) saysSo(reached string) {
	s.t.Helper()
	status := s.status()
	told := 0
	for _, thread := range status.Threads {
		if strings.Contains(thread.Reason, reached) && thread.Mode == "reflex" && thread.Usual == usualModel {
			told++
		}
	}
	if told < 3 {
		s.t.Errorf("%d threads say that the budget is used up: %+v", told, status.Threads)
	}
	if notices := s.modelNotices(); len(notices) != 1 || strings.Count(notices[0].Text, "the ") < 4 || !strings.Contains(notices[0].Text, reached) {
		s.t.Errorf("the notices are %+v", notices)
	}
	report, err := s.d.Report(context.Background(), start)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, limits := range [][]api.LimitStatus{status.Budget.Limits, report.Budget.Limits} {
		for _, l := range limits {
			if l.Name != s.limit {
				continue
			}
			if until := l.Until.In(time.UTC).Format("15:04"); !l.Exhausted || until != "23:00" {
				s.t.Errorf("the limit is shown as %+v", l)
			}
		}
	}
	if report.Money > s.options.Config.Budget.MoneyPerDay {
		s.t.Errorf("the report says $%.4f", report.Money)
	}
}
