package mind_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestPushes(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	zone := time.FixedZone("", -5*3600)
	all := []mind.Push{
		{At: noon.In(zone), Kind: "incident"}, {At: noon.Add(time.Minute).In(zone), Kind: "digest"}, {At: noon.Add(time.Hour).In(zone), Kind: "notice"},
	}
	c := next(load(t, minds))
	c.Pushes = all
	commit(t, db, minds, c)
	for after, want := range map[time.Duration][]mind.Push{0: all, time.Second: all[1:], time.Hour + 1: nil} {
		got, err := minds.Pushes(t.Context(), noon.Add(after))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("since %s: %s %v", after, diff, err)
		}
	}
	for _, wrong := range []mind.Push{{At: noon}, {Kind: "incident"}} {
		c := next(load(t, minds))
		c.Pushes = []mind.Push{wrong}
		if err := tryCommit(t.Context(), db, minds, c); err == nil {
			t.Errorf("taken: %+v", wrong)
		}
	}
}

func TestDigests(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	check := func(wantDaily, wantWeekly time.Time) {
		t.Helper()
		daily, weekly, err := minds.Digests(t.Context())
		if err != nil || !daily.Equal(wantDaily) || !weekly.Equal(wantWeekly) {
			t.Errorf("daily %s, weekly %s, %v", daily, weekly, err)
		}
	}
	check(time.Time{}, time.Time{})
	put := func(digests mind.Digests) {
		c := next(load(t, minds))
		c.Digests = digests
		commit(t, db, minds, c)
	}
	put(mind.Digests{Daily: noon})
	check(noon, time.Time{})
	put(mind.Digests{Weekly: noon.Add(time.Hour)})
	put(mind.Digests{})
	check(noon, noon.Add(time.Hour))
	put(mind.Digests{Daily: noon.AddDate(0, 0, 1).In(time.FixedZone("", 3600))})
	check(noon.AddDate(0, 0, 1), noon.Add(time.Hour))
}

