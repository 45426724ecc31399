package setup

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// ParseSchedule reads the five fields of cron: minute, hour, day of the month,
// month, day of the week. An error says what is wrong and, after a semicolon,
// what to write.
func ParseSchedule(spec string) (cron.Schedule, error) {
	fields := strings.Fields(spec)
	switch {
	case len(fields) == 0:
		return nil, errors.New(`is empty; write five fields, such as "*/5 * * * *"`)
	case len(spec) > 200:
		return nil, errors.New(`is too long; write five fields, such as "*/5 * * * *"`)
	case strings.HasPrefix(spec, "@every"):
		return nil, fmt.Errorf(`%q drifts away from the clock; write five fields, such as "*/5 * * * *" for every five minutes`, clip(spec))
	case strings.Contains(spec, "="):
		return nil, fmt.Errorf(`%q names a time zone; set the key timezone instead, and leave five fields here`, clip(spec))
	case strings.HasPrefix(spec, "@"):
		return nil, fmt.Errorf(`%q is a short form; write five fields, such as "0 * * * *" for every hour`, clip(spec))
	case len(fields) != 5:
		return nil, fmt.Errorf(`%q has not five fields but %d; write minute, hour, day, month and day of the week, such as "*/5 * * * *"`, clip(spec), len(fields))
	}
	schedule, err := cron.ParseStandard(strings.Join(fields, " "))
	if err != nil {
		return nil, fmt.Errorf(`%q cannot be read (%s); write five fields, such as "*/5 * * * *"`, clip(spec), clip(strings.ReplaceAll(err.Error(), "; ", ", ")))
	}
	if schedule.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, fmt.Errorf(`%q never comes; write a day that exists, such as "*/5 * * * *"`, clip(spec))
	}
	return schedule, nil
}
