// Package dovecot starts a real Dovecot for a test, apart from all else on the
// machine: its files are in a folder of its own and its ports on loopback, and
// it ends with the test. A Box of it changes a mailbox as one of mailtest does,
// so that one test runs on both.
//
// It runs Dovecot 2.3 as Debian and Ubuntu install it by
//
//	apt-get install -y --no-install-recommends dovecot-imapd
//
// Where that is missing a test is skipped, and fails if CI is set.
//
// It stores nothing but in that folder. Tests of the sense "mail" call it.
package dovecot

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// patience is how long it may take to end.
const patience = 30 * time.Second

//go:embed config.conf.tmpl
var configuration string

// Server is a Dovecot that runs.
type Server struct {
	t         testing.TB
	program   string
	Authority mailtest.Authority // that signed its certificate
	settings  settings
	users     map[string]mailtest.User

	command *exec.Cmd
	input   io.Closer // closed to end it
}

// settings fill the configuration.
type settings struct {
	Folder      string
	Root        bool
	User, Group string // that it runs as, without root
	UID, GID    int    // of the mail, which must not be root's
	IMAP, IMAPS int
}

// Start starts a Dovecot with users who sign in with a password, and ends it
// with the test.
func Start(t testing.TB, users ...mailtest.User) *Server {
	t.Helper()
	s := &Server{t: t, program: installed(t), users: map[string]mailtest.User{}}
	s.prepare(users)
	t.Cleanup(func() {
		s.Down()
		if t.Failed() {
			t.Logf("the end of Dovecot's log:\n%s", s.log())
		}
		_ = os.RemoveAll(s.settings.Folder)
	})
	for range 5 { // somebody else may take the ports before it does
		s.settings.IMAP, s.settings.IMAPS = freePort(t), freePort(t)
		s.configure()
		if s.up() {
			return s
		}
	}
	t.Fatalf("Dovecot did not start:\n%s", s.log())
	return nil
}

// installed is the program, of a version that is known here.
func installed(t testing.TB) string {
	t.Helper()
	lacking := t.Skipf
	if os.Getenv("CI") != "" {
		lacking = t.Fatalf
	}
	const program = "/usr/sbin/dovecot"
	version, err := exec.Command(program, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "2.3.") {
		lacking("no Dovecot 2.3 to test with (%q, %v): run `apt-get install -y --no-install-recommends dovecot-imapd` on a system that has it", version, err)
	}
	return program
}

// must ends the test with the first of errs.
func (s *Server) must(errs ...error) {
	s.t.Helper()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
}

// prepare makes the folder and what is in it but for the configuration.
func (s *Server) prepare(users []mailtest.User) {
	s.t.Helper()
	// Not the test's own folder, through which nobody else may go.
	folder, err := os.MkdirTemp("", "dovecot")
	s.must(err, os.Chmod(folder, 0o755))
	s.settings = settings{Folder: folder, Root: os.Getuid() == 0, UID: os.Getuid(), GID: os.Getgid()}
	if s.settings.Root {
		s.settings.UID, s.settings.GID = 65534, 65534 // nobody
	} else {
		me, err := user.Current()
		s.must(err)
		group, err := user.LookupGroupId(me.Gid)
		s.must(err)
		s.settings.User, s.settings.Group = me.Username, group.Name
	}
	s.Authority, err = mailtest.Certificate(time.Now())
	s.must(err)
	var signIns strings.Builder
	for _, u := range users {
		s.users[u.Name] = u
		fmt.Fprintf(&signIns, "%s:{PLAIN}%s::::::\n", u.Name, u.Password)
	}
	s.must(os.WriteFile(s.path("users"), []byte(signIns.String()), 0o644), os.WriteFile(s.path("certificate.pem"), s.Authority.ServerPEM, 0o644),
		os.WriteFile(s.path("key.pem"), s.Authority.ServerKeyPEM, 0o600), os.Mkdir(s.path("run"), 0o755), os.Mkdir(s.path("state"), 0o755),
		os.Mkdir(s.path("mail"), 0o755), os.Chown(s.path("mail"), s.settings.UID, s.settings.GID))
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

func (s *Server) configure() {
	s.t.Helper()
	var b bytes.Buffer
	s.must(template.Must(template.New("").Parse(configuration)).Execute(&b, s.settings))
	s.must(os.WriteFile(s.path("dovecot.conf"), b.Bytes(), 0o644))
}

func (s *Server) path(name string) string { return filepath.Join(s.settings.Folder, name) }

func (s *Server) log() string {
	b, err := os.ReadFile(s.path("log"))
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4096):])
}

// supervisor runs Dovecot until its input ends, which it does with this process
// too, however that dies. Those who are signed in outlive Dovecot's master, so
// that the whole group of processes is ended, this shell with it.
const supervisor = `"$0" -F -c "$1" </dev/null & p=$!; cat >/dev/null; kill -TERM $p; wait $p; kill -KILL 0`

// up starts it and waits until it answers; false: it ended instead.
func (s *Server) up() bool {
	s.t.Helper()
	s.must(os.WriteFile(s.path("log"), nil, 0o666))
	s.command = exec.Command("sh", "-c", supervisor, s.program, s.path("dovecot.conf"))
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := s.command.StdinPipe()
	s.input = input
	s.must(err, s.command.Start())
	failed := false
	testutil.Until(s.t, "Dovecot answers", func() bool {
		failed = strings.Contains(s.log(), "Fatal:")
		return failed || answers(s.Addr()) && answers(s.AddrTLS())
	})
	if failed {
		s.Down()
	}
	return !failed
}

func answers(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// Down ends it, with all its children. Down again does nothing.
func (s *Server) Down() {
	if s.command == nil {
		return
	}
	_ = s.input.Close()
	over := make(chan error, 1)
	go func() { over <- s.command.Wait() }()
	select {
	case <-over: // killed, by its own command
	case <-time.After(patience):
		_ = s.command.Process.Kill()
		<-over
		s.t.Errorf("Dovecot did not end within %s", patience)
	}
	s.command = nil
}

// Up starts it again where it was, after Down.
func (s *Server) Up() {
	s.t.Helper()
	if !s.up() {
		s.t.Fatalf("Dovecot did not start again:\n%s", s.log())
	}
}

// Addr is where it takes connections in the clear, and STARTTLS.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.settings.IMAP) }

// AddrTLS is where TLS starts at the first byte.
func (s *Server) AddrTLS() string { return fmt.Sprintf("127.0.0.1:%d", s.settings.IMAPS) }
