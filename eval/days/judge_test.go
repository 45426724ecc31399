package days

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// judged parses a day with these labels and judges pushes on it. A push is
// written "HH:MM KIND KEY WORDS".
func judged(t *testing.T, labels string, pushes ...string) figures {
	t.Helper()
	before, _, _ := strings.Cut(small, "-- labels --\n")
	d, err := parseDay("small.txtar", []byte(before+"-- labels --\n"+labels))
	if err != nil {
		t.Fatal(err)
	}
	played := &Played{day: d, counts: counts{Messages: len(pushes), Ticks: 288}}
	for _, text := range pushes {
		parts := strings.SplitN(text, " ", 4)
		clock, err := time.ParseInLocation("2006-01-02 15:04", "2026-03-03 "+parts[0], d.zone)
		if err != nil {
			t.Fatal(err)
		}
		played.Pushes = append(played.Pushes, Push{At: clock, Kind: parts[1], Keys: strings.Split(parts[2], ","), Words: parts[3]})
	}
	return judge(played)
}

// verdicts are what the pushes were, in words.
func (f figures) verdicts() string {
	var all []string
	for _, v := range f.Verdicts {
		all = append(all, v.String())
	}
	return strings.Join(all, "; ")
}

const (
	needleSrv = `needle srv
  since 14:00
  by 14:30
  until 15:00
  about disk /srv
  because "Everything stops when the disk is full."
`
	worthNote = `worth anna
  about note notes/todo.md
  match "anna"
  because "A call to Anna is welcome any day."
`
	noiseLog = `noise logs
  about file files/
  because "Nobody wants to hear of log files."
`
	trapBackup = `trap backup
  about unit backup.service
  because "The machine it ran on was given away."
`
	all = needleSrv + worthNote + noiseLog + trapBackup
)

