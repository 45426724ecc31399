// Package deploy_test checks the service files: that systemd and launchd
// understand every line, and that they start the daemon as it is.
package deploy_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"howett.net/plist"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// daemonFlags are all flags that subconsciousd documents.
var daemonFlags = []string{"--config", "--state-dir", "--demo", "--once", "--version"}

// unit is a service file of systemd and what it is to be called when verified.
type unit struct {
	path, instance string
	user           bool
}

var units = []unit{
	{"systemd/subconsciousd.service", "subconsciousd.service", true},
	{"systemd/system/subconsciousd@.service", "subconsciousd@root.service", false},
}

// need returns where the program is. Without it the test is skipped, but fails
// where everything has to be there.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed, and CI=true: install its package", program)
	}
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

// verify returns what systemd has to say of a unit's content.
func verify(t *testing.T, u unit, content string) string {
	t.Helper()
	analyze := need(t, "systemd-analyze")
	folder := t.TempDir()
	path := filepath.Join(folder, u.instance)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	manager := "--system"
	if u.user {
		manager = "--user"
	}
	command := exec.Command(analyze, manager, "verify", "--man=no", path)
	command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+folder, "SYSTEMD_LOG_TARGET=console")
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	err := command.Run()
	var ours []string
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, "subconsciousd") || err != nil {
			ours = append(ours, strings.TrimSpace(line))
		}
	}
	if err != nil {
		ours = append(ours, err.Error())
	}
	return strings.Join(ours, "\n")
}

// execStart is the line that starts the daemon.
var execStart = regexp.MustCompile(`(?m)^ExecStart=(\S+)(.*)$`)

// startable returns the unit with a program that exists in place of the daemon.
func startable(t *testing.T, path string) string {
	t.Helper()
	content := testutil.Read(t, path)
	if n := len(execStart.FindAll(content, -1)); n != 1 {
		t.Fatalf("%s has %d lines ExecStart=, want one", path, n)
	}
	return execStart.ReplaceAllString(string(content), "ExecStart=/bin/sh$2")
}

func TestSystemdUnderstandsTheUnits(t *testing.T) {
	for _, u := range units {
		t.Run(u.path, func(t *testing.T) {
			if said := verify(t, u, startable(t, u.path)); said != "" {
				t.Errorf("systemd-analyze verify: %s", said)
			}
		})
	}
}

// TestVerifyCanFail shows that the check above sees what it is there for.
func TestVerifyCanFail(t *testing.T) {
	for _, u := range units {
		good := startable(t, u.path)
		for name, broken := range map[string]string{
			"unknown key":     strings.Replace(good, "[Service]\n", "[Service]\nRestartSeconds=5\n", 1),
			"wrong value":     strings.Replace(good, "Type=notify", "Type=notified", 1),
			"missing program": strings.Replace(good, "ExecStart=/bin/sh", "ExecStart=/nowhere/subconsciousd", 1),
		} {
			t.Run(u.path+"/"+name, func(t *testing.T) {
				if broken == good {
					t.Fatal("nothing was broken")
				}
				if verify(t, u, broken) == "" {
					t.Error("systemd-analyze verify says nothing")
				}
			})
		}
	}
}

func TestUnitsSayWhatTheDaemonDoes(t *testing.T) {
	for _, u := range units {
		t.Run(u.path, func(t *testing.T) {
			content := testutil.Read(t, u.path)
			lines := strings.Split(string(content), "\n")
			for _, want := range []string{"Type=notify", "NotifyAccess=main", "WatchdogSec=5min", "Restart=on-failure", "TimeoutStopSec=15s", "ExecReload=/bin/sh -c 'kill -HUP $MAINPID'", "NoNewPrivileges=yes", "UMask=0077"} {
				if !slices.Contains(lines, want) {
					t.Errorf("the line %s is missing", want)
				}
			}
			// A private /tmp or home would hide what the
			// senses are to see, and hidden processes who approves an action.
			for _, line := range lines {
				for _, never := range []string{"PrivateTmp=", "ProtectHome=yes", "ProtectHome=tmpfs", "PrivateDevices=", "ProtectProc=", "PrivateUsers="} {
					if strings.HasPrefix(line, never) {
						t.Errorf("the line %s must not be there", line)
					}
				}
			}
			checkFlags(t, strings.Fields(execStart.FindStringSubmatch(string(content))[2]))
		})
	}
}

