package actions

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

const (
	// maxEnviron is how much is read of the variables of a program, in bytes.
	maxEnviron = 1 << 20
	// strayRounds bounds how often it is looked for strays: they can have
	// children while they are looked for.
	strayRounds = 20
)

// family is what a run began, in whatever group and session: what has its
// variable, and what descends from its program as far as the line of parents
// was whole when it was looked for. A process that gave up both is not found.
type family struct {
	variable string // "NAME=value"

	mu    sync.Mutex
	known map[process]bool
}

// process is one for good: numbers are given again, but not with the same time.
type process struct {
	pid   int
	begun string // as the system counts
}

func newFamily(variable string) *family {
	return &family{variable: variable, known: map[process]bool{}}
}

// adopt takes in the program itself.
func (f *family) adopt(program int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p, _, alive := look(program); alive {
		f.known[p] = true
	}
}

// meet gets to know what descends from it now. A program that ends leaves its
// children to others, so that they are met before it is asked to end.
func (f *family) meet() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.find()
}

// end kills its members, those that are in its group as well, and returns how
// many it killed.
func (f *family) end() (killed int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range strayRounds {
		found := f.find()
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

// find returns the numbers of the members that live.
func (f *family) find() (living []int) {
	all, parents := map[int]process{}, map[int]int{}
	for _, pid := range processes() {
		p, parent, alive := look(pid)
		if !alive || pid == os.Getpid() {
			continue
		}
		all[pid], parents[pid] = p, parent
		if !f.known[p] && hasVariable(pid, f.variable) {
			f.known[p] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, p := range all {
			if parent, ok := all[parents[pid]]; ok && f.known[parent] && !f.known[p] {
				f.known[p], grown = true, true
			}
		}
	}
	for pid, p := range all {
		if f.known[p] {
			living = append(living, pid)
		}
	}
	return living
}

// processes are the numbers of all that run.
func processes() (found []int) {
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
		if pid, err := strconv.Atoi(name); err == nil && pid > 1 {
			found = append(found, pid)
		}
	}
	return found
}

// look reads who a process is and who its parent. One that has ended, and is not
// buried yet, is not alive.
func look(pid int) (p process, parent int, alive bool) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, 0, false
	}
	// The name, in brackets, may hold anything. Behind it are state, parent and,
	// as the twentieth, when it was begun: proc_pid_stat(5).
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return p, 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return process{pid, fields[19]}, parent, err == nil
}

// hasVariable looks at the variables that a program was started with. Those of a
// program that has ended, or is another person's, are not there.
func hasVariable(pid int, variable string) bool {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
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
