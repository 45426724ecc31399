//go:build !linux

package health

import "context"

// readClock finds no clock to look at: the kernel does not say whether it is
// kept in step.
func readClock(context.Context) (*Clock, error) { return nil, nil }
