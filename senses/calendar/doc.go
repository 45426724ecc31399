// Package calendar is the sense "calendar": the events ahead in one iCalendar
// file.
//
// It has one kind of observation, "event", which stands while it is ahead: a
// timed event until it begins, an all-day event until the end of its first
// day. Only occurrences that begin within the next 35 days are reported.
//
// The ID of an event is its UID, a slash, and for an occurrence of a series
// the original start in UTC (RFC 3339), so that an occurrence that was moved
// keeps its identity. An event that does not repeat has nothing after the
// slash and keeps its identity wherever it is moved. All-day and floating
// occurrences are named by the date or clock time that was written, so that a
// journey into another zone makes no new events of them.
//
// Attributes: start and end (RFC 3339, in the mind's zone), all_day ("true"),
// location, organizer, attendees (how many), partstat (the owner's own answer,
// in lower case, where one of the configured addresses was invited), status
// ("tentative" or "confirmed"), transparent ("free" or "busy"), recurring
// ("true"), zone (the event's zone, where it is not the mind's), moved_from
// (the start it had before, RFC 3339).
//
// Links: "uid:UID", "url:…" for meeting links without their query, "addr:…"
// for the organiser.
//
// The package stores no tables. Its rows in the ledger are "start/" and an
// ID, with the start that was last reported and the one before it. The
// collector of package senses calls it once a tick.
package calendar
