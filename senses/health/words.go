package health

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// whole returns a share in whole per cent, rounded down: 99.9% is not full.
func whole(share float64) string { return strconv.Itoa(int(math.Floor(share))) }

// size returns bytes for people, in powers of 1000: "1.9 GB".
func size(bytes float64) string { return humanize.Bytes(uint64(max(0, bytes))) }

// count returns a number for people: "12,400", in two significant digits.
func count(n float64) string {
	if n < 100 {
		return strconv.Itoa(int(max(0, n)))
	}
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return humanize.Comma(int64(n/unit) * int64(unit))
}

func cores(n int) string {
	if n == 1 {
		return "one core"
	}
	return strconv.Itoa(n) + " cores"
}

// fullAt is when a gauge that rises will be full, to ten minutes.
func fullAt(at time.Time, g gauge, now gaugeNow) time.Time {
	return at.Add(time.Duration((g.total - g.used) / now.Course.Rate * float64(time.Second))).Round(10 * time.Minute)
}

// when says at what time a gauge that rises will be full: "at about 17:40",
// with the day if that is not today.
func (l *collect) when(g gauge, now gaugeNow) string {
	full := fullAt(l.at, g, now)
	if full.YearDay() == l.at.YearDay() {
		return full.Format("at about 15:04")
	}
	return full.Format("at about 15:04 on Mon 2 January")
}

// span says how long something takes: "30 minutes", "2 hours".
func span(d time.Duration) string {
	if d%time.Hour == 0 && d > time.Hour {
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}

// clip returns text in one line of at most limit bytes, without control
// characters, and cut between characters.
func clip(text string, limit int) string {
	text = subconscious.Clip(text, limit)
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
