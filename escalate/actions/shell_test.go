package actions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// withCommand is an action with that command, and the parameters {u} and {v} as far as
// they stand in it.
func withCommand(vector []string) actions.Action {
	a := actions.Action{Name: "sample", Description: "A sample.", Command: vector}
	for _, name := range []string{"u", "v"} {
		if strings.Contains(strings.Join(vector, " "), "{"+name+"}") {
			a.Params = append(a.Params, text(name))
		}
	}
	return a
}

// The program, and the code that an interpreter reads, are never a value:
// neither at the front nor behind programs that run others, at any depth.
func TestValueRunsNothing(t *testing.T) {
	for want, vectors := range map[string][][]string{
		"a value might become what runs": {
			{"nice", "{u}"}, {"env", "{u}"}, {"timeout", "5", "{u}"}, {"xargs", "{u}"}, {"find", "/tmp", "-exec", "{u}", ";"}, {"nice", "-n", "5", "{u}"},
			{"nice", "-n5", "/opt/{u}"}, {"env", "-", "{u}"}, {"env", "-i", "--", "A=b", "{u}"}, {"ionice", "-c3", "{u}"}, {"nohup", "{u}"}, {"setsid", "-f", "{u}"},
			{"stdbuf", "-oL", "{u}"}, {"time", "-p", "{u}"}, {"xargs", "-0n", "1", "{u}"}, {"sudo", "-n", "-u", "me", "{u}"}, {"doas", "-u", "me", "{u}"},
			{"chroot", "/srv", "{u}"}, {"unshare", "-r", "{u}"}, {"nsenter", "-t", "1", "-m", "{u}"}, {"flock", "/tmp/lock", "{u}"},
			{"systemd-run", "--user", "--unit", "x", "{u}"}, {"busybox", "{u}"}, {"toybox", "{u}"}, {"setpriv", "--no-new-privs", "{u}"}, {"taskset", "1", "{u}"},
			{"chrt", "-i", "0", "{u}"}, {"strace", "-f", "-o", "/tmp/x", "{u}"}, {"ltrace", "{u}"}, {"entr", "-n", "{u}"}, {"timeout", "{v}", "{u}"},
			{"/usr/bin/nice", "/usr/bin/env", "A=b", "timeout", "-k", "1", "5", "{u}"}, {"find", "{v}", "-execdir", "{{}}", ";"},
			{"find", "/tmp", "-ok", "env", "{u}", "{{}}", "+", "-delete"}, {"fd", "-x", "{u}"}, {"docker", "exec", "-it", "box", "{u}"}, {"kubectl", "exec", "pod", "--", "{u}"},
			{"/bin/sh", "{u}"}, {"env", "python3", "-c", "print({u})"}, {"sudo", "-u", "me", "perl", "-e", "{u}"}, {"bash", "-eu", "{u}"}, {"sh", "/home/me/{u}.sh"},
			{"busybox", "sh", "{u}"}, {"timeout", "5", "/usr/bin/python3.12", "-u", "{u}"}, {"python3", "-m", "{u}"}, {"python3.12-dbg", "-W", "ignore", "{u}"},
			{"perl", "-ne", "{u}"}, {"perl", "-e", "1", "-e", "{u}"}, {"perl", "-e", "1", "-I{v}", "-e", "{u}"}, {"perl", "-lane{u}"}, {"ruby", "-e", "{u}"},
			{"node", "-p", "{u}"}, {"node", "--eval={u}"}, {"php", "-r", "{u}"}, {"lua5.4", "-e", "fixed()", "{u}"}, {"awk", "-F", ":", "{u}"}, {"gawk", "-f", "{u}"},
			{"sed", "s/a/{u}/", "/x"}, {"sed", "p", "/x", "-e", "{u}"}, {"nice", "sed", "-i", "-e", "{u}"}, {"tclsh", "{u}"}, {"osascript", "-e", "{u}"},
			{"deno", "run", "-A", "{u}"}, {"java", "-jar", "{u}"}, {"find", "{v}", "-exec", "python3", "{{}}", ";"}, {"mine", "python3", "-c", "print({u})"},
			{"/bin/dash", "--", "{u}"}, {"pwsh", "-File", "{u}"}, {"timeout", "5", "ssh", "host", "uptime", "{u}"}, {"env", "-i", "nice", "su", "-", "me", "{u}"},
			{"find", "/", "-exec", "watch", "{u}", ";"}, {"nohup", "tmux", "{u}"}, {"at", "{u}"}, {"parallel", "{u}"}, {"script", "{u}"}, {"runuser", "{u}"}, {"expect", "{u}"},
			{"crontab", "{u}"}, {"env", "-S", "python3 -c", "{u}"}, {"nice", "--new-option", "prog", "{u}"}, {"sudo", "-s", "prog", "{u}"}, {"flock", "/tmp/lock", "-c", "{u}"},
			{"node", "--new-option", "x.js", "{u}"}, {"env", "nice", "-zn5", "prog", "{u}"}, {"env", "A={u}", "prog"}, {"nice", "-n", "{u}", "prog"},
			{"timeout", "-k{u}", "5", "prog"}, {"chroot", "{u}", "ls"}, {"systemd-run", "--property=ExecStartPre={u}", "prog"}, {"sudo", "--user={u}", "prog"},
			{"timeout", "{u}s", "prog"}, {"python3", "-W{u}", "/x.py"}, {"gdb", "-ex", "{u}"}, {"make", "{u}"}, {"env", "make", "-f", "{u}"}, {"run-parts", "{u}"},
			{"find", "{u}", "-name", "*.tmp", "-exec", "rm", "--", "{{}}", "+"}, {"find", ".", "-exec", "grep", "{u}", "{{}}", ";", "-print"},
			{"bash", "-eu", "/home/me/x", "{u}"}, {"env", "TZ=UTC", "notify-send", "{u}"}, {"nice", "-10", "prog", "{u}"},
			{"sudo", "-n", "systemctl", "restart", "{u}"}, {"sed", "-i", "/x/d", "{u}"}, {"java", "-jar", "/x.jar", "{u}"},
		},
		"-c is a shell line": {
			{"sh", "-c", `fixed "$1"`, "sh", "{u}"}, {"mine", "sh", "-c", "{u}"}, {"busybox", "sh", "-c", "{u}"},
		},
	} {
		for _, vector := range vectors {
			t.Run(strings.Join(vector, " "), func(t *testing.T) {
				err := withCommand(vector).Validate()
				if err == nil || !strings.HasPrefix(err.Error(), "command: ") || !strings.Contains(err.Error(), "; ") {
					t.Fatalf("%v", err)
				}
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, and should say that %s", err, want)
				}
				undone := withCommand(vector)
				undone.Command, undone.Undo = []string{"true"}, vector
				if err := undone.Validate(); err == nil {
					t.Error("it may undo")
				}
			})
		}
	}
}