func TestJudge(t *testing.T) {
	const disk, note, promise = "health:disk:/srv", "notes:notes/todo.md", "notes:notes/todo.md#12ab"
	for name, c := range map[string]struct {
		labels   string
		pushes   []string
		verdicts string
		told     int
		repeats  int
		delays   []int
	}{
		"nothing":                 {all, nil, "", 0, 0, nil},
		"in time":                 {all, []string{"14:10 incident " + disk + " Full"}, "needle srv", 1, 0, []int{2}},
		"at once":                 {all, []string{"14:00 incident " + disk + " Full"}, "needle srv", 1, 0, []int{0}},
		"in a digest":             {all, []string{"14:05 digest " + disk + " Full"}, "needle srv", 1, 0, []int{1}},
		"too early":               {all, []string{"13:55 incident " + disk + " Full"}, "noise", 0, 0, nil},
		"too late":                {all, []string{"14:35 incident " + disk + " Full"}, "late needle srv", 0, 0, nil},
		"over":                    {all, []string{"15:05 incident " + disk + " Full"}, "noise", 0, 0, nil},
		"twice":                   {all, []string{"14:00 incident " + disk + " Full", "14:20 incident " + disk + " Fuller"}, "needle srv; repeat of needle srv", 1, 1, []int{0}},
		"digest, then alone":      {all, []string{"14:00 digest " + disk + " Full", "14:20 incident " + disk + " Fuller"}, "needle srv; needle srv", 1, 0, []int{0}},
		"alone, then digest":      {all, []string{"14:00 incident " + disk + " Full", "14:20 digest " + disk + " Full"}, "needle srv; repeat of needle srv", 1, 1, []int{0}},
		"digest twice":            {all, []string{"14:00 digest " + disk + " Full", "14:20 digest " + disk + " Full"}, "needle srv; repeat of needle srv", 1, 1, []int{0}},
		"about another disk":      {all, []string{"14:00 incident health:disk:/home Full"}, "noise", 0, 0, nil},
		"about two observations":  {all, []string{"14:00 incident health:unit:x," + disk + " Failed"}, "needle srv", 1, 0, []int{0}},
		"a promise in a note":     {all, []string{"09:00 incident " + promise + " Call ANNA"}, "worth anna", 0, 0, nil},
		"another in the note":     {all, []string{"09:00 incident " + note + " Buy milk"}, "noise", 0, 0, nil},
		"a name and nothing else": {all, []string{"09:00 incident files:x Call Anna"}, "noise", 0, 0, nil},
		"noise that has a name":   {all, []string{"10:00 incident files:files/log-1.txt Written"}, "noise logs", 0, 0, nil},
		"a trap":                  {all, []string{"14:00 incident health:restarts:backup.service Restarted"}, "trap backup", 0, 0, nil},
		"wanted before a trap":    {all, []string{"14:00 incident health:unit:backup.service," + disk + " Failed"}, "needle srv", 1, 0, []int{0}},
		"again": {
			strings.Replace(needleSrv, "  because", "  again 14:20 because \"It is full now, and worse.\"\n  because", 1),
			[]string{"14:00 incident " + disk + " Full", "14:15 incident " + disk + " Fuller", "14:25 incident " + disk + " Fullest", "14:30 incident " + disk + " Full"},
			"needle srv; repeat of needle srv; needle srv; repeat of needle srv", 1, 2, []int{0},
		},
		"the one not told yet first": {
			needleSrv + strings.Replace(needleSrv, "needle srv", "needle srv-too", 1),
			[]string{"14:00 incident " + disk + " Full", "14:05 incident " + disk + " Full"},
			"needle srv; needle srv-too", 2, 0, []int{0, 1},
		},
		"a moment has no delay": {
			strings.Replace(needleSrv, "since", "from", 1), []string{"14:20 incident " + disk + " Full"}, "needle srv", 1, 0, nil,
		},
		"delay from when it is wanted": {
			strings.Replace(needleSrv, "since 14:00", "since 12:00\n  from 14:03", 1), []string{"14:10 incident " + disk + " Full"}, "needle srv", 1, 0, []int{1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := judged(t, c.labels, c.pushes...)
			if f.verdicts() != c.verdicts || f.Told != c.told || f.Repeats != c.repeats {
				t.Errorf("%s; %d told, %d repeats\nwant %s; %d, %d", f.verdicts(), f.Told, f.Repeats, c.verdicts, c.told, c.repeats)
			}
			if len(f.Delays) != len(c.delays) || len(c.delays) > 0 && f.Delays[0] != c.delays[0] {
				t.Errorf("delays %v, want %v", f.Delays, c.delays)
			}
			if want := f.Needles - f.Told; len(f.Missed) != want {
				t.Errorf("%d are missed, want %d", len(f.Missed), want)
			}
		})
	}
}

