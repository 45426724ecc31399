package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// listenAs listens as another user, on a thread that ends with its goroutine.
func listenAs(t *testing.T, path string, user uintptr) net.Listener {
	t.Helper()
	var listener net.Listener
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is another user's
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), user, ^uintptr(0))
		if errno != 0 {
			done <- errno
			return
		}
		var err error
		listener, err = net.Listen("unix", path)
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return listener
}

// A folder that others may write to can have another's socket in it.
func TestSocketOfAnotherUser(t *testing.T) {
	testutil.Root(t)
	for _, twin := range []bool{false, true} {
		folder := testutil.Folder(t)
		if err := os.Chmod(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "socket")
		listener := listenAs(t, path, 65534)
		heard := make(chan string, 1)
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				heard <- err.Error()
				return
			}
			text := make([]byte, 4096)
			n, _ := conn.Read(text) // nothing, where the client hung up
			heard <- string(text[:n])
			_ = conn.Close() // whatever the client did
		}()
		c := New(path)
		if twin {
			c.http.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", path)
			}}
		}
		_, err := Ask(t.Context(), c, api.PostCommand, api.CommandRequest{Kind: subconscious.CommandNote, Text: "a secret thought"})
		c.Close()
		var refused *api.Error
		if errors.As(err, &refused) == twin || !twin && (refused.Code != api.CodeRefused || !strings.Contains(refused.Text, "user 65534")) {
			t.Errorf("twin %v: %v", twin, err)
		}
		if got := <-heard; strings.Contains(got, "a secret thought") != twin {
			t.Errorf("twin %v: the other heard %q", twin, got)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}
