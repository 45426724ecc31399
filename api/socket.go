package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxSocketPath is what the kernel has room for, without the closing zero byte.
const maxSocketPath = len(unix.RawSockaddrUnix{}.Path) - 1

// probeTimeout is how long a daemon on the socket has to answer the question
// whether it is there.
const probeTimeout = time.Second

// CheckSocketPath returns an *Error for a path that is too long to listen on or
// to connect to: over 107 bytes on Linux, 103 on macOS.
func CheckSocketPath(path string) error {
	if len(path) <= maxSocketPath {
		return nil
	}
	return Errorf(CodeBadRequest,
		"choose a shorter state folder, with --state-dir or state_dir in the configuration",
		"the socket's path has %d bytes and the system allows %d: %s", len(path), maxSocketPath, path)
}

// listen makes the socket. Nobody else can connect in the moment before its
// mode is set, because the folder is closed to others.
func listen(ctx context.Context, path string) (*net.UnixListener, error) {
	if err := checkFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := clearStale(ctx, path); err != nil {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, Errorf(CodeUnavailable, "check that the folder can be written and its disk is not full",
			"cannot make the socket %s: %w", path, err)
	}
	listener.SetUnlinkOnClose(false) // Stop removes it, if it is still ours
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("api: close the socket to others: %w", err), listener.Close(), os.Remove(path))
	}
	return listener, nil
}

// checkFolder demands a folder that others can neither enter nor change.
func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return Errorf(CodeUnavailable, "make it with mode 0700, or choose another state folder",
			"cannot use the folder of the socket: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return Errorf(CodeUnavailable, "choose another state folder", "%s is not a folder", folder)
	case ok && int(owner.Uid) != os.Geteuid():
		return Errorf(CodeRefused, "choose a state folder of your own, or run the daemon as its owner",
			"%s belongs to user %d, and the daemon runs as user %d", folder, owner.Uid, os.Geteuid())
	case info.Mode().Perm()&0o077 != 0:
		return Errorf(CodeRefused, "close it: chmod 700 "+folder,
			"%s is open to other users (mode %04o)", folder, info.Mode().Perm())
	}
	return nil
}

// clearStale removes a socket on which nobody answers.
func clearStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return Errorf(CodeUnavailable, "check the folder's permissions", "cannot look at %s: %w", path, err)
	}
	if info.Mode().Type() != os.ModeSocket {
		return Errorf(CodeUnavailable, "move it away, then start again",
			"%s is in the way: it is %s, not a socket", path, describe(info.Mode()))
	}
	ctx, done := context.WithTimeout(ctx, probeTimeout)
	defer done()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		defer func() { _ = conn.Close() }() // a probe; nothing was written
		return Errorf(CodeBusy, "stop that one first, or give this one another state folder",
			"another daemon%s answers on %s", pidText(conn), path)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, os.ErrNotExist) {
		return Errorf(CodeUnavailable, "stop what listens there, or remove the socket by hand",
			"cannot tell whether a daemon listens on %s: %w", path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return Errorf(CodeUnavailable, "remove it by hand", "cannot remove the stale socket: %w", err)
	}
	return nil
}

func describe(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode.IsRegular():
		return "a file"
	case mode&os.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "a special file"
	}
}

// pidText names the process at the other end, where the system says it.
func pidText(conn net.Conn) string {
	peer, err := peerOf(conn)
	if err != nil || peer.pid == 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", peer.pid)
}
