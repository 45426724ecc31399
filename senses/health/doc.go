// Package health is the sense for the machine itself: disks, memory, load,
// temperature, battery, services and the clock. The daemon opens one, and
// collects from it at each tick.
//
// It stores no tables. Its cursor keeps, for what is not in order alone, the
// band and the trend that were last announced, so that a restart neither
// repeats nor forgets anything.
//
// # What stands, and until when
//
// All kinds stand while they are so and are gone after; nothing is momentary.
//
//	kind         ID                     stands while
//	disk         disk:/var              over its threshold, or full within 24 hours at its present trend
//	inodes       inodes:/var            the same, of the files that fit
//	memory       memory                 over its threshold
//	swap         swap                   over its threshold
//	load         load                   the load of 15 minutes, per core, is over its threshold
//	temperature  temperature:SENSOR     over its threshold, or over the sensor's own critical limit
//	battery      battery                discharging and below its threshold
//	unit         unit:NAME              systemd calls the unit failed (unit:user/NAME for the person's own)
//	restarts     restarts:NAME          the service was restarted too often within the window
//	clock        clock                  a time service runs and the clock is out of step
//
// A threshold is left only 3 points below it (20 points for load), so that a
// reading that trembles about it changes nothing.
//
// The fingerprint is the band, and for disks, inodes, memory and swap the trend
// and the class of hours until full. Readings are never part of it. Load,
// temperature and battery swing too fast for a trend to say anything. That of a
// unit is why and in which hour it failed, so that failing again is a change.
//
// # Attributes
//
//	band          warning, critical; "trend" for what stands by its trend alone
//	trend         rising, steady, falling
//	used_percent  whole per cent in use
//	free_bytes    what is left
//	full_at       RFC 3339, when it will be full at its present trend
//	left_percent  whole per cent of the battery's charge
//	per_core      load of one core
//	celsius, result, exit_code, restarts, bus, offset
package health
