package mind_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// starting leaves a program behind that holds for a moment what this one holds of
// a file, as one does that is just being started.
func starting(path string) error {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, file := range files {
		if to, _ := os.Readlink("/proc/self/fd/" + file.Name()); to == path {
			fd, err := strconv.Atoi(file.Name())
			if err != nil {
				return err
			}
			sleep := exec.Command("sleep", "0.3")
			sleep.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), path)}
			return sleep.Start()
		}
	}
	return fmt.Errorf("%s is not open", path)
}

// childLock holds the folder until its standard input ends.
func childLock(_ context.Context, dir string) error {
	lock, err := mind.LockDir(dir, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	if err != nil {
		return err
	}
	if os.Getenv("MIND_TEST_STARTS") != "" {
		if err := starting(filepath.Join(dir, mind.LockName)); err != nil {
			return err
		}
	}
	fmt.Println("locked", lock.Tightened)
	var end string
	if _, err := fmt.Scanln(&end); err == nil {
		return fmt.Errorf("unexpected %q", end)
	}
	return lock.Unlock()
}
