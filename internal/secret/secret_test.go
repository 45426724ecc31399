package secret_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

const key = "Vq7mZx2LwR9tKpB4"

func TestValueIsShownToNobody(t *testing.T) {
	type holder struct {
		Open   secret.Value
		hidden secret.Value
		list   []secret.Value
	}
	value := secret.New(key)
	all := holder{value, value, []secret.Value{value}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T%v", "%10.3v", "%t"} {
		fmt.Fprintf(&out, verb+"\n", value)
		fmt.Fprintf(&out, verb+"\n", &value)
		fmt.Fprintf(&out, verb+"\n", all)
		fmt.Fprintf(&out, verb+"\n", &all)
		fmt.Fprintf(&out, verb+"\n", map[string]any{"a": value, "b": all})
	}
	fmt.Fprintln(&out, value, all, errors.Join(fmt.Errorf("it is %v", value)))
	for _, encode := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		text, err := encode(map[string]any{"value": value, "all": all, "pointer": &value})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
		slog.New(handler).Info("x", "value", value, "all", all, "pointer", &value)
	}
	for _, form := range []string{key, fmt.Sprintf("%x", key), fmt.Sprintf("%X", key), fmt.Sprint([]byte(key))} {
		if strings.Contains(out.String(), form) {
			t.Errorf("it is shown as %s in:\n%s", form, out.String())
		}
	}
	if got := fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value); got != strings.Repeat("[secret] ", 5)+"[secret]" {
		t.Errorf("it prints as %s", got)
	}
	if text, _ := json.Marshal(value); string(text) != `"[secret]"` {
		t.Errorf("as JSON it is %s", text)
	}
	if value.Reveal() != key || value.IsZero() || !(secret.Value{}).IsZero() || (secret.Value{}).Reveal() != "" {
		t.Error("it does not reveal itself to its user")
	}
}

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testutil.Write(t, path, text)
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResolve(t *testing.T) {
	keyring.MockInit()
	if err := keyring.Set("subconscious", "groq", key); err != nil {
		t.Fatal(err)
	}
	credential := write(t, "groq", key+"\n", 0o440)
	variables := map[string]string{"KEY": " " + key + "\n", "EMPTY": "", "TWO": key + "\n" + key, "CREDENTIALS_DIRECTORY": filepath.Dir(credential)}
	env := func(name string) (string, bool) { value, ok := variables[name]; return value, ok }
	for name, c := range map[string]struct {
		ref     secret.Ref
		problem string // empty: it is found
		kind    error
	}{
		"a variable":               {secret.Ref{Env: "KEY"}, "", nil},
		"a variable not set":       {secret.Ref{Env: "NONE"}, "export it", secret.ErrMissing},
		"an empty variable":        {secret.Ref{Env: "EMPTY"}, "is empty", secret.ErrMissing},
		"a variable of two lines":  {secret.Ref{Env: "TWO"}, "control characters", nil},
		"a file":                   {secret.Ref{File: write(t, "key", key, 0o600)}, "", nil},
		"its first line":           {secret.Ref{File: write(t, "key", "\ufeff "+key+" \r\nmore", 0o400)}, "", nil},
		"an empty file":            {secret.Ref{File: write(t, "key", "\n"+key, 0o600)}, "is empty", secret.ErrMissing},
		"a file that is not there": {secret.Ref{File: "/nowhere/key"}, "no such file", secret.ErrMissing},
		"a file of the group":      {secret.Ref{File: write(t, "key", key, 0o640)}, "chmod 600", nil},
		"a file of all":            {secret.Ref{File: write(t, "key", key, 0o604)}, "chmod 600", nil},
		"a file that is too large": {secret.Ref{File: write(t, "key", key+"\n"+strings.Repeat("x", 64<<10), 0o600)}, "65553 bytes", nil},
		"a folder":                 {secret.Ref{File: t.TempDir()}, "is no file", nil},
		"a device":                 {secret.Ref{File: "/dev/null"}, "is no file", nil},
		"a keyring entry":          {secret.Ref{Keyring: "subconscious/groq"}, "", nil},
		"no such entry":            {secret.Ref{Keyring: "subconscious/openai"}, "no such entry", secret.ErrMissing},
		"half an entry":            {secret.Ref{Keyring: "subconscious"}, "SERVICE/USER", nil},
		"a credential":             {secret.Ref{Credential: "groq"}, "", nil},
		"no such credential":       {secret.Ref{Credential: "openai"}, "no such file", secret.ErrMissing},
		"a credential elsewhere":   {secret.Ref{Credential: "../groq"}, "no plain name", nil},
		"the folder itself":        {secret.Ref{Credential: ".."}, "no plain name", nil},
		"nothing":                  {secret.Ref{}, "no secret", secret.ErrNone},
		"two places":               {secret.Ref{Env: "KEY", File: "/x"}, "keep one", nil},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := c.ref.Resolve(env)
			if c.problem == "" {
				if err != nil || value.Reveal() != key {
					t.Errorf("%q, %v", value.Reveal(), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.problem) || !value.IsZero() {
				t.Fatalf("the error is %v, want %q", err, c.problem)
			}
			if c.kind != nil && !errors.Is(err, c.kind) || c.kind == nil && (errors.Is(err, secret.ErrNone) || errors.Is(err, secret.ErrMissing)) {
				t.Errorf("%v is of the wrong kind", err)
			}
			if strings.Contains(err.Error(), key) {
				t.Errorf("it shows the secret: %v", err)
			}
		})
	}
	delete(variables, "CREDENTIALS_DIRECTORY")
	if _, err := (secret.Ref{Credential: "groq"}).Resolve(env); !errors.Is(err, secret.ErrMissing) || !strings.Contains(err.Error(), "LoadCredential") {
		t.Errorf("without systemd: %v", err)
	}
}

