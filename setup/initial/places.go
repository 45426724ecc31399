package initial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	// maxPlaces bounds how many of one kind are proposed.
	maxPlaces = 8
	// maxEntries bounds how many entries of a folder are counted, placeWithin
	// for how long, and placeDepth how far down.
	maxEntries  = 5000
	placeWithin = 2 * time.Second
	placeDepth  = 6
	// maxCalendar bounds a calendar, in bytes, as its sense does.
	maxCalendar = 16 << 20
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
				if about, err := look(ctx, path); err == nil {
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

// countNotes counts notes in a folder. A folder without any is an error.
func countNotes(ctx context.Context, path string) (string, error) {
	n, more, err := count(ctx, path, func(name string) bool {
		return slices.Contains([]string{".md", ".markdown", ".txt"}, strings.ToLower(filepath.Ext(name)))
	})
	if err == nil && n == 0 {
		err = errors.New("there is no note in it (.md, .markdown, .txt)")
	}
	return some(n, more, "note"), err
}

// countFiles counts the files in a folder.
func countFiles(ctx context.Context, path string) (string, error) {
	n, more, err := count(ctx, path, func(string) bool { return true })
	return some(n, more, "file"), err
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

var errEnough = errors.New("enough")

// count counts the files below a folder that fit; more: it was not looked at to
// the end. Hidden folders are left out.
func count(ctx context.Context, root string, fits func(name string) bool) (n int, more bool, err error) {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, false, errors.New("there is no such folder")
	case err != nil:
		return 0, false, fmt.Errorf("it cannot be looked at: %w", err)
	case !info.IsDir():
		return 0, false, errors.New("it is no folder")
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return 0, false, fmt.Errorf("it cannot be looked at: %w", err)
	}
	ctx, done := context.WithTimeout(ctx, placeWithin)
	defer done()
	seen := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if seen++; seen > maxEntries || ctx.Err() != nil {
			return errEnough
		}
		switch {
		case err != nil && path == root:
			return fmt.Errorf("it cannot be read: %w", err)
		case err != nil:
			return nil // a folder below that is closed; its sense says so
		case entry.IsDir():
			name, relErr := filepath.Rel(root, path)
			if path != root && (strings.HasPrefix(entry.Name(), ".") || relErr != nil || strings.Count(name, string(filepath.Separator)) >= placeDepth) {
				return filepath.SkipDir
			}
		case fits(entry.Name()):
			n++
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return n, true, nil
	}
	return n, false, err
}

// countEvents counts the events in a calendar.
func countEvents(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("there is no such file")
	case err != nil:
		return "", fmt.Errorf("it cannot be looked at: %w", err)
	case !info.Mode().IsRegular():
		return "", errors.New("it is no file")
	case info.Size() > maxCalendar:
		return "", errors.New("it is over 16 MiB, which is too long for a calendar")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("it cannot be opened: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	lines := bufio.NewScanner(io.LimitReader(file, maxCalendar))
	lines.Buffer(nil, 1<<20)
	calendar, events := false, 0
	for lines.Scan() && ctx.Err() == nil {
		line := strings.ToUpper(strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff")))
		if line == "" {
			continue
		}
		if !calendar && line != "BEGIN:VCALENDAR" {
			break
		}
		calendar = true
		if line == "BEGIN:VEVENT" {
			events++
		}
	}
	if !calendar {
		return "", errors.New("it is no iCalendar file (.ics)")
	}
	return some(events, false, "event"), nil
}
