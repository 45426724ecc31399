package calendar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Bounds of one rule.
const (
	maxRule     = 2_000 // bytes
	maxInterval = 10_000
	maxTimes    = 96 // a day, or 12 an hour
	maxPosition = 64 // entries of BYSETPOS
)

// rule is an RRULE within bounds. COUNT and UNTIL are kept apart from the
// library, which does not count a DTSTART outside the pattern and compares
// UNTIL in another zone.
type rule struct {
	option rrule.ROption
	count  int // 0: without end
	until  *moment
	// weight is what a step of the rule costs beside that of a plain one.
	weight int
	// never: the pattern cannot match, so there is nothing but DTSTART.
	never bool
}

// parseRule reads an RRULE value for an event that starts at start. Its errors
// end the sentence "this event …".
func parseRule(text string, start moment) (*rule, error) {
	if len(text) > maxRule {
		return nil, fmt.Errorf("has a rule longer than %d bytes", maxRule)
	}
	r := &rule{}
	var kept []string
	for part := range strings.SplitSeq(strings.ToUpper(strings.TrimSpace(text)), ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case key == "" || strings.HasPrefix(key, "X-"):
		case key == "COUNT":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("has COUNT=%s, which is no number of times", clip(value, 24))
			}
			r.count = n
		case key == "UNTIL":
			until, err := parseMoment(value, start.zone)
			if err != nil {
				return nil, fmt.Errorf("has UNTIL %w", err)
			}
			r.until = &until
		case key == "DTSTART" || key == "BYEASTER":
			return nil, fmt.Errorf("has a rule with %s, which is not supported", key)
		default:
			kept = append(kept, key+"="+value)
		}
	}
	option, err := rrule.StrToROption(strings.Join(kept, ";"))
	if err != nil {
		return nil, fmt.Errorf("has a rule that cannot be read (%w)", err)
	}
	r.option = *option
	if err := r.bound(start); err != nil {
		return nil, err
	}
	return r, nil
}

// bound refuses what the library would not survive or not finish, and writes
// out what DTSTART implies.
func (r *rule) bound(start moment) error {
	o := &r.option
	o.Interval = max(o.Interval, 1)
	if start.date {
		o.Byhour, o.Byminute, o.Bysecond = nil, nil, nil
	}
	o.Bysecond = slices.DeleteFunc(o.Bysecond, func(s int) bool { return s == 60 })
	for _, list := range []*[]int{&o.Bysetpos, &o.Bymonth, &o.Bymonthday, &o.Byyearday, &o.Byweekno, &o.Byhour, &o.Byminute, &o.Bysecond} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	r.boundDays()
	r.implied(start.wall)
	switch {
	case o.Freq > rrule.HOURLY, o.Freq == rrule.HOURLY && start.date:
		return fmt.Errorf("has a rule with FREQ=%s, which is not supported", o.Freq)
	case o.Interval > maxInterval:
		return fmt.Errorf("has INTERVAL=%d, more than %d", o.Interval, maxInterval)
	case len(o.Bysetpos) > maxPosition, o.Freq == rrule.HOURLY && len(o.Bysetpos) > 0:
		return errors.New("has a BYSETPOS that is not supported")
	case len(o.Byhour)*len(o.Byminute)*len(o.Bysecond) > maxTimes,
		o.Freq == rrule.HOURLY && len(o.Byminute)*len(o.Bysecond) > maxTimes/8:
		return errors.New("repeats more often than every 5 minutes")
	case o.Freq == rrule.HOURLY && !reachable(o.Byhour, start.wall.Hour(), o.Interval):
		r.never = true
	}
	r.weight = 1 + (len(o.Bysetpos)*8+len(o.Bymonth)+len(o.Bymonthday)+len(o.Byyearday)+len(o.Byweekno)+len(o.Byweekday)+
		len(o.Byhour)*len(o.Byminute)*len(o.Bysecond))/8
	if _, err := rrule.NewRRule(*o); err != nil {
		return fmt.Errorf("has a rule that cannot be read (%w)", err)
	}
	return nil
}

// boundDays drops weekdays that do not exist, such as the sixth Monday of a
// month: the library looks for them past the end of its tables.
func (r *rule) boundDays() {
	o := &r.option
	days := o.Byweekday[:0:0]
	for _, day := range o.Byweekday {
		most := 53
		if o.Freq == rrule.MONTHLY || o.Freq == rrule.YEARLY && len(o.Bymonth) > 0 {
			most = 5
		}
		if o.Freq > rrule.MONTHLY {
			day = day.Nth(0)
		}
		if n := day.N(); n >= -most && n <= most && !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	r.never = len(days) == 0 && len(o.Byweekday) > 0
	o.Byweekday = days
}

// implied writes out the parts that a rule takes from DTSTART, so that the
// iteration may begin elsewhere.
func (r *rule) implied(start time.Time) {
	o := &r.option
	if len(o.Byweekno)+len(o.Byyearday)+len(o.Bymonthday)+len(o.Byweekday) == 0 {
		switch o.Freq {
		case rrule.YEARLY:
			if len(o.Bymonth) == 0 {
				o.Bymonth = []int{int(start.Month())}
			}
			o.Bymonthday = []int{start.Day()}
		case rrule.MONTHLY:
			o.Bymonthday = []int{start.Day()}
		case rrule.WEEKLY:
			o.Byweekday = []rrule.Weekday{weekday(start)}
		}
	}
	if len(o.Byhour) == 0 && o.Freq < rrule.HOURLY {
		o.Byhour = []int{start.Hour()}
	}
	if len(o.Byminute) == 0 {
		o.Byminute = []int{start.Minute()}
	}
	if len(o.Bysecond) == 0 {
		o.Bysecond = []int{start.Second()}
	}
}

// reachable reports whether steps of interval hours from hour ever meet one of
// the hours. The library looks for one without end.
func reachable(hours []int, hour, interval int) bool {
	if len(hours) == 0 {
		return true
	}
	step := gcd(interval, 24)
	return slices.ContainsFunc(hours, func(h int) bool { return (h-hour)%step == 0 })
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// last returns the reading after which the rule has ended for certain, zero
// where it says none.
func (r *rule) last() time.Time {
	if r.until == nil {
		return time.Time{}
	}
	return r.until.wall.AddDate(0, 0, 2)
}

// ended reports whether an occurrence at m lies after UNTIL.
func (r *rule) ended(m moment) bool {
	switch u := r.until; {
	case u == nil:
		return false
	case m.date:
		return m.wall.After(u.wall)
	case u.date:
		return !m.wall.Before(u.wall.AddDate(0, 0, 1))
	case u.zone == nil || m.zone == nil:
		return m.wall.After(u.wall)
	default:
		return resolve(m.wall, m.zone).After(resolve(u.wall, u.zone))
	}
}