// Figures of a set are sums over its days alone.
func TestSumDays(t *testing.T) {
	good := judged(t, all, "14:00 incident health:disk:/srv Full", "09:00 digest notes:notes/todo.md Anna", "09:00 digest files:files/a A")
	bad := judged(t, all, "14:20 incident health:unit:backup.service Failed")
	quiet := judged(t, noiseLog, "03:00 incident files:files/a A")
	other := judged(t, all)
	other.Set, good.Digests = setHold, 1
	s := sum(setTune, []figures{good, bad, quiet, other})
	if s.Scripts != 3 || s.Needles != 2 || s.Told != 1 || *s.Recall != 0.5 || s.Pushes != 5 || s.Right != 2 || *s.Precision != 0.4 {
		t.Errorf("%+v", s)
	}
	if s.Items != 2 || s.ItemsRight != 1 || s.Traps != 2 || s.Sprung != 1 || s.Quiet != 1 || s.Silent != 0 || *s.Median != 0 || s.PushesADay != 1.67 {
		t.Errorf("%+v", s)
	}
	if *s.SinglePrecision != 0.333 || *s.ItemPrecision != 0.5 || s.SinglesADay != 1.33 || s.DigestsADay != 0.33 || s.TrapsADay != 0.33 || s.RepeatsADay != 0 {
		t.Errorf("by channel %v %v, a day %+v", *s.SinglePrecision, *s.ItemPrecision, s)
	}
	for _, words := range []string{"recall", "precision", "trap", "quiet"} {
		if !strings.Contains(strings.Join(s.Missed, "\n"), words) {
			t.Errorf("that %s was missed is not said: %v", words, s.Missed)
		}
	}
	floors := bounds{"recall": 0.501, "precision": 0.4, "quiet_days_silent": 0, "repeats": 0, "traps_told": 0, "delay_median": -1}
	if err := s.under(floors); err == nil || strings.Count(err.Error(), "its floor is") != 3 || !strings.Contains(err.Error(), "recall is 0.5, and its floor is 0.501") {
		t.Errorf("under the floors: %v", err)
	}
	empty := sum(setTune, nil)
	if len(empty.Missed) > 0 || empty.Recall != nil || empty.Median != nil {
		t.Errorf("of nothing: %+v", empty)
	}
	text := harness.Text(table, result{Sets: []setFigures{s}, Days: []figures{good, bad, quiet}, Verbose: true})
	for _, want := range []string{"0.500 (1 of 2)", "MISSED: recall", "nobody asked that it be told", "trap backup", "because: Everything stops"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		sorted  []int
		percent int
		want    int
	}{{[]int{3}, 50, 3}, {[]int{1, 2}, 50, 1}, {[]int{1, 2, 3}, 50, 2}, {[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 90, 9}, {[]int{1, 2}, 90, 2}} {
		if got := rank(c.sorted, c.percent); *got != c.want {
			t.Errorf("%v at %d: %d, want %d", c.sorted, c.percent, *got, c.want)
		}
	}
	if rank(nil, 50) != nil {
		t.Error("the median of nothing is something")
	}
}

// What the gate decided of a needle's observations is found by their keys.
func TestDecisionsOn(t *testing.T) {
	d, err := parseDay("small.txtar", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	p := &Played{day: d}
	for _, key := range []string{"health:disk:/srv", "pair:health:disk:/srv & files:files/a&&b", "files:files/a", "pattern:health:disk:/srv"} {
		p.decided = append(p.decided, decision{api.Decision{Summary: "about srv " + key, Ruling: api.Ruling{Verdict: "hold", Reason: "quiet_hours"}}, partsOf(key)})
	}
	if got := p.decisionsOn(d.labels[0]); len(got) != 3 || !strings.Contains(got[0], "hold quiet_hours") {
		t.Errorf("%q", got)
	}
	if got := partsOf("pair:health:disk:/srv & files:files/a&&b"); got[1] != "files:files/a&b" {
		t.Errorf("%q", got)
	}
}

// TestQuotes: a push says what its label says it has to, or not, and is told
// none the less.
func TestQuotes(t *testing.T) {
	labels := strings.Replace(needleSrv, "  because", "  says \"9[0-9]\"\n  says \"full\"\n  because", 1)
	for words, want := range map[string]int{"/srv is 93 per cent full": 1, "/srv is full": 0} {
		f := judged(t, labels, "14:10 incident health:disk:/srv "+words)
		if f.Quoting != 1 || f.Quoted != want || f.Told != 1 || f.By["machine"] != (share{1, 1}) {
			t.Errorf("%q: %+v", words, f.counts)
		}
	}
}

// TestSince: what changed between two results is listed.
func TestSince(t *testing.T) {
	of := func(told int, missed ...miss) result {
		return result{Sets: []setFigures{{Set: setTune}}, Days: []figures{{Name: "small", Set: setTune, counts: counts{Needles: 2, Told: told}, Missed: missed}}}
	}
	before, now := of(1, miss{Label: "a"}), of(1, miss{Label: "b"})
	want := []change{{"small", "a", "missed", "told"}, {"small", "b", "told", "missed"}}
	if got := now.since(before); !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	after := of(2)
	before.Days = append(before.Days, figures{Name: "not played now", Set: setTune, counts: counts{Needles: 1}, Missed: []miss{{Label: "c"}}})
	if got := after.since(before); !slices.Contains(got, change{setTune, "told", "1", "2"}) || !slices.Contains(got, change{"small", "a", "missed", "told"}) || slices.ContainsFunc(got, func(c change) bool { return c.Figure == "c" }) {
		t.Errorf("changes %v", got)
	}
}
