package notify

import (
	"context"
	"errors"
	"sync/atomic"
)

// Solo makes calls that know no context, one at a time: each in a goroutine, which
// goes on where nobody waits for it any more. Use NewSolo.
type Solo struct {
	turn chan struct{} // held by the call that is made
	left atomic.Bool   // nobody waits for that call any more
}

// NewSolo returns one that makes no call yet.
func NewSolo() *Solo { return &Solo{turn: make(chan struct{}, 1)} }

var (
	// ErrHangs: the call was not made, since an earlier one had not come to its end
	// in time.
	ErrHangs = errors.New("an earlier call still hangs")
	// ErrLeft: the call was made and has not come to its end.
	ErrLeft = errors.New("the call goes on, and nobody waits for it")
)

// Do makes a call and returns its error. Where ctx ends before, it is ErrHangs or
// ErrLeft, and that of ctx where it had ended before a call could be made. It waits for a call that somebody waits for, and for no other.
func (s *Solo) Do(ctx context.Context, call func() error) error {
	select {
	case s.turn <- struct{}{}:
	default:
		if s.left.Load() {
			return ErrHangs
		}
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return ErrHangs
		}
	}
	if err := ctx.Err(); err != nil {
		<-s.turn
		return err
	}
	done := make(chan error, 1)
	go func() {
		done <- call()
		s.left.Store(false)
		<-s.turn
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.left.Store(true)
	select {
	case err := <-done: // it has just come to its end
		s.left.Store(false)
		return err
	default:
		return ErrLeft
	}
}
