package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
)

// standing is the state folder, or what of the folders above it is there.
func (e *examination) standing() string {
	at := e.StateDir
	for filepath.Dir(at) != at {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return real
		}
		at = filepath.Dir(at)
	}
	return at
}

// room looks at the disk that the state folder is on.
func (e *examination) room(ctx context.Context) {
	usage, err := disk.UsageWithContext(ctx, e.standing())
	if err != nil {
		e.add(Skipped, "disk", fmt.Sprintf("its room cannot be read: %v", err), "")
		return
	}
	words := fmt.Sprintf("%.1f GB are free for %s", float64(usage.Free)/1e9, e.StateDir)
	e.say("disk",
		row{usage.Free < noRoom, Broken, words, "make room: nothing can be kept on a full disk"},
		row{usage.Free < littleRoom, Degraded, words, "make room before it is full"},
		row{true, OK, words, ""})
}

// encryption looks whether the state folder is encrypted. That it is not is a note,
// and no fault: much else keeps a disk from others.
func (e *examination) encryption(ctx context.Context) {
	state, words := e.sealed(ctx, e.standing())
	e.say("encryption",
		row{state == Note, Note, words + ": whoever takes the disk can read the mind", "encrypt it, unless the disk, or the host of this machine, does so by itself: docs/security.md"},
		row{state == Skipped, Skipped, "it cannot be seen whether the disk is encrypted: " + words, ""},
		row{true, OK, words, ""})
}

// sealed reports OK where a folder is encrypted, Note where it is not, and Skipped
// where that cannot be seen; and by what.
func (e *examination) sealed(ctx context.Context, at string) (State, string) {
	if said, err := asks(ctx, "fdesetup", "status"); err == nil { // macOS
		line, _, _ := strings.Cut(said, ".")
		return cmp.Or(map[string]State{"FileVault is On": OK, "FileVault is Off": Note}[line], Skipped), line
	}
	said, _ := asks(ctx, "lsattr", "-d", at) // of a file system that has no such flags it says nothing
	if flags, _, _ := strings.Cut(said, " "); strings.Contains(flags, "E") {
		return OK, at + " is encrypted (fscrypt)"
	}
	mounts, err := disk.PartitionsWithContext(ctx, true)
	if err != nil {
		return Skipped, err.Error()
	}
	var on disk.PartitionStat
	for _, m := range mounts { // what was mounted last is on top
		within := m.Mountpoint == "/" || strings.HasPrefix(at+"/", m.Mountpoint+"/")
		if within && len(m.Mountpoint) >= len(on.Mountpoint) {
			on = m
		}
	}
	words := fmt.Sprintf("it is on %s (%s)", on.Device, on.Fstype)
	switch on.Fstype {
	case "ecryptfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs":
		return OK, words
	case "zfs":
		said, err = asks(ctx, "zfs", "get", "-H", "-o", "value", "encryption", on.Device)
		return cmp.Or(map[bool]State{err != nil: Skipped, said == "off": Note}[true], OK), words + ", encryption " + said
	}
	state, device := e.device(filepath.Base(on.Device), 0)
	return state, cmp.Or(device, words)
}

// device is sealed for a block device, by its name in /sys: one that encrypts, or
// that lies upon such ones alone.
func (e *examination) device(name string, depth int) (State, string) {
	sys, _ := e.Env("HOST_SYS") // as where disks are listed
	dir := filepath.Join(cmp.Or(sys, "/sys"), "class/block", name)
	about := func(file string) string {
		text, _ := os.ReadFile(dir + "/" + file) // what is not there says nothing
		return strings.TrimSpace(string(text))
	}
	below, _ := os.ReadDir(dir + "/slaves")
	if about("partition") != "" {
		below, _ = os.ReadDir(dir + "/../slaves") // of its disk: dir is a link into that
	}
	mapped, id := about("dm/name"), about("dm/uuid")
	if kind, ok := strings.CutPrefix(id, "CRYPT-"); ok && !strings.HasPrefix(kind, "VERITY") && !strings.HasPrefix(kind, "INTEGRITY") {
		kind, _, _ = strings.Cut(kind, "-")
		return OK, fmt.Sprintf("%s is encrypted (dm-crypt, %s)", mapped, kind)
	}
	unknown := about("dev") == "" || about("loop/backing_file") != "" || mapped != "" && id == "" // as of VeraCrypt
	if unknown || depth > 8 {
		return Skipped, ""
	}
	state, words := Note, "/dev/"+name+" is not encrypted"
	for _, one := range below {
		if state, words = e.device(one.Name(), depth+1); state != OK {
			break
		}
	}
	return state, words
}

// asks is what a program says, which has to be quick.
func asks(ctx context.Context, argv ...string) (string, error) {
	ctx, done := context.WithTimeout(ctx, walkWithin)
	defer done()
	said, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	return strings.TrimSpace(string(said)), err
}
