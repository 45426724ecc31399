package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestSocketIsClosedToOthers(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Busy(), api.Options{})
	info, err := os.Lstat(filepath.Join(folder, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the mode is %v", info.Mode())
	}
}

// tryStart starts a server on a path and stops it again if it started.
func tryStart(t *testing.T, path string) error {
	t.Helper()
	mind := &apitest.Mind{}
	server, err := api.New(api.Options{Socket: path, Mind: mind})
	if err != nil {
		return err
	}
	err = server.Start(t.Context())
	if stopErr := server.Stop(context.Background()); stopErr != nil {
		t.Error(stopErr)
	}
	return err
}

func TestStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(testutil.Folder(t), "socket")
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tryStart(t, path); err != nil {
		t.Error(err)
	}
}

func TestWhatIsInTheWay(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, folder string) (path string)
		want    []string // in the error
	}{
		{"a live daemon", func(t *testing.T, folder string) string {
			apitest.Serve(t, folder, apitest.Busy(), api.Options{})
			want := filepath.Join(folder, "socket")
			return want
		}, []string{"another daemon", fmt.Sprint(os.Getpid()), "socket", "stop that one"}},
		{"a live program that takes nothing", func(t *testing.T, folder string) string {
			listener, err := net.Listen("unix", filepath.Join(folder, "socket"))
			testutil.Opened(t, listener, err)
			return filepath.Join(folder, "socket")
		}, []string{"another daemon"}},
		{"a file", func(t *testing.T, folder string) string {
			path := filepath.Join(folder, "socket")
			testutil.Write(t, path, "precious")
			return path
		}, []string{"in the way", "a file", "move it away"}},
		{"a link", func(t *testing.T, folder string) string {
			path := filepath.Join(folder, "socket")
			if err := os.Symlink("/dev/null", path); err != nil {
				t.Fatal(err)
			}
			return path
		}, []string{"a symbolic link"}},
		{"a folder", func(t *testing.T, folder string) string {
			if err := os.Mkdir(filepath.Join(folder, "socket"), 0o700); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(folder, "socket")
		}, []string{"a folder"}},
		{"no folder", func(_ *testing.T, folder string) string { return filepath.Join(folder, "none", "socket") },
			[]string{"no such file", "0700"}},
		{"an open folder", func(t *testing.T, folder string) string {
			if err := os.Chmod(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(folder, "socket")
		}, []string{"open to other users", "0755", "chmod 700"}},
		{"a path too long", func(_ *testing.T, folder string) string {
			return filepath.Join(folder, strings.Repeat("a", 108), "socket")
		}, []string{"bytes and the system allows", "shorter state folder"}},
		{"a relative path", func(*testing.T, string) string { return "socket" }, []string{"absolute"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := test.prepare(t, testutil.Folder(t))
			before, beforeErr := os.Lstat(path)
			err := tryStart(t, path)
			if err == nil {
				t.Fatal("it started")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			after, afterErr := os.Lstat(path)
			if beforeErr == nil && (afterErr != nil || !os.SameFile(before, after)) {
				t.Errorf("what was in the way was touched: %v", afterErr)
			}
		})
	}
}

// childSocket names the socket that the test binary asks as another user.
const childSocket = "SUBCONSCIOUS_TEST_CHILD_SOCKET"

// childDecides names the file that takes the answer to an approval.
const childDecides = "SUBCONSCIOUS_TEST_CHILD_DECIDES"

// decideAsChild approves what waits in apitest.Deliberating.
func decideAsChild(done string) error {
	conn, err := net.Dial("unix", os.Getenv(childSocket))
	if err != nil {
		return err
	}
	body := `{"id":"p-4f2a","hash":"` + apitest.SampleHash + `","approve":true}`
	if _, err := fmt.Fprintf(conn, "POST /v1/proposals/decide HTTP/1.1\r\nHost: mind\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(conn, 64<<10))
	return errors.Join(err, os.WriteFile(done+".part", text, 0o600), os.Rename(done+".part", done))
}

// askAsChild prints what a request over the socket gives.
func askAsChild() {
	if done := os.Getenv(childDecides); done != "" {
		if err := decideAsChild(done); err != nil {
			fmt.Println(err)
		}
		return
	}
	conn, err := net.Dial("unix", os.Getenv(childSocket))
	if err == nil {
		_, err = io.WriteString(conn, "GET /v1/status HTTP/1.1\r\nHost: mind\r\nConnection: close\r\n\r\n")
		// The answer is there even if the question could no longer be written.
		text, readErr := io.ReadAll(io.LimitReader(conn, 64<<10))
		fmt.Printf("%s\n%v\n", text, errors.Join(err, readErr))
		return
	}
	fmt.Println(err)
}

// otherUser is the uid of nobody on most systems; nothing depends on its name.
const otherUser = 65534

func TestOtherUsersAreRefused(t *testing.T) {
	testutil.Root(t)
	child := copyOfThis(t)
	for _, off := range []bool{false, true} {
		log := &testutil.Log{}
		folder := testutil.Folder(t)
		serve(t, folder, apitest.Busy(), func(s *api.Server) {
			api.Logs(s, slog.New(slog.NewTextHandler(log, nil)))
			if off {
				api.Unguarded(s, "peer")
			}
		})
		// Only the check of the peer is left to keep others out.
		socket := filepath.Join(folder, "socket")
		if err := errors.Join(os.Chmod(folder, 0o755), os.Chmod(socket, 0o666)); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), child)
		command.Dir = "/"
		command.Env = []string{childSocket + "=" + socket}
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		refused := strings.Contains(string(out), "HTTP/1.1 403 Forbidden") && strings.Contains(string(out), fmt.Sprintf("user %d may not speak", otherUser)) &&
			!strings.Contains(string(out), "subconscious\":") && strings.Contains(log.String(), fmt.Sprintf("uid=%d", otherUser))
		if read := strings.Contains(string(out), "200 OK"); refused == off || read != off {
			t.Errorf("nobody looks %v: the other user got %s; the log has %s", off, out, log)
		}
		if got := call(t, caller(t, folder), "GET", "/v1/status", "", ""); got.status != http.StatusOK {
			t.Errorf("afterwards the owner gets %d", got.status)
		}
	}
}

