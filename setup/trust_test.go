package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A configuration names programs: whoever may write it runs them.
func TestConfigurationOfOthers(t *testing.T) {
	for name, open := range map[string]func(path string) error{
		"the file":   func(path string) error { return os.Chmod(path, 0o606) },
		"its folder": func(path string) error { return os.Chmod(filepath.Dir(path), 0o770) },
		"a parent":   func(path string) error { return os.Chmod(filepath.Dir(filepath.Dir(path)), 0o777) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "subconscious", "config.yaml")
			text := []byte("actions: [{id: planted, description: d, command: [/bin/true], approval: never}]\n")
			if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600), open(path)); err != nil {
				t.Fatal(err)
			}
			env := func(name string) (string, bool) { return "/home/owner", name == "HOME" }
			_, err := Load(path, env)
			var wrong *Error
			if !errors.As(err, &wrong) || wrong.Code != CodeUntrusted || !strings.Contains(wrong.Fix, "chmod go-w") {
				t.Errorf("got %v", err)
			}
			// The twin asks for nobody's right to write.
			data, refused := read(path, func(string) error { return nil })
			if refused != nil {
				t.Fatal(refused)
			}
			if config, err := newChecker(path).read(data, env); err != nil || len(config.Actions) != 1 {
				t.Errorf("without the guard: %v", err)
			}
		})
	}
}
