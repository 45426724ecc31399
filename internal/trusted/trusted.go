// Package trusted tells what this user or root alone can have written from what
// others could have, by owners and modes, as sshd does. Access lists count: the
// group's mode shows them.
//
// It stores nothing. Whoever opens the state folder, the configuration or
// templates asks it first.
package trusted

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Error says what others could have written.
type Error struct {
	Path string
	Text string // one plain sentence, without a full stop
	Next string // what to do, without a full stop
}

// Error joins the sentence and the next step.
func (e *Error) Error() string { return e.Text + ". " + e.Then() }

// Then is Next as a sentence of its own.
func (e *Error) Then() string { return strings.ToUpper(e.Next[:1]) + e.Next[1:] }

// maxLinks is how many symbolic links are followed, as on Linux.
const maxLinks = 40

// Path looks at a file or folder and at every folder on the way to it, also
// where links lead. Each has to belong to this user, to root, or to whoever "/"
// belongs to: in a user namespace root has another number. Nobody else may write to
// them; on the way a sticky folder such as /tmp is fine, in which others can
// replace nothing of ours. The error is an *Error, or an fs.ErrNotExist where
// the way is right as far as it goes.
func Path(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	root, err := os.Stat("/")
	if err != nil {
		return err
	}
	owners := []int{os.Geteuid(), 0, ownerOf(root)}
	var open []string
	links := 0
	for at, names := "/", strings.Split(abs, "/"); len(names) > 0; {
		at, names = filepath.Join(at, names[0]), names[1:]
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(open) > 0:
			return openTo(open)
		case err != nil:
			return err
		case !slices.Contains(owners, ownerOf(info)):
			return &Error{Path: at, Text: fmt.Sprintf("%s belongs to user %d, and this is user %d", at, ownerOf(info), owners[0]),
				Next: "use a file in folders of your own, or see to it that it becomes yours"}
		case info.Mode().Type() == fs.ModeSymlink:
			target, err := os.Readlink(at)
			if links++; err != nil || links > maxLinks {
				return errors.Join(fmt.Errorf("%s: too many links, or one that cannot be read", path), err)
			}
			if at = filepath.Dir(at); filepath.IsAbs(target) {
				at = "/"
			}
			names = append(strings.Split(target, "/"), names...)
		case info.Mode().Perm()&0o022 != 0 && (len(names) == 0 || info.Mode()&fs.ModeSticky == 0) && !slices.Contains(open, at):
			open = append(open, at)
		}
	}
	if len(open) > 0 {
		return openTo(open)
	}
	return nil
}

func openTo(paths []string) error {
	all := strings.Join(paths, " ")
	return &Error{Path: paths[0], Text: "others may write to " + strings.Join(paths, " and ") + ", so that what is there may not be yours",
		Next: "look at what is in it, then close it to them: chmod go-w " + all}
}

// Own looks at one file (kind 0) or folder (fs.ModeDir) that lies in a folder
// which is right itself: it has to be that, no link, and this user's; a file
// without a second name, a folder to which nobody else may write.
func Own(path string, kind fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	wrong := func(what string, values ...any) error {
		return &Error{Path: path, Text: path + " " + fmt.Sprintf(what, values...), Next: "look at what it is and who put it there, and move it away"}
	}
	system, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Type() != kind && kind == fs.ModeDir:
		return wrong("is not a folder (%v)", info.Mode())
	case info.Mode().Type() != kind:
		return wrong("is not a plain file (%v)", info.Mode())
	case !ok || int(system.Uid) != os.Geteuid():
		return wrong("belongs to user %d, and this is user %d", ownerOf(info), os.Geteuid())
	case kind == 0 && system.Nlink != 1:
		return wrong("has %d names (hard links)", system.Nlink)
	case kind == fs.ModeDir && info.Mode().Perm()&0o022 != 0:
		return openTo([]string{path})
	}
	return nil
}

// ownerOf is -1 where the system does not say it.
func ownerOf(info fs.FileInfo) int {
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(system.Uid)
	}
	return -1
}
