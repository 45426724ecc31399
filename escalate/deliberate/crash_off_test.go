//go:build !failpoints

package deliberate_test

func arm() {}
