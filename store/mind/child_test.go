package mind_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/subconsciousd/subconsciousd/store/mind"
)

// runChild is what the test program does when a test has started it again.
func runChild(what, dir string) int {
	err := map[string]func(ctx context.Context, dir string) error{
		"lock": childLock,
		"tick": childTick,
	}[what](context.Background(), dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func child(what, dir string, env ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], dir)
	command.Env = append(append(os.Environ(), "MIND_TEST_CHILD="+what), env...)
	return command
}

// childLock holds the folder until its standard input ends.
func childLock(_ context.Context, dir string) error {
	lock, err := mind.LockDir(dir, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	if err != nil {
		return err
	}
	fmt.Println("locked", lock.Tightened)
	var end string
	if _, err := fmt.Scanln(&end); err == nil {
		return fmt.Errorf("unexpected %q", end)
	}
	return lock.Unlock()
}
