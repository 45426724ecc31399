package calendar

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/subconsciousd/subconsciousd/internal/watch"
)

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
	h.done.Add(1)
	go h.forward(ctx, path)
	return h, nil
}

func (h *hints) forward(ctx context.Context, path string) {
	defer h.done.Done()
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
