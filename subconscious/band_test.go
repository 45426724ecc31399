package subconscious_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

var bands = []subconscious.Band{subconscious.BandFar, subconscious.Band72h, subconscious.Band24h, subconscious.Band2h,
	subconscious.Band15m, subconscious.BandNow, subconscious.BandPast}

func TestTimeBand(t *testing.T) {
	due := time.Date(2026, 11, 4, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		before time.Duration
		want   subconscious.Band
	}{
		{1000 * time.Hour, subconscious.BandFar}, {72*time.Hour + 1, subconscious.BandFar},
		{72 * time.Hour, subconscious.Band72h}, {24*time.Hour + 1, subconscious.Band72h},
		{24 * time.Hour, subconscious.Band24h}, {2*time.Hour + 1, subconscious.Band24h},
		{2 * time.Hour, subconscious.Band2h}, {15*time.Minute + 1, subconscious.Band2h},
		{15 * time.Minute, subconscious.Band15m}, {1, subconscious.Band15m},
		{0, subconscious.BandNow}, {-time.Hour + 1, subconscious.BandNow},
		{-time.Hour, subconscious.BandPast}, {-1000 * time.Hour, subconscious.BandPast},
	} {
		if got := subconscious.TimeBand(due, due.Add(-c.before)); got != c.want {
			t.Errorf("%s before it is due it is in band %q, want %q", c.before, got, c.want)
		}
	}
	if got := subconscious.TimeBand(time.Time{}, due); got != subconscious.BandNone {
		t.Errorf("what is never due is in band %q", got)
	}
	if _, ok := subconscious.NextBand(time.Time{}, due); ok {
		t.Error("what is never due enters a band")
	}
	if _, ok := subconscious.NextBand(due, due.Add(time.Hour)); ok {
		t.Error("there is a band after the last")
	}
}

func TestBandRank(t *testing.T) {
	for want, band := range bands {
		if got := band.Rank(); got != want {
			t.Errorf("rank of %q is %d, want %d", band, got, want)
		}
	}
	for _, band := range []subconscious.Band{subconscious.BandNone, "made-up"} {
		if got := band.Rank(); got != 0 {
			t.Errorf("rank of %q is %d", band, got)
		}
	}
}

// TestNextBand: at the next start the band is another one of a higher rank, and
// just before it is still the same.
func TestNextBand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		due := time.Unix(rapid.Int64Range(1, 1<<40).Draw(t, "due"), 0)
		at := due.Add(time.Duration(rapid.Int64Range(-int64(100*time.Hour), int64(100*time.Hour)).Draw(t, "away")))
		band := subconscious.TimeBand(due, at)
		next, ok := subconscious.NextBand(due, at)
		if ok != (band != subconscious.BandPast) {
			t.Fatalf("in %q there is a next band: %v", band, ok)
		}
		if !ok {
			return
		}
		if !next.After(at) {
			t.Fatalf("the next band begins at %s, it is %s", next, at)
		}
		if got := subconscious.TimeBand(due, next.Add(-1)); got != band {
			t.Fatalf("just before the next band it is %q, it was %q", got, band)
		}
		if got := subconscious.TimeBand(due, next); got.Rank() != band.Rank()+1 {
			t.Fatalf("after %q comes %q", band, got)
		}
	})
}
