// Package notes is the sense that reads the person's notes: markdown and plain
// text below one folder, CLAUDE.md and AGENTS.md among them.
//
// Kind "promise" stands: what the writer undertook, or has to do, as written
// in English, German, French or Spanish. Its identity is the file (as first
// seen: renaming it changes nothing) and a hash of its own words, so that
// moving the line changes nothing and rewording it makes another promise. It
// stands until it is ticked off, marked as done, struck through or removed, or
// until 7 days after its date; one without a date stands until it is done.
// Prose is one as well where it says of a day to come what is to be done then or
// by then ("Call the bank on 3 March", form deadline), or names an appointment
// with its day and time ("Zahnarzt: 10.03.2026 17:30", form due). Nobody ticks
// that off: the one stands for a day after its date, the other until it. A date
// without a year counts from when the file was last changed, and one that lies
// in the past when it is first read is none; logs, minutes and archives hold none.
// Severity is 1 with a date and 0 without. A relative date is resolved once,
// when the promise is first seen, against the date in the file's name, else
// the one of its front matter, else that moment. Attributes:
//
//	file       the path below the folder
//	line       the number of the line
//	state      open
//	form       task, todo, deadline, reminder, promise, duty or due
//	date_text  the date as it is written
//	heading    the innermost heading above it
//
// Kind "note" is momentary: a note was created, changed, renamed or deleted,
// with the added lines as its text. Attributes: file, what, from (for a
// renamed one), added and removed (numbers of lines). On the first collect the
// promises are told, and no notes.
//
// Quotes, code, comments and lines with the daemon's mark are not read, nor is
// a file that carries the mark in its first 4 KiB. One row a file is kept,
// keyed by its path: what it looked like, what its dates were found to mean,
// and hashes of its lines; see senses.Row. Files are read through os.Root and
// symlinks are not followed. The daemon makes one sense for each configured
// folder.
package notes
