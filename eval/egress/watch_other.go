//go:build !linux

package egress

import (
	"context"
	"io"
)

// Inside reports whether this process was started by Enter.
func Inside() bool { return false }

// Enter cannot be done here.
func Enter(context.Context, []string, io.Writer, io.Writer) (int, error) { return 0, ErrUnsupported }

// Watch cannot be had here.
type Watch struct{}

// Open cannot be done here.
func Open(context.Context) (*Watch, error) { return nil, ErrUnsupported }

// Allow does nothing.
func (*Watch) Allow(uint16) {}

// Seen cannot be said here.
func (*Watch) Seen(context.Context) (Seen, error) { return Seen{}, ErrUnsupported }

// Close does nothing.
func (*Watch) Close(context.Context) (Seen, error) { return Seen{}, ErrUnsupported }
