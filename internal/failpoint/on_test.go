//go:build failpoints

package failpoint_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
)

func set(t *testing.T, spec, seed string) {
	t.Helper()
	restore, err := failpoint.Set(spec, seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restore)
}

// hits returns how many of n hits returned an error.
func hits(n int) (count int) {
	for range n {
		if failpoint.Hit("x") != nil {
			count++
		}
	}
	return count
}

func TestCounts(t *testing.T) {
	for spec, want := range map[string]int{
		"": 0, "y=error": 0, "x=error": 10, "x=error*3": 3, "x=error*0": 0, " y=panic ; x=error*2; ": 2, "x=error@0": 0, "x=error*4@1": 4,
	} {
		set(t, spec, "")
		if got := hits(10); got != want {
			t.Errorf("%q: %d errors, want %d", spec, got, want)
		}
	}
}

func TestProbabilityIsSeeded(t *testing.T) {
	set(t, "x=error@0.3", "7")
	first := hits(1000)
	set(t, "x=error@0.3", "7")
	if again := hits(1000); again != first || first < 200 || first > 400 {
		t.Fatalf("%d and %d errors of 1000", first, again)
	}
}

func TestErrorNamesThePoint(t *testing.T) {
	set(t, "x=error", "")
	var failed *failpoint.Error
	if err := failpoint.Hit("x"); !errors.As(err, &failed) || failed.Name != "x" {
		t.Fatalf("got %v", err)
	}
}

func TestPanic(t *testing.T) {
	set(t, "x=panic*1", "")
	defer func() {
		if recover() == nil {
			t.Fatal("it did not panic")
		}
		if err := failpoint.Hit("x"); err != nil {
			t.Fatal("it acted twice")
		}
	}()
	_ = failpoint.Hit("x")
}

func TestSleep(t *testing.T) {
	set(t, "x=sleep(30ms)*1", "")
	start := time.Now()
	if hits(2) != 0 || time.Since(start) < 30*time.Millisecond {
		t.Fatal("it did not sleep, or failed")
	}
}

func TestBadSpecs(t *testing.T) {
	for _, spec := range []string{"x", "=error", "x=boom", "x=error*", "x=error*-1", "x=error*a", "x=error@2", "x=error@NaN", "x=error@", "x=sleep",
		"x=sleep(5)", "x=sleep(5ms", "x=sleep(-1s)", "x=error;x=panic"} {
		if _, err := failpoint.Set(spec, ""); err == nil {
			t.Errorf("%q was taken", spec)
		}
	}
	if _, err := failpoint.Set("x=error", "seven"); err == nil {
		t.Error("a bad seed was taken")
	}
}

func TestKillFromTheEnvironment(t *testing.T) {
	if os.Getenv("FAILPOINT_CHILD") != "" {
		_ = failpoint.Hit("x")
		_ = failpoint.Hit("x")
		t.Fatal("still alive")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestKillFromTheEnvironment$")
	child.Env = append(os.Environ(), "FAILPOINT_CHILD=1", "SUBCONSCIOUS_FAILPOINTS=x=kill*1")
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("%v: %s", err, out)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL || strings.Contains(string(out), "alive") {
		t.Fatalf("ended by %v: %s", err, out)
	}
}
