package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/zalando/go-keyring"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// maxBytes bounds the file of a secret.
const maxBytes = 64 << 10

// maxName bounds what names the place of a secret and is no path, in bytes.
const maxName = 255

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

// way is one in which a Ref names a secret.
type way struct {
	setting, kind, name string
	get                 func(name string, env func(string) (string, bool)) (string, error)
}

// ways are those that are set.
func (r Ref) ways() []way {
	return slices.DeleteFunc([]way{
		{"_env", "variable", r.Env, fromEnv},
		{"_file", "file", r.File, func(path string, _ func(string) (string, bool)) (string, error) { return fromFile(path, true) }},
		{"_keyring", "keyring entry", r.Keyring, func(name string, _ func(string) (string, bool)) (string, error) {
			return fromKeyring(name, keyring.Get)
		}},
		{"_credential", "credential", r.Credential, fromCredential},
	}, func(w way) bool { return w.name == "" })
}

// Names lists what is set of a Ref, in words: "variable GROQ_API_KEY".
func (r Ref) Names() (names []string) {
	for _, w := range r.ways() {
		names = append(names, w.kind+" "+w.name)
	}
	return names
}

// Wrong says what of a Ref cannot be used. Its settings are called key_env,
// key_file, key_keyring and key_credential; what is the secret in a word, variable
// and entry are examples of a name. No value is shown: a secret may have been pasted
// there.
func (r Ref) Wrong(key, what, variable, entry string) (problems []error) {
	wrong := func(setting, format string, args ...any) {
		problems = append(problems, fmt.Errorf(key+setting+": "+format, args...))
	}
	ways, last := r.ways(), key[strings.LastIndexByte(key, '.')+1:]
	var named []string
	for _, w := range ways {
		named = append(named, last+w.setting)
		if w.setting != "_file" && len(w.name) > maxName || strings.ContainsFunc(w.name, unicode.IsControl) {
			wrong(w.setting, "must be one line that says where the %s is", what)
		}
	}
	if len(ways) > 1 {
		wrong(ways[0].setting, "more than one place of the %s is named (%s); keep one of them", what, strings.Join(named, ", "))
	}
	if r.Env != "" && !variablePattern().MatchString(r.Env) {
		wrong("_env", "is not the name of a variable; write the name, never the %s itself: %s", what, variable)
	}
	if service, user, ok := strings.Cut(r.Keyring, "/"); r.Keyring != "" && (!ok || service == "" || user == "") {
		wrong("_keyring", "is not written as SERVICE/USER; for instance %s", entry)
	}
	if strings.ContainsAny(r.Credential, `/\ `) || r.Credential == "." || r.Credential == ".." {
		wrong("_credential", "is no plain name; write the NAME of LoadCredential=NAME:PATH")
	}
	return problems
}

// variablePattern is a name that the environment may have.
var variablePattern = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]{0,79}$`)

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
	ways := r.ways()
	switch {
	case len(ways) == 0:
		return Value{}, ErrNone
	case len(ways) > 1:
		return Value{}, errors.New("more than one place of the secret is named; keep one of them")
	}
	text, err := ways[0].get(ways[0].name, env)
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

// fromFile reads the first line of a file, which its owner alone can read where it
// is private.
func fromFile(path string, private bool) (string, error) {
	text, err := ReadFile(path, 0, private, maxBytes, "name the file that the key is in")
	if errors.Is(err, os.ErrNotExist) {
		return "", missing("there is no such file; make it, with the key on its first line")
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")), err
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
	return fromFile(filepath.Join(folder, name), false)
}

// fromKeyring asks the session's keyring.
func fromKeyring(name string, get func(service, user string) (string, error)) (string, error) {
	service, user, ok := strings.Cut(name, "/")
	if !ok || service == "" || user == "" {
		return "", errors.New("is not written as SERVICE/USER; for instance subconscious/groq")
	}
	late := fmt.Errorf("the keyring does not answer within %s; unlock it, or use a file or a variable instead", keyringTimeout)
	ctx, done := context.WithTimeoutCause(context.Background(), keyringTimeout, late)
	defer done()
	text, err := inTime(ctx, func() (string, error) { return get(service, user) })
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return "", missing(fmt.Sprintf("the keyring has no such entry; add it, service %q and user %q", service, user))
	case err == nil || errors.Is(err, late):
		return strings.TrimSpace(text), err
	}
	return "", fmt.Errorf("the keyring does not answer (%w), it needs a session bus and to be unlocked; use a file or a variable instead", err)
}

// Keep puts a secret into the session's keyring, until ctx ends.
func Keep(ctx context.Context, service, user, text string) error {
	_, err := inTime(ctx, func() (string, error) { return "", keyring.Set(service, user, text) })
	return err
}

// inTime asks the keyring, whose library has no contexts: one that does not
// answer in time is left behind in its goroutine.
func inTime(ctx context.Context, ask func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	answered := make(chan result, 1)
	go func() {
		text, err := ask()
		answered <- result{text, err}
	}()
	select {
	case r := <-answered:
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
