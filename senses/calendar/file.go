package calendar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/watch"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// stamp tells one state of a file from another.
type stamp struct {
	size, modified int64
	inode          uint64
}

const (
	// granularity is how coarsely file systems may tell times. A file that was
	// read so soon after a change may be changed again without another stamp.
	granularity = 2 * time.Second
	// longestTick is how long after its time a tick may still be reading. A
	// file changed later than that carries a time that somebody set.
	longestTick = 5 * time.Minute
)

// shows reports whether a change after the tick of at would show in the
// stamp.
func (s stamp) shows(at time.Time) bool {
	age := at.UnixNano() - s.modified
	return age > int64(granularity) || age < -int64(longestTick)
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), modified: info.ModTime().UnixNano()}
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = system.Ino
	}
	return s
}

// readStamp returns the stamp of the file.
func readStamp(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, plain(path, err)
	}
	if !info.Mode().IsRegular() {
		return stamp{}, fmt.Errorf("the calendar %s is not a file; set ics to an .ics file", path)
	}
	return stampOf(info), nil
}

// content is a file as it was read.
type content struct {
	stamp stamp
	data  []byte
}

// own reports whether the file carries the mark of the daemon's own words.
func (c content) own() bool {
	return bytes.Contains(c.data[:min(len(c.data), 4<<10)], []byte(subconscious.Mark))
}

// readFile reads the whole file. It does not wait for a writer where somebody
// put a pipe in the file's place.
func readFile(path string, exclude []string) (content, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return content{}, plain(path, err)
	}
	if within(real, exclude) || within(path, exclude) {
		return content{}, fmt.Errorf("the calendar %s lies in a folder of this daemon, which no sense reads; move it or configure another", path)
	}
	file, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return content{}, plain(path, err)
	}
	defer file.Close() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return content{}, plain(path, err)
	}
	switch {
	case !info.Mode().IsRegular():
		return content{}, fmt.Errorf("the calendar %s is not a file; set ics to an .ics file", path)
	case info.Size() > maxFile:
		return content{}, tooLarge(path)
	}
	buffer := bytes.NewBuffer(make([]byte, 0, info.Size()+512))
	if _, err := buffer.ReadFrom(io.LimitReader(file, maxFile+1)); err != nil {
		return content{}, plain(path, err)
	}
	if buffer.Len() > maxFile {
		return content{}, tooLarge(path)
	}
	return content{stamp: stampOf(info), data: buffer.Bytes()}, nil
}

func tooLarge(path string) error {
	return fmt.Errorf("the calendar %s is larger than %d MiB; export a shorter period, or split it into several", path, maxFile>>20)
}

// plain puts an error of the file system in words, with what to do.
func plain(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the calendar %s is not there; export it again or correct ics: %w", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the calendar %s may not be read; allow it with chmod or correct ics: %w", path, err)
	}
	return fmt.Errorf("the calendar %s cannot be read: %w", path, err)
}

// hints asks for an early tick when the file is another one than that which was
// last read. Whatever else happens in its folder, and the watcher's own
// beginnings, ask for nothing.
type hints struct {
	sub  *watch.Subscription
	out  chan struct{}
	read atomic.Pointer[stamp] // what the last collect read; nil before the first
	stop context.CancelFunc
	done sync.WaitGroup
}

// listen begins to watch the folder of the file at path.
func listen(watcher *watch.Watcher, path string) (*hints, error) {
	sub, err := watcher.Subscribe(filepath.Dir(path), watch.SubscribeOptions{
		Ignore: func(other string, _ bool) bool { return other != path },
	})
	if err != nil {
		return nil, err
	}
	h := &hints{sub: sub, out: make(chan struct{}, 1)}
	var ctx context.Context
	ctx, h.stop = context.WithCancel(context.Background())
	h.done.Go(func() { h.forward(ctx, path) })
	return h, nil
}

func (h *hints) forward(ctx context.Context, path string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.sub.Changed():
		}
		h.sub.Drain()
		last := h.read.Load()
		if now, err := readStamp(path); last == nil || err == nil && now == *last {
			continue
		}
		select {
		case h.out <- struct{}{}:
		default: // one is waiting already
		}
	}
}

func (h *hints) close() {
	h.stop()
	h.done.Wait()
	h.sub.Close()
}
