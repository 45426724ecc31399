//go:build failpoints

package threads_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestFailpoint: a thread can be made to fail, or to panic, by its name, and
// nobody else is.
func TestFailpoint(t *testing.T) {
	restore, err := failpoint.Set("thread.watcher=error*2;thread.oracle=panic*1", "1")
	if err != nil {
		t.Fatal(err)
	}
	defer restore()
	watcher, oracle := &mind{name: "watcher", think: finds("a", 0)}, &mind{name: "oracle", think: finds("b", 0)}
	r := newRunner(t, 0, watcher, oracle)
	for tick, want := range [][2]string{{"failpoint thread.watcher", "it panicked"}, {"failpoint thread.watcher", ""}, {"", ""}} {
		for i, result := range r.RunAll(t.Context(), subconscious.Snapshot{}, everyone(watcher, oracle)) {
			if (want[i] == "") != (result.Err == nil) || result.Err != nil && !strings.Contains(result.Err.Error(), want[i]) {
				t.Errorf("tick %d: %s: %v, want %q", tick, result.Thread, result.Err, want[i])
			}
		}
	}
	stop(t, r)
}
