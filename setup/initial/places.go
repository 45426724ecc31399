package initial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/files"
	"github.com/subconsciousd/subconsciousd/senses/notes"
)

const (
	// maxPlaces bounds how many of one kind are proposed, placeWithin for how long
	// one is looked through.
	maxPlaces   = 8
	placeWithin = 2 * time.Second
)

// The customary places, below the home folder.
var (
	notesPlaces = []string{"notes", "Notes", "Documents/notes", "Documents/Notes", "obsidian", "Obsidian", "Documents/Obsidian", "vault", "Vault",
		"Nextcloud/Notes", "Dropbox/Notes", "Sync/Notes", "zettelkasten"}
	filesPlaces    = []string{"work", "Work", "projects", "Projects", "Documents/work", "Documents/Work"}
	calendarPlaces = []string{"*.ics", "Calendar/*.ics", "Calendars/*.ics", "calendar/*.ics", "calendars/*.ics", "Documents/*.ics", "Documents/Calendar/*.ics",
		".local/share/evolution/calendar/system/calendar.ics"}
)

// spot is a folder or file that a sense could look at, and what is in it.
type spot struct{ path, about string }

// findPlaces finds notes, folders of files and calendars in their customary
// places.
func findPlaces(ctx context.Context, s *session) {
	home, ok := s.Env("HOME")
	if !ok || !filepath.IsAbs(home) {
		return
	}
	find := func(patterns []string, look func(context.Context, string) (string, error)) []spot {
		var found []spot
		var known []fs.FileInfo
		for _, pattern := range patterns {
			paths, err := filepath.Glob(filepath.Join(home, pattern))
			if err != nil {
				continue // a home folder that reads as a pattern
			}
			for _, path := range paths {
				info, err := os.Stat(path)
				if err != nil || len(found) == maxPlaces || slices.ContainsFunc(known, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
					continue
				}
				if about, err := look(ctx, path); err == nil && about != "0 notes" {
					known, found = append(known, info), append(found, spot{path, about})
				}
			}
		}
		return found
	}
	s.found.notes = find(notesPlaces, countNotes)
	s.found.files = find(filesPlaces, countFiles)
	s.found.calendars = find(calendarPlaces, countEvents)
	s.found.desktop = s.session()
}

// session reports whether a person sits at a desktop here.
func (s *session) session() bool {
	if runtime.GOOS == "darwin" {
		return true
	}
	x, _ := s.Env("DISPLAY")
	wayland, _ := s.Env("WAYLAND_DISPLAY")
	bus, _ := s.Env("DBUS_SESSION_BUS_ADDRESS")
	return x+wayland != "" && bus != ""
}

// countNotes says how many notes a folder holds.
func countNotes(ctx context.Context, path string) (string, error) {
	ctx, done := context.WithTimeout(ctx, placeWithin)
	defer done()
	p, err := notes.Probe(ctx, notes.Config{Path: path})
	return some(p.Files, p.More, "note"), missing(err, "folder")
}

// countFiles says how many files a folder holds.
func countFiles(ctx context.Context, path string) (string, error) {
	ctx, done := context.WithTimeout(ctx, placeWithin)
	defer done()
	p, err := files.Probe(ctx, files.Config{Path: path})
	return some(p.Files, p.More, "file"), missing(err, "folder")
}

// countEvents says how many events a calendar holds.
func countEvents(_ context.Context, path string) (string, error) {
	n, _, err := calendar.Probe(calendar.Config{ICS: path})
	return some(n, false, "event"), missing(err, "file")
}

// missing says shortly that something is not there.
func missing(err error, what string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such " + what)
	}
	return err
}

// some writes "12 notes", or "more than 12 notes".
func some(n int, more bool, word string) string {
	text := fmt.Sprintf("%d %ss", n, word)
	if n == 1 {
		text = "1 " + word
	}
	if more {
		return "more than " + text
	}
	return text
}
