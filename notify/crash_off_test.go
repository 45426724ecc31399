//go:build !failpoints

package notify_test

// arm does nothing where no points fail on purpose.
func arm() {}
