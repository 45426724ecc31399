package deploy_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"howett.net/plist"

	"github.com/subconsciousd/subconsciousd/deploy"
)

// strange are arguments that systemd, XML or a shell would read as more.
var strange = []string{"--config", `/home/x/50% of $HOME & <more> "quoted" \ ;.yaml`}

func TestUnitStartsAnyPath(t *testing.T) {
	// Quotes and backslashes in a program's path systemd refuses.
	folder := filepath.Join(t.TempDir(), `a b%c$d`)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "subconsciousd")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := deploy.Unit(append([]string{program}, strange...)...)
	if said := verify(t, units[0], text); said != "" {
		t.Errorf("systemd-analyze verify: %s", said)
	}
	if verify(t, units[0], strings.Replace(text, "%%c", "%c", 1)) == "" {
		t.Error("a path that is not escaped is as good: nothing is checked")
	}
	if want := `--config "/home/x/50%% of $$HOME & <more> \"quoted\" \\ ;.yaml"`; !strings.Contains(text, want) {
		t.Errorf("%s is not in\n%s", want, text)
	}
}

func TestAgentStartsAnyPath(t *testing.T) {
	var agent map[string]any
	command := append([]string{"/Users/A & B/bin/subconsciousd"}, strange...)
	if _, err := plist.Unmarshal([]byte(deploy.Agent("/Users/A & B", command...)), &agent); err != nil {
		t.Fatal(err)
	}
	var want []any
	for _, word := range command {
		want = append(want, word)
	}
	if !reflect.DeepEqual(agent["ProgramArguments"], want) {
		t.Errorf("it starts %q", agent["ProgramArguments"])
	}
	if agent["StandardOutPath"] != "/Users/A & B/Library/Logs/subconsciousd.log" {
		t.Errorf("it logs to %q", agent["StandardOutPath"])
	}
}