// What is fixed runs with values as its arguments.
func TestValueIsArgument(t *testing.T) {
	for _, vector := range [][]string{
		{"notify-send", "{u}"}, {"notify-send", "Fish", "{u}"}, {"npm", "run", "{u}"}, {"python3", "/home/me/x.py", "{u}"}, {"bash", "/home/me/x", "{u}"}, {"task", "add", "--", "{u}"}, {"ssh", "host", "uptime"}, {"timeout", "5", "ssh", "host", "uptime"}, {"systemctl", "--user", "restart", "{u}"},
		{"find", "{u}", "-type", "f", "-atime", "+{v}", "-delete"}, {"jq", ".[{u}]", "/x.json"}, {"docker", "restart", "{u}"}, {"git", "-C", "{u}", "pull"},
		{"gdb", "--batch", "/x"}, {"make", "-C", "/x", "all"}, {"echo", "--time", "env", "{u}"},
	} {
		if err := withCommand(vector).Validate(); err != nil {
			t.Errorf("%v: %v", vector, err)
		}
	}
}

// A program that is many is what it is called by.
func TestCalledBy(t *testing.T) {
	for vector, refused := range map[string]bool{"/bin/echo {u}": false, "/bin/busybox {u}": true, "/bin/sh {u}": true, "/bin/env {u}": true} {
		if why := actions.ShellLine(strings.Fields(vector), "busybox"); (why != "") != refused {
			t.Errorf("%s: %q", vector, why)
		}
	}
	if why := actions.ShellLine([]string{"/home/me/tool", "{u}"}, "python3"); why == "" {
		t.Error("a link to an interpreter runs a value")
	}
}

// FuzzShellLine: no vector of words breaks what looks at them, and a value that
// stands alone behind the wrappers is never what runs.
func FuzzShellLine(f *testing.F) {
	for _, seed := range []string{"env -i A=b {u}", "find . -exec {u} +", "perl -e 1 -", "timeout -k", "sed -e", "env - --", "flock x --"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		vector := append([]string{"env"}, strings.Fields(line)...)
		_ = withCommand(vector).Validate()
		if err := withCommand([]string{"env", "nice", "{u}", fmt.Sprintf("%q", line)}).Validate(); err == nil {
			t.Error("a value runs")
		}
	})
}
