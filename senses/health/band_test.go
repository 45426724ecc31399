package health

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBands(t *testing.T) {
	l := limits{85, 95, 3}
	for _, c := range []struct {
		before band
		value  float64
		want   band
	}{
		{inOrder, 84.9, inOrder}, {inOrder, 85, warning}, {inOrder, 95, critical}, {inOrder, math.NaN(), inOrder},
		{warning, 82, warning}, {warning, 81.9, inOrder}, {warning, 94.9, warning}, {warning, 95, critical},
		{critical, 92, critical}, {critical, 91.9, warning}, {critical, 82, warning}, {critical, 81.9, inOrder},
	} {
		if got := l.next(c.before, c.value); got != c.want {
			t.Errorf("%q at %g becomes %q, want %q", c.before, c.value, got, c.want)
		}
	}
}

// TestBandsNeverFlap: however a reading moves, going up into a band and down
// out of it again costs it a way of the margin, so that there are at most as
// many changes as whole margins in the way it went, and one for each limit.
func TestBandsNeverFlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := limits{85, 95, 3}
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 100), rapid.Float64Range(80, 97)), 2, 60).Draw(t, "values")
		now, changes, way := l.next(inOrder, values[0]), 0, 0.0
		for i := 1; i < len(values); i++ {
			next := l.next(now, values[i])
			way += math.Abs(values[i] - values[i-1])
			if next != now {
				changes++
			}
			if next == critical && values[i] < 92 || next == inOrder && values[i] >= 85 || next == warning && (values[i] < 82 || values[i] >= 95) {
				t.Fatalf("%g is called %q", values[i], next)
			}
			now = next
		}
		// Each limit is crossed up and down in turns, and from the second
		// crossing on the way between is the margin at least.
		if most := 2 * (int(way/l.margin) + 1); changes > most {
			t.Fatalf("%d changes on a way of %g, want at most %d", changes, way, most)
		}
	})
}

// TestBandsHoldWithinTheMargin: a reading that stays within less than the
// margin changes its band once for each limit at most, whatever it does.
func TestBandsHoldWithinTheMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := limits{85, 95, 3}
		low := rapid.Float64Range(70, 97).Draw(t, "low")
		values := rapid.SliceOfN(rapid.Float64Range(low, low+2.99), 2, 100).Draw(t, "values")
		now := rapid.SampledFrom([]band{inOrder, warning, critical}).Draw(t, "before")
		now = l.next(now, values[0])
		changes := 0
		for _, v := range values {
			if next := l.next(now, v); next != now {
				now = next
				changes++
			}
		}
		if changes > 1 {
			t.Fatalf("%d changes between %g and %g", changes, low, low+3)
		}
	})
}

const gb = 1e9

// every returns readings five minutes apart.
func every(values ...float64) series {
	var s series
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for i, v := range values {
		s = s.add(at.Add(time.Duration(i)*5*time.Minute), v*gb)
	}
	return s
}

// straight returns n values from first on.
func straight(n int, first, step float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = first + step*float64(i)
	}
	return values
}

