package secret

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/zalando/go-keyring"
)

// maxBytes bounds the file of a secret.
const maxBytes = 64 << 10

// keyringTimeout bounds how long the keyring may take: one that is locked asks
// the person, who may not be there.
const keyringTimeout = 5 * time.Second

// ErrNone says that a Ref names no secret.
var ErrNone = errors.New("no secret is named")

// ErrMissing says that there is nothing where a Ref points to.
var ErrMissing = errors.New("it is not there")

// missing is an ErrMissing in words that say more.
type missing string

func (m missing) Error() string        { return string(m) }
func (m missing) Is(target error) bool { return target == ErrMissing }

// Names lists what is set of a Ref, in words: "variable GROQ_API_KEY".
func (r Ref) Names() []string {
	var names []string
	for _, field := range [...]struct{ kind, name string }{
		{"variable", r.Env}, {"file", r.File}, {"keyring entry", r.Keyring}, {"credential", r.Credential},
	} {
		if field.name != "" {
			names = append(names, field.kind+" "+field.name)
		}
	}
	return names
}

// Wrong says what of a Ref cannot be used. Its settings are called key_env,
// key_file, key_keyring and key_credential; what is the secret in a word, variable
// and entry are examples of a name.
func (r Ref) Wrong(key, what, variable, entry string) (problems []error) {
	wrong := func(setting, format string, args ...any) {
		problems = append(problems, fmt.Errorf(key+setting+": "+format, args...))
	}
	if names := r.Names(); len(names) > 1 {
		wrong("_env", "more than one place of the %s is named (%s); keep one of them", what, r)
	}
	if r.Env != "" && !variablePattern.MatchString(r.Env) {
		wrong("_env", "is not the name of a variable; write the name, never the %s itself: %s", what, variable)
	}
	if service, user, ok := strings.Cut(r.Keyring, "/"); r.Keyring != "" && (!ok || service == "" || user == "") {
		wrong("_keyring", "is not written as SERVICE/USER; for instance %s", entry)
	}
	if strings.ContainsAny(r.Credential, `/\`) || r.Credential == "." || r.Credential == ".." {
		wrong("_credential", "is no plain name; write the NAME of LoadCredential=NAME:PATH")
	}
	return problems
}

// variablePattern is a name that the environment may have.
var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,79}$`)

// String says where the secret is, never what it is.
func (r Ref) String() string { return strings.Join(r.Names(), ", ") }

// Resolve fetches the secret. The variables are those of env, which is
// os.LookupEnv where it is nil. An error wraps ErrNone where the Ref is empty and
// ErrMissing where nothing is there; its text has a next step, and nothing of
// the secret.
func (r Ref) Resolve(env func(string) (string, bool)) (Value, error) {
	if env == nil {
		env = os.LookupEnv
	}
	names := r.Names()
	if len(names) == 0 {
		return Value{}, ErrNone
	}
	if len(names) > 1 {
		return Value{}, fmt.Errorf("%s: more than one place is named; keep one of them", r)
	}
	var text string
	var err error
	switch {
	case r.Env != "":
		text, err = fromEnv(r.Env, env)
	case r.File != "":
		text, err = fromFile(r.File)
	case r.Keyring != "":
		text, err = fromKeyring(r.Keyring, keyring.Get)
	default:
		text, err = fromCredential(r.Credential, env)
	}
	if err == nil {
		err = usable(text)
	}
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", r, err)
	}
	return New(text), nil
}

// usable refuses what cannot be sent in a header.
func usable(text string) error {
	if text == "" {
		return missing("it is empty; put the key there")
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New("it has control characters in it; write it anew, on one line")
	}
	return nil
}

func fromEnv(name string, env func(string) (string, bool)) (string, error) {
	text, ok := env(name)
	if !ok {
		return "", missing("it is not set; export it, or name it in the EnvironmentFile of the service")
	}
	return strings.TrimSpace(text), nil
}

// fromFile reads the first line of a file that its owner alone can read.
func fromFile(path string) (string, error) {
	file, err := open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	stat, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("cannot be looked at: %w", cause(err))
	}
	if mode := stat.Mode().Perm(); mode&0o077 != 0 {
		return "", fmt.Errorf("others can read it (mode %#o); run: chmod 600 %s", mode, path)
	}
	return firstLine(file, stat)
}

// fromCredential reads what systemd put there for this service. Its modes are
// systemd's own, which may let the service's group read it.
func fromCredential(name string, env func(string) (string, bool)) (string, error) {
	if name != filepath.Base(name) || name == "." || name == ".." || strings.ContainsRune(name, '\\') {
		return "", errors.New("is no plain name; write the NAME of LoadCredential=NAME:PATH")
	}
	folder, ok := env("CREDENTIALS_DIRECTORY")
	if !ok || folder == "" {
		return "", missing("$CREDENTIALS_DIRECTORY is not set, which systemd does for its services; " +
			"add LoadCredential=" + name + ":PATH to the unit")
	}
	file, err := open(filepath.Join(folder, name))
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	stat, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("cannot be looked at: %w", cause(err))
	}
	return firstLine(file, stat)
}

// open opens a file for reading, without waiting at a pipe.
func open(path string) (*os.File, error) {
	stat, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, missing("there is no such file; make it, with the key on its first line")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be looked at: %w", cause(err))
	}
	if !stat.Mode().IsRegular() {
		return nil, errors.New("is no file; name the file that the key is in")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot be opened: %w", cause(err))
	}
	return file, nil
}

// cause drops the path, which the caller writes already.
func cause(err error) error {
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func firstLine(file io.Reader, stat os.FileInfo) (string, error) {
	if stat.Size() > maxBytes {
		return "", fmt.Errorf("has %d bytes, over %d; is it the right file?", stat.Size(), maxBytes)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", cause(err))
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")), nil
}

// fromKeyring asks the session's keyring. The library has no contexts, so that
// one that does not answer in time is left behind in its goroutine.
func fromKeyring(name string, get func(service, user string) (string, error)) (string, error) {
	service, user, ok := strings.Cut(name, "/")
	if !ok || service == "" || user == "" {
		return "", errors.New("is not written as SERVICE/USER; for instance subconscious/groq")
	}
	type result struct {
		text string
		err  error
	}
	answered := make(chan result, 1)
	go func() {
		text, err := get(service, user)
		answered <- result{text, err}
	}()
	select {
	case r := <-answered:
		if errors.Is(r.err, keyring.ErrNotFound) {
			return "", missing(fmt.Sprintf("the keyring has no such entry; add it, service %q and user %q", service, user))
		}
		if r.err != nil {
			return "", fmt.Errorf("the keyring does not answer (%w), it needs a session bus and to be unlocked; use a file or a variable instead", r.err)
		}
		return strings.TrimSpace(r.text), nil
	case <-time.After(keyringTimeout):
		return "", fmt.Errorf("the keyring does not answer within %s; unlock it, or use a file or a variable instead", keyringTimeout)
	}
}
