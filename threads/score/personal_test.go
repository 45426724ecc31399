package score

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// senders are those who write to a made-up person: what the weights make of their
// letters, give or take a spread, how many come a day, and their names.
var senders = []struct {
	sum, spread, daily int
	names              []string
}{
	{60, 130, 2, []string{"anna@home.example", "@home.example"}}, {40, 130, 1, []string{"ben@gmail.com"}},
	{-20, 130, 2, []string{"dora@work.example", "@work.example"}},
	{120, 60, 1, []string{reports, "@work.example"}},
	{-250, 80, 2, []string{"member", club}},
	{-350, 60, 4, []string{"news@shop.example", "@shop.example"}}, {-160, 120, 2, []string{"noreply@bank.example", "@bank.example"}},
	{-220, 100, 2, []string{"stranger"}},
}

const club, reports = "list:club.example", "kim@work.example"

// week is how the letters of one week were judged.
type week struct{ with, without []judgedLetter }

type judgedLetter struct {
	percent int
	wanted  bool
}

// area is the chance that a wanted letter is judged above another.
func area(letters []judgedLetter) float64 {
	letters = slices.SortedStableFunc(slices.Values(letters), func(a, b judgedLetter) int { return cmp.Compare(a.percent, b.percent) })
	var pairs, right float64
	for _, a := range letters {
		for _, b := range letters {
			if a.wanted && !b.wanted {
				pairs++
				right += float64(1+cmp.Compare(a.percent, b.percent)) / 2
			}
		}
	}
	return right / pairs
}

// pushes counts what is pushed and was not wanted, and what was wanted and is not.
func pushes(letters []judgedLetter) (wrong, missed int) {
	for _, l := range letters {
		wrong += is(l.percent >= 65 && !l.wanted)
		missed += is(l.percent < 65 && l.wanted)
	}
	return wrong, missed
}

// lived are four weeks of so many people, each of whom wants what the weights say is
// worth it, but for what habit says otherwise (0 as the weights, 1 always, -1 never).
func lived(people int, habit func(names []string) int, deeds map[bool][]subconscious.Deed) (weeks [4]week) {
	begin := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for seed := range people {
		random, learnt := rand.New(rand.NewPCG(uint64(seed), 7)), Habits{}
		for day := range 28 {
			at, w := begin.AddDate(0, 0, day), &weeks[day/7]
			for _, s := range senders {
				for range s.daily {
					names := slices.Clone(s.names)
					if names[0] == "stranger" || names[0] == "member" {
						names[0] = fmt.Sprint(names[0], random.IntN(12))
					}
					sum := s.sum + random.IntN(2*s.spread+1) - s.spread
					wanted := random.IntN(100) < percent(sum)
					if way := habit(names); way != 0 {
						wanted = way > 0
					}
					w.with = append(w.with, judgedLetter{percent(sum + learnt.Of(names, at)), wanted})
					w.without = append(w.without, judgedLetter{percent(sum), wanted})
					learnt.Learn(names, sum, deeds[wanted][random.IntN(len(deeds[wanted]))], at)
				}
			}
		}
	}
	return weeks
}

// TestFourWeeks: whose habits are not those of the weights, who answers a club and
// never reads a colleague's reports, is judged better from the second week on. Whose
// habits are the weights' is judged worse in no week, nor who reads or files all.
func TestFourWeeks(t *testing.T) {
	const later = "read later"
	none := func([]string) int { return 0 }
	usual := map[bool][]subconscious.Deed{
		true:  {subconscious.Answered, subconscious.Answered, subconscious.ReadSoon, subconscious.ReadSoon, later},
		false: {subconscious.Removed, subconscious.Removed, subconscious.Unread, later, later},
	}
	for name, c := range map[string]struct {
		habit  func([]string) int
		deeds  map[bool][]subconscious.Deed
		better bool
	}{
		"other habits": {func(names []string) int {
			return is(slices.Contains(names, club)) - is(slices.Contains(names, reports))
		}, usual, true},
		"as the weights": {none, usual, false},
		"reads all":      {none, map[bool][]subconscious.Deed{true: {subconscious.ReadSoon}, false: {subconscious.ReadSoon}}, false},
		"files all":      {none, map[bool][]subconscious.Deed{true: {subconscious.Removed}, false: {subconscious.Removed}}, false},
	} {
		for n, w := range lived(40, c.habit, c.deeds) {
			with, without := area(w.with), area(w.without)
			wrong, missed := pushes(w.with)
			wrongBefore, missedBefore := pushes(w.without)
			t.Logf("%s, week %d: area %.4f, without %.4f; wrong pushes %d, without %d; missed %d, without %d", name, n+1, with, without, wrong, wrongBefore, missed, missedBefore)
			if c.better && n > 0 && (with < without+0.1 || 3*wrong > 2*wrongBefore) || !c.better && (with < without-0.001 || wrong > wrongBefore) {
				t.Errorf("%s, week %d is judged worse than it should be", name, n+1)
			}
		}
	}
}

// TestHabits: one act alone moves no score, four alike do, by two at most; half is
// forgotten after 90 days; and what is no act teaches nothing.
func TestHabits(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	names := []string{"anna@home.example", "@home.example"}
	for _, c := range []struct {
		deed        subconscious.Deed
		sum, times  int
		after       time.Duration
		least, most int
	}{
		{subconscious.Answered, -300, 1, 0, 0, 0},
		{subconscious.Answered, -300, 4, 0, 100, 200},
		{subconscious.Answered, -300, 500, 0, 150, 200},
		{subconscious.Answered, -300, 500, 120 * 24 * time.Hour, 120, 170},
		{subconscious.Answered, -300, 500, 1000 * 24 * time.Hour, 0, 0},
		{subconscious.Deed(subconscious.NotUseful), 300, 4, 0, -200, -100},
		{subconscious.Deed(subconscious.Ignored), 300, 100, 0, 0, 0},
	} {
		learnt := Habits{}
		for range 500 { // the person's way with all letters
			learnt.Learn([]string{"other"}, 300, subconscious.Answered, at)
			learnt.Learn([]string{"other"}, -300, subconscious.Removed, at)
		}
		for range c.times {
			learnt.Learn(names, c.sum, c.deed, at)
		}
		if got := learnt.Of(names, at.Add(c.after)); got < c.least || got > c.most {
			t.Errorf("%+v: %d", c, got)
		}
	}
	learnt := Habits{}
	learnt.Learn(names[:1], -300, subconscious.Answered, at)
	learnt.Learn([]string{"news@shop.example"}, -300, subconscious.Unread, at)
	if named := learnt.Named(at); len(named) != 1 || named[0].Name != names[0] {
		t.Errorf("shown are %+v", named)
	}
}
