package dovecot

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

const (
	// startTime is how long it may take to answer, endTime to end.
	startTime = 30 * time.Second
	endTime   = 30 * time.Second
	// attempts at free ports, which somebody else may take before it does.
	attempts = 5
	// between two checks whether it is there, or gone.
	between = 20 * time.Millisecond
)

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
	Folder            string
	Root              bool
	User, Group       string // that it runs as, without root
	UID, GID          string // of the mail
	IMAP, IMAPS, LMTP int
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
	for range attempts {
		s.settings.IMAP, s.settings.IMAPS, s.settings.LMTP = freePort(t), freePort(t), freePort(t)
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
	const how = "run `apt-get install -y --no-install-recommends dovecot-imapd dovecot-lmtpd`"
	program := "/usr/sbin/dovecot"
	if found, err := exec.LookPath("dovecot"); err == nil {
		program = found
	}
	version, err := exec.Command(program, "--version").Output()
	if err != nil {
		lacking("no Dovecot to test with (%v): %s", err, how)
	}
	if !strings.HasPrefix(string(version), "2.3.") {
		lacking("Dovecot %s is not configured as 2.3 is, which is what is known here: %s on a system that has 2.3", strings.TrimSpace(string(version)), how)
	}
	return program
}

// prepare makes the folder and what is in it but for the configuration.
func (s *Server) prepare(users []mailtest.User) {
	t := s.t
	t.Helper()
	// Not the test's own folder, through which nobody else may go.
	folder, err := os.MkdirTemp("", "dovecot")
	if err != nil {
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	s.settings = settings{Folder: folder, Root: os.Getuid() == 0, User: me.Username, UID: me.Uid, GID: me.Gid}
	if s.settings.Root {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			t.Fatalf("mail must not be root's: %v", err)
		}
		s.settings.UID, s.settings.GID = nobody.Uid, nobody.Gid
	} else if group, err := user.LookupGroupId(me.Gid); err != nil {
		t.Fatal(err)
	} else {
		s.settings.Group = group.Name
	}
	if s.Authority, err = mailtest.Certificate(time.Now()); err != nil {
		t.Fatal(err)
	}
	var signIns strings.Builder
	for _, u := range users {
		s.users[u.Name] = u
		fmt.Fprintf(&signIns, "%s:{PLAIN}%s::::::\n", u.Name, u.Password)
	}
	write := func(name string, content []byte, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(folder, name), content, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("users", []byte(signIns.String()), 0o644)
	write("certificate.pem", s.Authority.ServerPEM, 0o644)
	write("key.pem", s.Authority.ServerKeyPEM, 0o600)
	for _, name := range []string{"run", "state", "mail"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s.own(filepath.Join(folder, "mail"))
}

// own gives a file to who owns the mail.
func (s *Server) own(path string) {
	s.t.Helper()
	if !s.settings.Root {
		return
	}
	uid, err := strconv.Atoi(s.settings.UID)
	if err != nil {
		s.t.Fatal(err)
	}
	gid, err := strconv.Atoi(s.settings.GID)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chown(path, uid, gid); err != nil {
		s.t.Fatal(err)
	}
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
	if err := template.Must(template.New("").Parse(configuration)).Execute(&b, s.settings); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path("dovecot.conf"), b.Bytes(), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path("log"), nil, 0o666); err != nil {
		s.t.Fatal(err)
	}
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
	s.command = exec.Command("sh", "-c", supervisor, s.program, s.path("dovecot.conf"))
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := s.command.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.input = input
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	deadline := time.Now().Add(startTime)
	for time.Now().Before(deadline) {
		if strings.Contains(s.log(), "Fatal:") {
			break
		}
		if slices.IndexFunc([]int{s.settings.IMAP, s.settings.IMAPS, s.settings.LMTP}, func(port int) bool { return !answers(port) }) < 0 {
			return true
		}
		<-time.After(between)
	}
	s.Down()
	return false
}

func answers(port int) bool {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
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
	case <-over: // how it ended is its own affair
	case <-time.After(endTime):
		_ = s.command.Process.Kill()
		<-over
		s.t.Errorf("Dovecot did not end within %s", endTime)
	}
	s.command = nil
}

// Up starts it again where it was, after Down.
func (s *Server) Up() {
	s.t.Helper()
	if err := os.WriteFile(s.path("log"), nil, 0o666); err != nil {
		s.t.Fatal(err)
	}
	if !s.up() {
		s.t.Fatalf("Dovecot did not start again:\n%s", s.log())
	}
}

// Addr is where it takes connections in the clear, and STARTTLS.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.settings.IMAP) }

// AddrTLS is where TLS starts at the first byte.
func (s *Server) AddrTLS() string { return fmt.Sprintf("127.0.0.1:%d", s.settings.IMAPS) }

// AddrLMTP is where it takes mail in.
func (s *Server) AddrLMTP() string { return fmt.Sprintf("127.0.0.1:%d", s.settings.LMTP) }
