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
	fields := stat(pid)
	if fields == nil {
		return p, 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return process{pid, fields[19]}, parent, err == nil
}

// stat are the fields behind the name of a process that lives, which may hold
// anything: state, parent, group, session, terminal and, as the twentieth, when it
// was begun: proc_pid_stat(5).
func stat(pid int) []string {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return nil
	}
	return fields
}

// kin is what is known of a process that lives.
func kin(pid int) (k kindred, alive bool) {
	fields := stat(pid)
	if fields == nil {
		return k, false
	}
	k.parent, _ = strconv.Atoi(fields[1])
	k.group, _ = strconv.Atoi(fields[2])
	if device, err := strconv.Atoi(fields[4]); err == nil && device != 0 {
		k.terminal = terminal(device>>8&0xfff, device&0xff|device>>12&0xfff00)
	}
	k.program, _ = os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe") // of another user it is not known
	k.acts = hasVariable(pid, RunVariable+"=")
	return k, true
}

// terminal is the name of one, by the numbers of its device.
func terminal(major, minor int) string {
	switch {
	case 136 <= major && major < 144:
		return "/dev/pts/" + strconv.Itoa((major-136)<<8+minor)
	case major == 4 && minor < 64:
		return "/dev/tty" + strconv.Itoa(minor)
	}
	return strconv.Itoa(major) + ":" + strconv.Itoa(minor)
}

// hasVariable looks at the variables that a program was started with for one that
// begins so. Those of a program that has ended, or is another person's, are not
// there.
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
		if bytes.HasPrefix(one, []byte(variable)) {
			return true
		}
	}
	return false
}
