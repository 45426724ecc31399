package health

import "time"

const (
	// trendReadings and trendSpan are the least that a trend rests on.
	trendReadings = 6
	trendSpan     = 25 * time.Minute
	// trendWindow is how far back a trend looks, and trendReach how far it may
	// look where readings are rarer than every ten minutes.
	trendWindow = time.Hour
	trendReach  = 6 * time.Hour
	// readingSpacing is the least time between two readings that are kept, so
	// that a burst of ticks does not pass for a long time.
	readingSpacing = 4 * time.Minute
	maxReadings    = 96
	// trendShare of the whole an hour is a trend whatever is left.
	trendShare = 0.01
	// fillReach is how far ahead a full disk is foreseen. A class of hours is
	// left only when the estimate is above it by fillSlack.
	fillReach = 24.0
	fillSlack = 1.25
)

// trend is the direction of what is in use. The empty trend is steady.
type trend string

const (
	steady trend = ""
	rises  trend = "rising"
	falls  trend = "falling"
)

// fill is the class of hours until there is nothing left. The empty class is
// more than a day, or never.
type fill string

const (
	fillNone fill = ""
	fillDay  fill = "24h"
	fill6h   fill = "6h"
	fillHour fill = "1h"
)

// fillClasses, the most urgent first.
var fillClasses = [...]struct {
	class fill
	hours float64
}{{fillHour, 1}, {fill6h, 6}, {fillDay, fillReach}}

// nextFill returns the class of hours for what was in the class before.
func nextFill(before fill, hours float64) fill {
	held := false
	for _, c := range fillClasses {
		held = held || c.class == before
		if hours <= c.hours || held && hours <= c.hours*fillSlack {
			return c.class
		}
	}
	return fillNone
}

// point is one reading of what is in use, at a time in Unix seconds.
type point struct {
	At    int64   `json:"at"`
	Value float64 `json:"v"`
}

// series are the readings of one observation, oldest first.
type series []point

// add returns the series with one more reading. Readings too close to the last
// are left out; a clock that was set back starts the series anew.
func (s series) add(at time.Time, value float64) series {
	now := at.Unix()
	if len(s) > 0 && s[len(s)-1].At > now {
		s = nil
	}
	if len(s) > 0 && now-s[len(s)-1].At < int64(readingSpacing/time.Second) {
		return s
	}
	s = append(s, point{now, value})
	oldest := 0
	for oldest < len(s) && (len(s)-oldest > maxReadings || now-s[oldest].At > int64(trendReach/time.Second)) {
		oldest++
	}
	return append(series(nil), s[oldest:]...)
}

// last returns the readings of the last span, and as many before it as a trend
// needs.
func (s series) last(span time.Duration) series {
	if len(s) == 0 {
		return nil
	}
	from, now := len(s)-1, s[len(s)-1].At
	for from > 0 && (len(s)-from < trendReadings || now-s[from].At < int64(span/time.Second)) {
		from--
	}
	return s[from:]
}

// line is a straight line through readings by least squares.
type line struct {
	rate     float64 // per second
	fits     float64 // R squared: the share of the variance that the line explains
	readings int
	span     time.Duration
	along    float64 // share of the steps that go the way of the line
	leap     float64 // the greatest step as a share of all the way
}

func (s series) line() line {
	n := float64(len(s))
	if len(s) < 2 {
		return line{readings: len(s)}
	}
	first, last := s[0], s[len(s)-1]
	var meanX, meanY float64
	for _, p := range s {
		meanX += float64(p.At-first.At) / n
		meanY += (p.Value - first.Value) / n
	}
	var xx, xy, yy float64
	for _, p := range s {
		x, y := float64(p.At-first.At)-meanX, p.Value-first.Value-meanY
		xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
	}
	l := line{readings: len(s), span: time.Duration(last.At-first.At) * time.Second}
	if xx == 0 || yy == 0 {
		return l
	}
	l.rate, l.fits = xy/xx, xy*xy/(xx*yy)
	way := last.Value - first.Value
	for i := 1; i < len(s); i++ {
		step := s[i].Value - s[i-1].Value
		if step*l.rate > 0 {
			l.along += 1 / (n - 1)
		}
		if way*l.rate > 0 {
			l.leap = max(l.leap, step/way)
		}
	}
	return l
}

// enough reports whether the line rests on enough readings to say anything.
func (l line) enough() bool { return l.readings >= trendReadings && l.span >= trendSpan }

// holds reports whether the line is a trend and not noise or a jump: it
// explains at least the share least of the variance, most steps go its way, and
// no single step makes up the way. A jump in the middle of a flat series
// reaches a share of 0.77 at most, and has a single step.
func (l line) holds(least float64) bool {
	return l.enough() && l.fits >= least && l.along >= 0.6 && l.leap > 0 && l.leap <= 0.4
}

// trend returns the line of the last hour, or that of the last half hour if
// only that one is straight, and whether it is a trend. The fewer the readings
// the straighter they must lie: of six readings of pure noise one series in
// 10,000 explains 0.98.
func (s series) trend() (line, bool) {
	hour := s.last(trendWindow).line()
	least := 0.9
	if hour.readings < 9 {
		least = 0.95
	}
	if hour.holds(least) {
		return hour, true
	}
	half := s.last(trendSpan).line()
	return half, half.holds(0.98)
}

// course is where something is heading: its trend, the rate in units a second
// while it rises or falls, and the class of hours until it is full.
type course struct {
	Trend trend   `json:"trend,omitempty"`
	Rate  float64 `json:"rate,omitempty"`
	Fill  fill    `json:"fill,omitempty"`
}

// next returns the course after the readings, for what was on the course c
// before. A trend begins where a line holds; it ends only when the readings of
// the last half hour have lost half of the rate it takes to begin. fills says
// whether the hours until full count.
func (c course) next(readings series, used, total float64, fills bool) course {
	begin := trendShare * total / 3600
	left := total - used
	up := begin
	if fills && left > 0 {
		up = min(begin, left/(fillReach*3600))
	}
	line, holds := readings.trend()
	recent := readings.last(trendSpan).line()
	now := course{}
	switch {
	case holds && line.rate >= up:
		now = course{Trend: rises, Rate: line.rate}
	case holds && line.rate <= -begin:
		now = course{Trend: falls, Rate: line.rate}
	case c.Trend == steady:
	case !recent.enough():
		now = course{Trend: c.Trend, Rate: c.Rate}
	case c.Trend == rises && recent.rate >= up/2, c.Trend == falls && recent.rate <= -begin/2:
		now = course{Trend: c.Trend, Rate: recent.rate}
	}
	if fills && left > 0 && now.Trend == rises {
		now.Fill = nextFill(c.Fill, left/now.Rate/3600)
	}
	return now
}
