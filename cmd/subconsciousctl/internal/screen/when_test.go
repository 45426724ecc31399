package screen

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// TestWhen is asked on Saturday, 14 March 2026, at 15:05:30 in Berlin.
func TestWhen(t *testing.T) {
	view := View{At: time.Date(2026, 3, 14, 14, 5, 30, 0, time.UTC), Zone: testutil.Zone(t, "Europe/Berlin")}
	for text, want := range map[string]string{
		"2h": "2026-03-14T17:05:30+01:00", "in 90m": "2026-03-14T16:35:30+01:00", "3d": "2026-03-17T15:05:30+01:00", "1w": "2026-03-21T15:05:30+01:00",
		"18:00": "2026-03-14T18:00:00+01:00", "6pm": "2026-03-14T18:00:00+01:00", "today 18:00": "2026-03-14T18:00:00+01:00",
		"tomorrow": "2026-03-15T09:00:00+01:00", "Tomorrow 9:30": "2026-03-15T09:30:00+01:00", "tomorrow  at 21:00": "2026-03-15T21:00:00+01:00",
		"sat": "2026-03-21T09:00:00+01:00", "saturday 16:00": "2026-03-14T16:00:00+01:00", "mon 8:00": "2026-03-16T08:00:00+01:00",
		"2026-03-20": "2026-03-20T09:00:00+01:00", "2026-03-20 08:15": "2026-03-20T08:15:00+01:00", "2026-03-20T08:15": "2026-03-20T08:15:00+01:00",
		"2026-03-20T08:15:00Z": "2026-03-20T09:15:00+01:00",
		// Clocks go forward on the 29th: the time of the day stays.
		"15d": "2026-03-29T15:05:30+02:00", "2026-03-29 08:00": "2026-03-29T08:00:00+02:00", "360h": "2026-03-29T16:05:30+02:00",
	} {
		at, err := When(view, text, false)
		if err != nil || at.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v, want %s", text, at, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "not a time", "soon": "not a time", "today": "not a time", "0": "not a time", "25:00": "not a time", "tomorrow soon": "not a time", "sonday": "not a time",
		"2026-02-30": "not a time", "15:05": "15:05 is past: it is 15:05 now", "9:00": "is past", "today 9:00": "is past", "-2h": "is past", "0h": "is past", "-3d": "is past",
		"2026-03-14": "is past", "2026-03-13T08:00": "is past: it is Sat 14 Mar 15:05 now", "2028-01-01": "366 days", "9000h": "366 days", "999999999d": "366 days",
	} {
		at, err := When(view, text, false)
		var unclear *Unclear
		if !errors.As(err, &unclear) || !strings.Contains(unclear.Text, want) || unclear.Next == "" {
			t.Errorf("%q: %v, %v, want %q", text, at, err, want)
		}
	}
	for text, want := range map[string]string{"08:00": "2026-03-15T08:00:00+01:00", "18:00": "2026-03-14T18:00:00+01:00", "15:05": "2026-03-15T15:05:00+01:00"} {
		if at, err := When(view, text, true); err != nil || at.Format(time.RFC3339) != want {
			t.Errorf("%q, tomorrow's where it is past: %v, %v, want %s", text, at, err, want)
		}
	}
}

// TestWhenIsAhead: whatever is read lies ahead, and not too far.
func TestWhenIsAhead(t *testing.T) {
	zones := []*time.Location{time.UTC, testutil.Zone(t, "Europe/Berlin"), testutil.Zone(t, "Asia/Tokyo"), testutil.Zone(t, "America/St_Johns")}
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0)
		view := View{At: now, Zone: rapid.SampledFrom(zones).Draw(t, "zone")}
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`-?[0-9]{1,12}[smhdw]`), rapid.StringMatching(`(today|tomorrow|mon|fri|sunday)? ?[0-2]?[0-9]:[0-5][0-9]`),
			rapid.StringMatching(`20[0-9][0-9]-[01][0-9]-[0-3][0-9]([T ][0-2][0-9]:[0-5][0-9])?`)).Draw(t, "text")
		at, err := When(view, text, rapid.Bool().Draw(t, "roll"))
		if err == nil && (!at.After(now) || at.Sub(now) > api.MaxLater) {
			t.Fatalf("%q at %v is %v", text, now, at)
		}
	})
}