// TestWrongNamesKeysNotValues: a secret may have been pasted where its place belongs.
func TestWrongNamesKeysNotValues(t *testing.T) {
	const pasted, grouped = "Tr0ub4dor", "abcd efgh ijkl mnop"
	for name, c := range map[string]struct {
		ref  secret.Ref
		want string
	}{
		"two places":        {secret.Ref{Env: "KEY", File: pasted}, "oauth.token_env: more than one place of the token is named (token_env, token_file); keep one of them"},
		"two others":        {secret.Ref{Keyring: "a/" + pasted, Credential: pasted}, "oauth.token_keyring: more than one place of the token is named (token_keyring, token_credential); keep one of them"},
		"two lines":         {secret.Ref{File: pasted + "\n"}, "oauth.token_file: must be one line that says where the token is"},
		"a long name":       {secret.Ref{Keyring: "a/" + strings.Repeat(pasted, 30)}, "oauth.token_keyring: must be one line that says where the token is"},
		"a long path":       {secret.Ref{File: "/" + strings.Repeat("folder/", 100) + "token"}, ""},
		"no variable":       {secret.Ref{Env: pasted + "!"}, "oauth.token_env: is not the name of a variable; write the name, never the token itself: TOKEN"},
		"no keyring entry":  {secret.Ref{Keyring: pasted}, "oauth.token_keyring: is not written as SERVICE/USER; for instance subconscious/it"},
		"an app's password": {secret.Ref{Credential: grouped}, "oauth.token_credential: is no plain name; write the NAME of LoadCredential=NAME:PATH"},
	} {
		got := ""
		if err := errors.Join(c.ref.Wrong("oauth.token", "token", "TOKEN", "subconscious/it")...); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if _, err := (secret.Ref{Env: "KEY", File: pasted}).Resolve(nil); err == nil || strings.Contains(err.Error(), pasted) {
		t.Errorf("resolved, two places are %v", err)
	}
}

func TestResolveSaysWhereNotWhat(t *testing.T) {
	for want, ref := range map[string]secret.Ref{
		"variable KEY": {Env: "KEY"}, "file /key": {File: "/key"}, "keyring entry a/b": {Keyring: "a/b"}, "credential c": {Credential: "c"}, "": {},
	} {
		if got := ref.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
