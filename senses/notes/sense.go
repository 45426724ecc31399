// Package notes is the sense that reads the person's notes: markdown and plain
// text below one folder, CLAUDE.md and AGENTS.md among them.
//
// Kind "promise" stands: what the writer undertook, or has to do, as written
// in English, German, French, Spanish, Italian or Portuguese. A line is a thing of its
// own, but where it is set in under one or plainly goes on; an item under a heading like
// "To do" needs no box. Its identity is the file (as first
// seen: renaming it changes nothing) and a hash of its own words, so that
// moving the line changes nothing and rewording it makes another promise. It
// stands until it is ticked off, marked as done, struck through or removed, or
// until 7 days after its date; one without a date stands until it is done.
// Prose is one as well where it says of a day to come what is to be done then or
// by then ("Call the bank on 3 March", form deadline), or names an appointment
// with its day and time ("Zahnarzt: 10.03.2026 17:30", form due), or
// is noted with a day of its own ("compleanno Paola 8 dicembre"), or with a time of the day
// on which it is written ("cake out at 12:55"). Nobody ticks that
// off: the one stands for a day after its date, or three hours after such a time,
// the other until it is over. A date
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
// Kind "contact" stands: the host of an address or a web site that a note names.
// Kind "lasting" stands until its date: "the backup is off until Monday".
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

import (
	"cmp"
	"context"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config is one folder of notes.
type Config struct {
	ID string `mapstructure:"id" about:"A short name, unique among the notes."`
	// Path is the folder, absolute.
	Path   string             `mapstructure:"path" path:"folder" about:"The folder, with all folders below it."`
	Ignore []string           `mapstructure:"ignore" about:"What to leave out, as in a .gitignore file."`
	Trust  subconscious.Trust `mapstructure:"trust" about:"Whose word the notes are: owner (the default), machine, agent or outsider."`
}

// Validate returns an error that names the key.
func (c Config) Validate() error {
	return folder.Config(c).Validate("/home/me/notes", subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider)
}

// Options are what a Sense needs besides its configuration.
type Options = folder.Options

// Sense looks at the notes of one folder.
type Sense = folder.Sense[entry]

// Name of the sense.
const Name = "notes"

// bounds of one folder of notes.
var bounds = folder.Bounds{Files: 20_000, Listed: 400_000, Depth: 32, Path: 1024}

// New returns the sense of one folder. The folder need not exist.
func New(c Config, options Options) (*Sense, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Trust = cmp.Or(c.Trust, subconscious.Owner)
	return folder.Follow(folder.Config(c), options, kind())
}

func kind() folder.Kind[entry] {
	return folder.Kind[entry]{
		Sense: Name, Noun: "notes", Bounds: bounds, Skip: skips, Key: rowKey, Hidden: isHidden,
		Decode: decode, Encode: (*entry).encode, Stat: func(e *entry) folder.Stat { return folder.Stat{Time: e.mtime, Size: e.size} },
		Read: read, Early: true,
		Told: func(r *folder.Root, o subconscious.Observation) subconscious.Trust {
			return r.Trusts.OfTold(o.Attrs["file"], o.Attrs["from"])
		},
	}
}

// Probe looks at a folder of notes as the sense would.
func Probe(ctx context.Context, c Config) (folder.Probe, error) {
	return kind().Probe(ctx, folder.Config(c))
}
