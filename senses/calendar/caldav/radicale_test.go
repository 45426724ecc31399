package caldav

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"

	"context"
	"errors"
)

// radicale starts a real server with one user. Where it is missing the test is
// skipped, and fails if CI is set.
func radicale(t *testing.T) (address string) {
	t.Helper()
	program, err := exec.LookPath("radicale")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no Radicale to test with: apt-get install -y --no-install-recommends radicale")
	}
	folder := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = listener.Addr().String()
	_ = listener.Close()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("users", "tester:"+password+"\n")
	write("config", fmt.Sprintf("[server]\nhosts=%s\n[auth]\ntype=htpasswd\nhtpasswd_filename=%s/users\nhtpasswd_encryption=plain\ndelay=0\n[rights]\ntype=owner_only\n[storage]\nfilesystem_folder=%s/data\n", address, folder, folder))
	// It ends when its input does, with this process however that dies.
	command := exec.Command("sh", "-c", `"$0" --config "$1" </dev/null 2>"$2" & p=$!; cat >/dev/null; kill $p; wait $p`, program, folder+"/config", folder+"/log")
	input, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = command.Wait() // that it was ended is its status
	})
	for until := time.Now().Add(30 * time.Second); ; <-time.After(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return "http://" + address
		}
		if time.Now().After(until) {
			log, _ := os.ReadFile(folder + "/log")
			t.Fatalf("Radicale does not answer: %s", log)
		}
	}
}

// tell makes a request of the server as its user would.
func tell(t testing.TB, method, address, body string) {
	t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("tester", password)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, address, answer.Status)
	}
}

func TestRadicale(t *testing.T) {
	address := radicale(t)
	t.Setenv("CALENDAR_PASSWORD", password)
	tell(t, "MKCALENDAR", address+"/tester/work/", "")
	path := func(n int) string { return fmt.Sprintf("%s/tester/work/%d.ics", address, n) }
	var down bool
	options := Options{Dial: func(ctx context.Context, network, at string) (net.Conn, error) {
		if down {
			return nil, errors.New("the cable is out")
		}
		return new(net.Dialer).DialContext(ctx, network, at)
	}}
	sensetest.Run(t, sensetest.Harness{
		OpenWith: func(t testing.TB, rows senses.RowReader) senses.Sense {
			return open(t, calendar.Config{ID: "work", CalDAV: address, User: "tester", Password: secret.Ref{Env: "CALENDAR_PASSWORD"}}, options, rows)
		},
		Add:    func(t testing.TB, n int) { tell(t, http.MethodPut, path(n), event(n, 9)) },
		Change: func(t testing.TB, n int) { tell(t, http.MethodPut, path(n), event(n, 14)) },
		Remove: func(t testing.TB, n int) {
			if out := without(n); out != "" {
				tell(t, http.MethodPut, path(n), out)
			} else {
				tell(t, http.MethodDelete, path(n), "")
			}
		},
		Break: func(testing.TB) { down = true }, Mend: func(testing.TB) { down = false },
		Collects: 30,
	})
}