// copyOfThis returns a copy of the test binary that anybody may run.
func copyOfThis(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := testutil.Folder(t)
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := testutil.Read(t, self)
	path := filepath.Join(folder, "child")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// open connects to the socket and says something.
func open(t *testing.T, folder, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", filepath.Join(folder, "socket"))
	if err == nil {
		_, err = io.WriteString(conn, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it
	return conn
}

const (
	mostConns = 64
	askHealth = "GET /healthz HTTP/1.1\r\nHost: mind\r\nConnection: close\r\n\r\n"
)

// unserved fails if an answer comes although there is no place.
func unserved(t *testing.T, late net.Conn) {
	t.Helper()
	if err := late.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := late.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("beside %d connections one more was served: %d bytes, %v", mostConns, n, err)
	}
}

// served reads the answer.
func served(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(text), "200 OK") {
		t.Errorf("%v, %s", err, text)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the backlog of a socket is shorter there")
	}
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	begun, goOn := make(chan struct{}, mostConns), make(chan struct{})
	mind.OnStatus = func(context.Context) error {
		begun <- struct{}{}
		<-goOn
		return nil
	}
	apitest.Serve(t, folder, mind, api.Options{})
	for range mostConns {
		open(t, folder, "GET /v1/status HTTP/1.1\r\nHost: mind\r\n\r\n")
		<-begun
	}
	late := open(t, folder, askHealth)
	unserved(t, late)
	close(goOn)
	served(t, late)
}

// Whoever connects and says nothing, or half of it, keeps nobody else out.
func TestHalfOpenConnections(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the backlog of a socket is shorter there")
	}
	for name, half := range map[string]string{
		"nothing":       "",
		"half a header": "GET /v1/status HTT",
		"half a body":   "POST /v1/commands HTTP/1.1\r\nHost: mind\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
		"idle":          "GET /healthz HTTP/1.1\r\nHost: mind\r\n\r\n",
	} {
		for _, twin := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", twin ", twin), func(t *testing.T) {
				folder := testutil.Folder(t)
				serve(t, folder, apitest.Busy(), func(s *api.Server) {
					api.Patience(s, time.Millisecond)
					if twin {
						api.Patience(s, time.Hour)
					}
				})
				for range mostConns {
					conn := open(t, folder, half)
					if name == "idle" {
						if _, err := conn.Read(make([]byte, 1)); err != nil {
							t.Fatal(err)
						}
					}
				}
				if late := open(t, folder, askHealth); twin {
					unserved(t, late)
				} else {
					served(t, late)
				}
			})
		}
	}
}

// serve starts a server in which a guard may be left out.
func serve(t *testing.T, folder string, mind api.Mind, without func(*api.Server)) {
	t.Helper()
	server, err := api.New(api.Options{Socket: filepath.Join(folder, "socket"), Mind: mind})
	if err != nil {
		t.Fatal(err)
	}
	without(server)
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestRequestsWithTwoLengths(t *testing.T) {
	const note = `{"kind":"note","text":"a"}`
	for _, test := range []struct{ proto, lengths, body, status string }{
		{"1.1", "Content-Length: 26\r\n", note, "200"},
		{"1.1", "Content-Length: 26\r\nContent-Length: 5\r\n", note, "400"},
		{"1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "1a\r\n" + note + "\r\n0\r\n\r\n", "400"},
		{"1.0", "Content-Length: 26\r\nTransfer-Encoding: chunked\r\n", note, "400"},
	} {
		for _, twin := range []bool{false, true} {
			folder := testutil.Folder(t)
			serve(t, folder, apitest.Busy(), func(s *api.Server) {
				if twin {
					api.Unmeasured(s)
				}
			})
			conn := open(t, folder, "POST /v1/commands HTTP/"+test.proto+"\r\nHost: mind\r\nConnection: close\r\n"+
				"Content-Type: application/json\r\n"+test.lengths+"\r\n"+test.body)
			text, err := io.ReadAll(conn)
			want := test.status
			if twin && strings.Contains(test.lengths, "chunked") {
				want = "200" // net/http alone lets it in
			}
			if err != nil || !strings.Contains(string(text[:min(len(text), 12)]), want) {
				t.Errorf("HTTP/%s %q, twin %v: want %s, got %v %s", test.proto, test.lengths, twin, want, err, text)
			}
		}
	}
}
