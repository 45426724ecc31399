package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// streamBody hands on a streamed answer and bounds it: all of it, each line,
// and the wait between two pieces. Its failures are *Error.
type streamBody struct {
	trip        *trip
	under       io.ReadCloser
	total, line int
	ended       error
}

// Read implements io.Reader.
func (b *streamBody) Read(p []byte) (int, error) {
	if b.ended != nil {
		return 0, b.ended
	}
	idle := time.AfterFunc(b.trip.options.Idle, func() { b.trip.cancel(errIdle) })
	n, err := b.under.Read(p[:min(len(p), maxStream-b.total+1)])
	idle.Stop()
	b.count(p[:n])
	switch {
	case b.total > maxStream:
		err = b.trip.failed(KindTooLarge, fmt.Sprintf("its answer is larger than %d MiB", maxStream>>20), "")
	case b.line > maxLine:
		err = b.trip.failed(KindTooLarge, fmt.Sprintf("a line of its answer is longer than %d MiB", maxLine>>20), "")
	case err != nil && !errors.Is(err, io.EOF):
		err = b.trip.broken(err, "in the middle of its answer")
	}
	b.ended = err
	return n, err
}

func (b *streamBody) count(p []byte) {
	b.total += len(p)
	for len(p) > 0 && b.line <= maxLine {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			b.line += len(p)
			return
		}
		if b.line += end; b.line <= maxLine {
			b.line = 0
		}
		p = p[end+1:]
	}
}

// Close implements io.Closer.
func (b *streamBody) Close() error {
	if b.ended == nil {
		b.ended = io.ErrClosedPipe
	}
	b.trip.cancel(nil)
	return b.under.Close()
}