// exposure is what systemd says that the system unit is exposed to, in tenths of
// 0 to 10; with the line left out.
func exposure(t *testing.T, without string) int {
	t.Helper()
	analyze := need(t, "systemd-analyze")
	content := testutil.Read(t, units[1].path)
	path := filepath.Join(t.TempDir(), "subconsciousd@person.service") // root would be exposed to more
	if err := os.WriteFile(path, bytes.ReplaceAll(content, []byte("\n"+without+"\n"), []byte("\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(analyze, "security", "--offline=yes", "--no-pager", path).CombinedOutput()
	found := regexp.MustCompile(`exposure level .*: (\d+)\.(\d)`).FindSubmatch(said)
	if err != nil || found == nil {
		t.Skipf("this systemd-analyze does not judge units that are not installed: %v\n%s", err, said)
	}
	tenths, err := strconv.Atoi(string(found[1]) + string(found[2]))
	if err != nil {
		t.Fatal(err)
	}
	return tenths
}

func TestTheSystemUnitIsHardened(t *testing.T) {
	if got := exposure(t, ""); got > 20 {
		t.Errorf("its exposure is %d tenths, want 20 or less", got)
	}
	if exposure(t, "SystemCallFilter=@system-service") <= 20 {
		t.Error("without a filter of system calls it is as good: nothing is judged")
	}
}

// checkFlags fails on a flag that the daemon does not document.
func checkFlags(t *testing.T, arguments []string) {
	t.Helper()
	flags := 0
	for _, argument := range arguments {
		name, _, _ := strings.Cut(argument, "=")
		if !strings.HasPrefix(name, "-") {
			continue
		}
		flags++
		if !slices.Contains(daemonFlags, name) {
			t.Errorf("subconsciousd has no flag %s", name)
		}
	}
	if flags == 0 {
		t.Error("no flag is given: the configuration is not named")
	}
}

// launchdKeys are the keys of launchd.plist(5) that an agent may use, with a
// value of the type they take.
var launchdKeys = map[string]any{
	"Label": "", "Disabled": true, "UserName": "", "GroupName": "", "Program": "", "ProgramArguments": []any{},
	"EnvironmentVariables": map[string]any{}, "RunAtLoad": true, "WorkingDirectory": "", "Umask": uint64(0),
	"ExitTimeOut": uint64(0), "ThrottleInterval": uint64(0), "StartInterval": uint64(0), "StandardInPath": "",
	"StandardOutPath": "", "StandardErrorPath": "", "SoftResourceLimits": map[string]any{},
	"HardResourceLimits": map[string]any{}, "Nice": uint64(0), "ProcessType": "", "AbandonProcessGroup": true,
	"LowPriorityIO": true, "LowPriorityBackgroundIO": true, "LaunchOnlyOnce": true, "EnableTransactions": true,
	"LimitLoadToSessionType": "", "WatchPaths": []any{}, "KeepAlive": map[string]any{},
}

// keepAliveKeys are those of its KeepAlive.
var keepAliveKeys = map[string]any{
	"SuccessfulExit": true, "Crashed": true, "PathState": map[string]any{}, "OtherJobEnabled": map[string]any{},
}

func TestLaunchdUnderstandsTheAgent(t *testing.T) {
	const path = "launchd/com.subconsciousd.subconsciousd.plist"
	content := testutil.Read(t, path)
	var agent map[string]any
	if _, err := plist.Unmarshal(content, &agent); err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
	for _, complaint := range complaints(agent, launchdKeys) {
		t.Error(complaint)
	}
	keepAlive, _ := agent["KeepAlive"].(map[string]any)
	for _, complaint := range complaints(keepAlive, keepAliveKeys) {
		t.Error(complaint)
	}
	if success, there := keepAlive["SuccessfulExit"].(bool); !there || success {
		t.Error("KeepAlive must start the daemon anew after a failure, and only then")
	}
	if agent["Label"] != strings.TrimSuffix(filepath.Base(path), ".plist") {
		t.Errorf("the label is %v: launchd wants the file's name", agent["Label"])
	}
	if agent["RunAtLoad"] != true {
		t.Error("RunAtLoad is missing: the daemon would never start")
	}
	var arguments []string
	for _, argument := range agent["ProgramArguments"].([]any) {
		arguments = append(arguments, argument.(string))
	}
	checkFlags(t, arguments[1:])
	for _, path := range []string{arguments[0], agent["StandardOutPath"].(string), agent["StandardErrorPath"].(string)} {
		if !strings.HasPrefix(path, "HOME_FOLDER/") {
			t.Errorf("%s: launchd expands neither ~ nor variables; write HOME_FOLDER, which is replaced on installing", path)
		}
	}
}

// complaints returns which keys are unknown or have a value of another type.
func complaints(values map[string]any, known map[string]any) []string {
	if len(values) == 0 {
		return []string{"there are no keys"}
	}
	var found []string
	for key, value := range values {
		like, there := known[key]
		switch {
		case !there:
			found = append(found, key+" is not a key of launchd.plist(5)")
		case typeOf(value) != typeOf(like):
			found = append(found, key+" is a "+typeOf(value)+", want a "+typeOf(like))
		}
	}
	return found
}

func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case uint64, int64:
		return "integer"
	case []any:
		return "array"
	case map[string]any:
		return "dictionary"
	}
	return "value of another type"
}

func TestComplaintsCanFail(t *testing.T) {
	for name, broken := range map[string]map[string]any{
		"unknown key": {"Label": "a", "RunAtLoaded": true},
		"wrong type":  {"Label": "a", "ThrottleInterval": "10"},
		"empty":       {},
	} {
		if len(complaints(broken, launchdKeys)) != 1 {
			t.Errorf("%s: want one complaint, got %q", name, complaints(broken, launchdKeys))
		}
	}
}
