package subconscious

import "time"

// Band is how far away a due time is. Crossing into another band is a change.
type Band string

const (
	BandNone   Band = ""     // no due time
	BandFar    Band = ">72h" // more than 72 hours ahead
	Band72h    Band = "72h"  // within 72 hours
	Band24h    Band = "24h"
	Band2h     Band = "2h"
	Band15m    Band = "15m"
	BandNow    Band = "now"  // from the due time on, for an hour
	BandPast   Band = "past" // later than that
	nowLasting      = time.Hour
)

// bandStarts are the distances before the due time at which each band begins,
// nearest last.
var bandStarts = [...]struct {
	before time.Duration
	band   Band
}{
	{72 * time.Hour, Band72h},
	{24 * time.Hour, Band24h},
	{2 * time.Hour, Band2h},
	{15 * time.Minute, Band15m},
	{0, BandNow},
	{-nowLasting, BandPast},
}

// TimeBand returns the band that due lies in at the time at.
func TimeBand(due, at time.Time) Band {
	if due.IsZero() {
		return BandNone
	}
	band := BandFar
	for _, b := range bandStarts {
		if at.Before(due.Add(-b.before)) {
			break
		}
		band = b.band
	}
	return band
}

// NextBand returns when the observation due then enters its next band after at;
// ok is false where there is none.
func NextBand(due, at time.Time) (next time.Time, ok bool) {
	if due.IsZero() {
		return time.Time{}, false
	}
	for _, b := range bandStarts {
		if start := due.Add(-b.before); start.After(at) {
			return start, true
		}
	}
	return time.Time{}, false
}

// Rank orders bands by nearness: 0 for none or far, rising to 6 for past.
func (b Band) Rank() int {
	for i, s := range bandStarts {
		if s.band == b {
			return i + 1
		}
	}
	return 0
}
