package watch

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// backend is what the loop needs of the operating system's watcher.
type backend interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
	events() <-chan fsnotify.Event
	errors() <-chan error
}

var _ backend = (*system)(nil)

type system struct{ *fsnotify.Watcher }

func (s *system) events() <-chan fsnotify.Event { return s.Watcher.Events }
func (s *system) errors() <-chan error          { return s.Watcher.Errors }

func openSystem() (backend, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &system{w}, nil
}

// exhausted reports whether err says that a limit of the system, and not the
// folder, is in the way.
func exhausted(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) ||
		errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// instead ends each reason for being degraded.
const instead = "; looking through the folders at each tick instead"

func outOfWatches(root string) string {
	return fmt.Sprintf("the system allows no more file watches for %s%s; %s", root, instead, watchesRemedy)
}

func outOfWatchers() string {
	return "the system allows no further file watcher" + instead + "; " + watchersRemedy
}

func overLimit(root string, limit int) string {
	return fmt.Sprintf("%s needs more than the %d file watches that are allowed in all%s; add ignore patterns for folders that do not matter", root, limit, instead)
}

func rootMissing(root string) string {
	return fmt.Sprintf("the folder %s is not there; create it, mount it, or correct its path", root)
}

func cannotWatch(root string, err error) string {
	return fmt.Sprintf("%s cannot be watched (%v)%s", root, err, instead)
}