func TestCourse(t *testing.T) {
	flat := straight(6, 60, 0)
	for name, c := range map[string]struct {
		values []float64
		total  float64
		before course
		want   trend
		fill   fill
	}{
		"nothing moves":                       {values: straight(13, 60, 0), total: 100},
		"3 GB an hour, 40 left":               {values: straight(6, 60, 0.25), total: 100, want: rises, fill: fillDay},
		"3 GB an hour, 15 left":               {values: straight(6, 83.75, 0.25), total: 100, want: rises, fill: fill6h},
		"12 GB an hour, 10 left":              {values: straight(6, 85, 1), total: 100, want: rises, fill: fillHour},
		"3 GB an hour on a huge disk":         {values: straight(6, 60, 0.25), total: 4000},
		"five readings":                       {values: straight(5, 60, 1), total: 100},
		"one jump":                            {values: append(slices.Clone(flat), straight(6, 80, 0)...), total: 100},
		"one jump at the end":                 {values: append(slices.Clone(flat), 80), total: 100},
		"two jumps":                           {values: append(append(slices.Clone(flat), 70, 70, 70), 80, 80, 80), total: 100},
		"noise":                               {values: []float64{60, 63, 61, 60, 64, 62, 60, 61, 64, 60, 62, 63, 61}, total: 100},
		"a rise with noise":                   {values: []float64{60, 61.2, 61.9, 63.1, 63.8, 65.2, 65.9, 67, 68.2, 68.9}, total: 100, want: rises, fill: fill6h},
		"files come, then go on":              {values: append(straight(13, 60, 0), straight(6, 60.25, 0.25)...), total: 100, want: rises, fill: fillDay},
		"falling":                             {values: straight(8, 60, -0.5), total: 100, want: falls},
		"a rise goes on, bumpily":             {values: []float64{60, 60, 61, 60.9, 62, 61.9, 62.5, 62.4}, total: 100, before: course{Trend: rises, Rate: gb / 1200, Fill: fillDay}, want: rises, fill: fillDay},
		"a rise ends":                         {values: append(straight(6, 60, 1), straight(7, 65, 0)...), total: 100, before: course{Trend: rises, Rate: gb / 300, Fill: fill6h}},
		"a rise ends by cleaning":             {values: append(straight(6, 90, 1), 40, 40), total: 100, before: course{Trend: rises, Rate: gb / 300, Fill: fillHour}},
		"after a start a rise is still known": {values: []float64{70}, total: 100, before: course{Trend: rises, Rate: 3 * gb / 3600, Fill: fillDay}, want: rises, fill: fillDay},
	} {
		t.Run(name, func(t *testing.T) {
			s := every(c.values...)
			got := c.before.next(s, s[len(s)-1].Value, c.total*gb, true)
			if got.Trend != c.want || got.Fill != c.fill {
				t.Errorf("%q within %q, want %q within %q; rate %g GB/h", got.Trend, got.Fill, c.want, c.fill, got.Rate*3600/gb)
			}
		})
	}
}

func TestFillClassesHold(t *testing.T) {
	for _, c := range []struct {
		before fill
		hours  float64
		want   fill
	}{
		{fillNone, 24.1, fillNone}, {fillNone, 24, fillDay}, {fillDay, 29.9, fillDay}, {fillDay, 30.1, fillNone},
		{fillDay, 6, fill6h}, {fill6h, 7.4, fill6h}, {fill6h, 7.6, fillDay}, {fill6h, 31, fillNone},
		{fill6h, 1, fillHour}, {fillHour, 1.2, fillHour}, {fillHour, 1.3, fill6h}, {fillHour, 29, fillDay}, {fillNone, 0.2, fillHour},
	} {
		if got := nextFill(c.before, c.hours); got != c.want {
			t.Errorf("%q at %g hours becomes %q, want %q", c.before, c.hours, got, c.want)
		}
	}
}

// TestOneJumpIsNoTrend: a series that is flat, jumps once and is flat again is
// no trend at any of its readings, wherever it jumps and how far.
func TestOneJumpIsNoTrend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.IntRange(1, 30).Draw(t, "before"), rapid.IntRange(1, 30).Draw(t, "after")
		jump := rapid.Float64Range(-50, 39).Draw(t, "jump")
		values := append(straight(before, 60, 0), straight(after, 60+jump, 0)...)
		now := course{}
		for n := 1; n <= len(values); n++ {
			s := every(values[:n]...)
			now = now.next(s, s[len(s)-1].Value, 100*gb, true)
			if now.Trend != steady {
				t.Fatalf("after %d readings, a jump of %g at %d is %q", n, jump, before, now.Trend)
			}
		}
	})
}

// TestNoiseIsNoTrend: a week of uneven noise on a disk with little left.
func TestNoiseIsNoTrend(t *testing.T) {
	seed, found := uint64(1), 0
	noise := func() float64 { // xorshift: the same noise each time
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return float64(seed%10_000) / 10_000
	}
	var s series
	now := course{}
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for range 7 * 288 {
		at = at.Add(5 * time.Minute)
		used := (75 + 3*noise()) * gb
		s = s.add(at, used)
		if now = now.next(s, used, 100*gb, true); now.Trend != steady {
			found++
		}
	}
	if found > 0 {
		t.Errorf("noise was called a trend at %d of 2016 readings", found)
	}
}

func TestSeriesIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s series
		at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
		for _, step := range rapid.SliceOfN(rapid.IntRange(-3600, 3600), 1, 300).Draw(t, "steps") {
			at = at.Add(time.Duration(step) * time.Second)
			s = s.add(at, 1)
			if len(s) == 0 || len(s) > maxReadings {
				t.Fatalf("%d readings are kept", len(s))
			}
			for i := 1; i < len(s); i++ {
				if s[i].At-s[i-1].At < 240 {
					t.Fatalf("two readings %d seconds apart are kept", s[i].At-s[i-1].At)
				}
			}
		}
	})
}
