package models

import "time"

// clock returns now, or the machine's clock where it is nil.
func clock(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}