func TestScores(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	score := func(thread subconscious.ThreadName, source string, kind subconscious.Kind, useful int) subconscious.Score {
		return subconscious.Score{Thread: thread, Source: source, Kind: kind, Useful: useful, Updated: noon}
	}
	put := func(scores ...subconscious.Score) {
		c := next(load(t, minds))
		c.Scores = scores
		commit(t, db, minds, c)
	}
	want := []subconscious.Score{
		score(subconscious.Oracle, "calendar", subconscious.KindDeadline, 1),
		score(subconscious.Oracle, "notes", subconscious.KindDeadline, 2),
		score(subconscious.Watcher, "health", subconscious.KindAnomaly, 3),
		score(subconscious.Watcher, "health", subconscious.KindObservation, 4),
	}
	put(want[3], want[0], score(subconscious.Watcher, "health", subconscious.KindAnomaly, 1))
	put(want[1], want[2])
	check := func(want []subconscious.Score) {
		t.Helper()
		got, err := minds.Scores(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
	check(want)
	for _, reset := range []struct {
		thread subconscious.ThreadName
		source string
		kind   subconscious.Kind
		n      int
		left   []subconscious.Score
	}{
		{"dreamer", "", "", 0, want},
		{"", "health", subconscious.KindAnomaly, 1, []subconscious.Score{want[0], want[1], want[3]}},
		{subconscious.Oracle, "", "", 2, want[3:]},
		{"", "", "", 1, nil},
	} {
		if n, err := minds.ResetScores(t.Context(), reset.thread, reset.source, reset.kind); n != reset.n || err != nil {
			t.Errorf("%+v: %d, %v", reset, n, err)
		}
		check(reset.left)
	}
	for _, wrong := range []subconscious.Score{score("", "health", "anomaly", 1), score("watcher", strings.Repeat("x", 1001), "anomaly", 1)} {
		c := next(load(t, minds))
		c.Scores = []subconscious.Score{wrong}
		if err := tryCommit(t.Context(), db, minds, c); err == nil {
			t.Errorf("taken: %.60v", wrong)
		}
	}
}

// Of more sorts than there can be the ones that changed last stay, of more habits
// those of the most acts.
func TestScoresAreBounded(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	c := next(load(t, minds))
	for n := range 2100 {
		c.Scores = append(c.Scores, subconscious.Score{Thread: subconscious.Watcher, Source: fmt.Sprint(n), Kind: "anomaly", Updated: noon.Add(time.Duration(n))})
		c.Habits = append(c.Habits, subconscious.Habit{Name: fmt.Sprint(n), Acts: 2100 - n, Day: n})
	}
	commit(t, db, minds, c)
	for range 16 { // a sweep is among them
		c = next(c.State)
		commit(t, db, minds, c)
	}
	scores, err := minds.Scores(t.Context())
	if err != nil || len(scores) != 2000 {
		t.Fatalf("%d scores, %v", len(scores), err)
	}
	for _, score := range scores {
		if score.Updated.Before(noon.Add(100)) {
			t.Fatalf("an old one stayed: %+v", score)
		}
	}
	habits, err := minds.Habits(t.Context())
	if err != nil || len(habits) != 2000 || habits["0"].Acts == 0 || habits["2000"].Acts > 0 {
		t.Errorf("%d habits, %v", len(habits), err)
	}
}

func TestMissed(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	zone := time.FixedZone("", 3600)
	all := []mind.Missed{
		{At: noon.Add(time.Hour).In(zone), Text: "the train was cancelled", Incident: "i-train-1", JSON: []byte(`{"verdict":"x"}`)},
		{At: noon.In(zone), Text: "the plumber came"},
	}
	for _, missed := range []mind.Missed{all[1], all[0], {At: noon.Add(-time.Hour), Text: "older"}} {
		if err := minds.AddMissed(t.Context(), missed); err != nil {
			t.Fatal(err)
		}
	}
	got, err := minds.MissedList(t.Context(), noon, 10)
	if diff := cmp.Diff(all, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if got, err = minds.MissedList(t.Context(), time.Unix(0, 0), 1); err != nil || !cmp.Equal(got, all[:1]) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, wrong := range map[string]mind.Missed{
		"no text": {At: noon}, "no time": {Text: "x"}, "too long": {At: noon, Text: strings.Repeat("x", 2001)},
		"a long name": {At: noon, Text: "x", Incident: subconscious.IncidentID(strings.Repeat("x", 1001))},
	} {
		var plain *store.Error
		if err := minds.AddMissed(t.Context(), wrong); !errors.As(err, &plain) || plain.Code != store.CodeInput || plain.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := minds.AddMissed(t.Context(), mind.Missed{At: noon, Text: "x", JSON: make([]byte, 64<<10+1)}); err == nil {
		t.Error("a trace of any size was taken")
	}
	for n := range 1050 {
		if err := minds.AddMissed(t.Context(), mind.Missed{At: noon, Text: fmt.Sprint(n), JSON: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	if n := rows(t, db, "SELECT count(*) FROM mind_missed"); n != 1000 {
		t.Errorf("%d are kept", n)
	}
}

func TestNoticesAreToldOnce(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	blind := mind.NoticeKey{Code: "sense_blind", Key: "home"}
	failing := mind.NoticeKey{Code: "channel_failing", Key: "phone"}
	step := func(change func(*mind.Commit), want ...mind.NoticeKey) {
		t.Helper()
		c := next(load(t, minds))
		change(&c)
		commit(t, db, minds, c)
		untold, err := minds.UntoldNotices(t.Context())
		var got []mind.NoticeKey
		for _, notice := range untold {
			got = append(got, notice.NoticeKey)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
	raise := func(key mind.NoticeKey) mind.Notice {
		return mind.Notice{NoticeKey: key, At: noon, Text: "so it is", Next: "do this"}
	}
	step(func(c *mind.Commit) { c.Raise = []mind.Notice{raise(blind), raise(failing)} }, failing, blind)
	step(func(c *mind.Commit) { c.ToldNotices = []mind.NoticeKey{blind, {Code: "unknown"}} }, failing)
	// It is still so, in other words.
	step(func(c *mind.Commit) {
		c.Raise = []mind.Notice{{NoticeKey: blind, At: noon.Add(time.Hour), Text: "still so"}}
	}, failing)
	if open, err := minds.Notices(t.Context()); err != nil || len(open) != 2 {
		t.Errorf("%+v, %v", open, err)
	}
	// It ends, and comes again.
	step(func(c *mind.Commit) { c.Resolve = []mind.NoticeKey{blind} }, failing)
	step(func(c *mind.Commit) { c.Raise = []mind.Notice{raise(blind)} }, failing, blind)
	// It ends and comes again with the tick that tells it.
	step(func(c *mind.Commit) {
		c.ToldNotices, c.Resolve, c.Raise = []mind.NoticeKey{blind, failing}, []mind.NoticeKey{blind}, []mind.Notice{raise(blind)}
	}, blind)
}

func TestCommandsAboutIncidents(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	command := subconscious.Command{At: noon, Kind: subconscious.CommandAck, Incident: "key of i-disk-1", IncidentID: "i-disk-1", Feedback: subconscious.Useful, By: "person"}
	// What is kept in a transaction that fails is not kept.
	stop := errors.New("later step failed")
	if err := db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := minds.EnqueueIn(t.Context(), tx, command)
		return errors.Join(err, stop)
	}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	var kept subconscious.Command
	if err := db.Write(t.Context(), func(tx *store.Tx) (err error) {
		kept, err = minds.EnqueueIn(t.Context(), tx, command)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	pending, err := minds.Pending(t.Context())
	if err != nil || len(pending) != 1 || pending[0] != kept || kept.ID == 0 {
		t.Fatalf("%+v, kept %+v, %v", pending, kept, err)
	}
	remind := subconscious.Command{At: noon, Kind: subconscious.CommandRemind, Entry: "w-disk-1", Until: noon.Add(time.Hour), By: "person"}
	snooze := subconscious.Command{At: noon, Kind: subconscious.CommandSnooze, Incident: "key of i-disk-1", By: "person"}
	for _, good := range []subconscious.Command{remind, snooze} {
		if _, err := minds.Enqueue(t.Context(), good); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for name, wrong := range map[string]subconscious.Command{
		"about nothing":   {At: noon, Kind: subconscious.CommandAck, By: "person"},
		"another word":    {At: noon, Kind: subconscious.CommandAck, Incident: "x", Feedback: subconscious.Ignored, By: "person"},
		"without a time":  {At: noon, Kind: subconscious.CommandRemind, Incident: "x", By: "person"},
		"past":            {At: noon, Kind: subconscious.CommandSnooze, Incident: "x", Until: noon, By: "person"},
		"much too late":   {At: noon, Kind: subconscious.CommandSnooze, Incident: "x", Until: noon.AddDate(2, 0, 0), By: "person"},
		"a long name":     {At: noon, Kind: subconscious.CommandAck, Incident: "x", IncidentID: subconscious.IncidentID(strings.Repeat("x", 1001)), By: "person"},
		"an ill-made one": {At: noon, Kind: subconscious.CommandAck, Incident: "\xff", By: "person"},
	} {
		var plain *store.Error
		if _, err := minds.Enqueue(t.Context(), wrong); !errors.As(err, &plain) || plain.Code != store.CodeInput || plain.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// concluded is how a deliberation ended.
func concluded(incident subconscious.IncidentKey, kind subconscious.OutcomeKind) subconscious.Command {
	outcome := &subconscious.Outcome{Deliberation: "7/i-disk-1", Kind: kind, Reason: "It can wait.", Tick: 7, Model: "example/large", Cost: 1_000_000,
		Cited: []subconscious.Citation{{Ref: "health:abcdefghij", Seq: 4}}}
	if kind == subconscious.OutcomeSnoozed {
		outcome.Until = noon.Add(time.Hour)
	}
	return subconscious.Command{At: noon, Kind: subconscious.CommandOutcome, Incident: incident, IncidentID: "i-disk-1", By: subconscious.ByDeliberation, Outcome: outcome}
}

func TestEnqueueOutcomes(t *testing.T) {
	minds, _ := newStore(t, store.Memory)
	for _, kind := range subconscious.OutcomeKinds() {
		command := concluded("health:disk", kind)
		command.By += " 7/i-disk-1"
		kept, err := minds.Enqueue(t.Context(), command)
		if err != nil {
			t.Fatal(kind, err)
		}
		pending, err := minds.Pending(t.Context())
		if diff := cmp.Diff(kept, pending[len(pending)-1]); diff != "" || err != nil {
			t.Error(kind, diff, err)
		}
	}
	for name, spoil := range map[string]func(*subconscious.Command){
		"by a person":        func(c *subconscious.Command) { c.By = "person" },
		"by what sounds so":  func(c *subconscious.Command) { c.By = "deliberations" },
		"of no incident":     func(c *subconscious.Command) { c.Incident = "" },
		"no outcome":         func(c *subconscious.Command) { c.Outcome = nil },
		"an outcome of none": func(c *subconscious.Command) { c.Outcome.Kind = "deliberating" },
		"another command":    func(c *subconscious.Command) { c.Kind = subconscious.CommandAck },
		"no end":             func(c *subconscious.Command) { c.Outcome.Until = noon.AddDate(2, 0, 0) },
		"a long reason":      func(c *subconscious.Command) { c.Outcome.Reason = strings.Repeat("x", 601) },
	} {
		command := concluded("health:disk", subconscious.OutcomeSnoozed)
		spoil(&command)
		var plain *store.Error
		if _, err := minds.Enqueue(t.Context(), command); !errors.As(err, &plain) || plain.Code != store.CodeInput || plain.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefundPush: a push that never became one is taken back, once, and no
// other; and not where the rest of the transaction fails.
func TestRefundPush(t *testing.T) {
	minds, db := newStore(t, store.Memory)
	all := []mind.Push{{At: noon, Kind: "incident", Key: mind.PushKey(7, "i-disk-1")}, {At: noon, Kind: "incident", Key: mind.PushKey(7, "i-disk-2")},
		{At: noon, Kind: "digest"}, {At: noon.Add(time.Minute), Kind: "incident", Key: mind.PushKey(8, "i-disk-1")}}
	c := next(load(t, minds))
	c.Pushes = all
	commit(t, db, minds, c)
	check := func(want ...mind.Push) {
		t.Helper()
		got, err := minds.Pushes(t.Context(), noon)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
	check(all...)
	refund := func(tick int64, incident subconscious.IncidentID, fails error) (done bool, err error) {
		err = db.Write(t.Context(), func(tx *store.Tx) (err error) {
			done, err = minds.RefundPush(t.Context(), tx, tick, incident)
			return errors.Join(err, fails)
		})
		return done, err
	}
	stop := errors.New("later step failed")
	if _, err := refund(7, "i-disk-1", stop); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	check(all...)
	for _, none := range []struct {
		tick     int64
		incident subconscious.IncidentID
	}{{6, "i-disk-1"}, {7, "i-disk"}, {0, ""}, {7, ""}} {
		if done, err := refund(none.tick, none.incident, nil); done || err != nil {
			t.Errorf("%+v: %t, %v", none, done, err)
		}
	}
	check(all...)
	for _, want := range []bool{true, false} {
		if done, err := refund(7, "i-disk-1", nil); done != want || err != nil {
			t.Errorf("%t, %v", done, err)
		}
		check(all[1:]...)
	}
}
