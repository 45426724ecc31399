package actions

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"syscall"
)

const (
	// maxEnviron is how much is read of the variables of a program, in bytes.
	maxEnviron = 1 << 20
	// strayRounds bounds how often it is looked for strays: they can have
	// children while they are looked for.
	strayRounds = 20
)

// endStrays kills the programs that have a variable ("NAME=value"): what a run
// began and what left its group for a session of its own. It returns how many it
// killed.
func endStrays(variable string) (killed int) {
	for range strayRounds {
		found := strays(variable)
		if len(found) == 0 {
			break
		}
		for _, pid := range found {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
	return killed
}

// strays are the programs that have a variable, by their process numbers.
func strays(variable string) (found []int) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err == nil && pid > 1 && pid != os.Getpid() && hasVariable(name, variable) {
			found = append(found, pid)
		}
	}
	return found
}

// hasVariable looks at the variables that a program was started with. Those of a
// program that has ended, or is another person's, are not there.
func hasVariable(pid, variable string) bool {
	file, err := os.Open("/proc/" + pid + "/environ")
	if err != nil {
		return false
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxEnviron))
	if err != nil {
		return false
	}
	for one := range bytes.SplitSeq(content, []byte{0}) {
		if string(one) == variable {
			return true
		}
	}
	return false
}
