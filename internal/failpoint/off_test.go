//go:build !failpoints

package failpoint_test

import (
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
)

func TestOff(t *testing.T) {
	t.Setenv("SUBCONSCIOUS_FAILPOINTS", "x=panic")
	if err := failpoint.Hit("x"); err != nil || failpoint.Enabled {
		t.Fatalf("a build without the tag acted: %v", err)
	}
}

// BenchmarkOff shows that a point costs nothing: the loop is empty.
func BenchmarkOff(b *testing.B) {
	for b.Loop() {
		if err := failpoint.Hit("x"); err != nil {
			b.Fatal(err)
		}
	}
}
