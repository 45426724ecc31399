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

type system struct {
	*fsnotify.Watcher
	failed chan error
}

func (s *system) events() <-chan fsnotify.Event { return s.Watcher.Events }
func (s *system) errors() <-chan error          { return s.failed }

func openSystem() (backend, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	s := &system{w, make(chan error, 1)}
	go s.takeErrors()
	return s, nil
}

// takeErrors takes errors at once, since the library may hold its lock until one is
// taken, and a loop that is adding a folder waits for that lock. Of several, one
// stands for all: it has everything looked through.
func (s *system) takeErrors() {
	defer close(s.failed)
	for err := range s.Errors {
		// A folder was renamed and deleted before the library read of its name.
		if errors.Is(err, syscall.EINVAL) {
			continue
		}
		select {
		case s.failed <- err:
		default:
		}
	}
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
