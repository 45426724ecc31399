package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/kin"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// TestAgentOf: agents are known however they were installed, and nothing else is one.
func TestAgentOf(t *testing.T) {
	for _, test := range []struct {
		want string
		kin.Process
	}{
		{"claude", kin.Process{Name: "claude", Program: "/home/a/.local/share/claude/versions/2.1.0", Arguments: []string{"claude", "--resume"}}},
		{"claude", kin.Process{Name: "node", Program: "/usr/bin/node", Arguments: []string{"node", "--enable-source-maps", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"}}},
		{"codex", kin.Process{Program: "/opt/node_modules/@openai/codex/vendor/x86_64/codex/codex"}},
		{"gemini", kin.Process{Name: "MainThread", Program: "/usr/bin/node", Arguments: []string{"/usr/bin/node", "--require", "/a/hook.js", "--no-warnings=DEP0040", "/usr/bin/gemini"}}},
		{"aider", kin.Process{Program: "/usr/bin/python3.12", Arguments: []string{"python3.12", "-X", "utf8", "-m", "aider", "--yes"}}},
		{"aider", kin.Process{Program: "/home/a/.local/share/uv/tools/aider-chat/bin/python"}},
		{"cursor-agent", kin.Process{Arguments: []string{"/home/a/.local/share/cursor-agent/versions/7/node", "index.js"}, Program: "/home/a/.local/share/cursor-agent/versions/7/node"}},
		{"goose", kin.Process{Name: "goose"}},
		{"opencode", kin.Process{Arguments: []string{"bun", "run", "/a/node_modules/opencode-ai/bin/opencode.ts"}}},
		{"", kin.Process{}},
		{"", kin.Process{Arguments: []string{""}}},
		{"", kin.Process{Name: "vim", Program: "/usr/bin/vim", Arguments: []string{"vim", "/home/a/claude", "claude"}}},
		{"", kin.Process{Name: "cat", Arguments: []string{"cat", "/lib/node_modules/@openai/codex/README.md"}}},
		{"", kin.Process{Name: "node", Program: "/usr/bin/node", Arguments: []string{"node", "server.js", "claude"}}},
		{"", kin.Process{Name: "bash", Program: "/usr/bin/bash", Arguments: []string{"bash", "-c", "claude", "codex"}}},
		{"", kin.Process{Name: "bash", Program: "/usr/bin/bash", Arguments: []string{"-bash"}}},
		{"", kin.Process{Name: "code", Program: "/usr/share/code/code", Arguments: []string{"/usr/share/code/code", "."}}},
		{"", kin.Process{Name: "cursor", Program: "/opt/Cursor/cursor"}},
		{"", kin.Process{Name: "zed-editor", Program: "/usr/libexec/zed-editor"}},
		{"", kin.Process{Name: "nvim"}}, {"", kin.Process{Name: "emacs"}}, {"", kin.Process{Name: "idea"}}, {"", kin.Process{Name: "windsurf"}},
	} {
		if got := api.AgentOf(test.Process); got != test.want {
			t.Errorf("%+v is %q, want %q", test.Process, got, test.want)
		}
	}
}

// TestBelowAgents asks as processes that agents begin, or others do: an approval is
// carried out for the others alone, and for the agents, too, where nobody looks.
func TestBelowAgents(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	claude, editor := filepath.Join(t.TempDir(), "claude"), filepath.Join(t.TempDir(), "code")
	testutil.Program(t, claude, "\"$@\"\nexit $?")
	testutil.Program(t, editor, "\"$@\"\nexit $?")
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid here")
	}
	for _, test := range []struct {
		name    string
		agent   bool
		command []string
		env     string
	}{
		{"its child", true, []string{claude, self}, ""},
		{"a child of its shell", true, []string{claude, "sh", "-c", self + "; true"}, ""},
		{"a child that left its group and session", true, []string{claude, "setsid", "--wait", self}, ""},
		{"a child whose parent has ended, of its session", true, []string{"setsid", "--wait", claude, "sh", "-c", "(" + self + ` &); while [ ! -e "$DONE" ]; do :; done`}, ""},
		{"a child that left everything", true, []string{"setsid", "-f", self}, "CLAUDECODE=of-this-test"},
		{"an agent within an editor", true, []string{editor, claude, self}, ""},
		{"nobody's child", false, []string{self}, ""},
		{"a shell", false, []string{"sh", "-c", self + "; true"}, ""},
		{"an editor", false, []string{editor, self}, ""},
		{"a child of a shell that left everything", false, []string{"setsid", "-f", self}, ""},
	} {
		for _, off := range []bool{false, true} {
			folder, mind := testutil.Folder(t), apitest.Deliberating()
			serve(t, folder, mind, func(s *api.Server) {
				if off {
					api.Unguarded(s, "agent")
				}
			})
			done := filepath.Join(t.TempDir(), "done")
			command := exec.CommandContext(t.Context(), test.command[0], test.command[1:]...)
			command.Env = []string{"PATH=" + os.Getenv("PATH"), childSocket + "=" + filepath.Join(folder, "socket"), childDecides + "=" + done, "DONE=" + done, test.env}
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", test.name, err, out)
			}
			waitFor(t, func() bool { _, err := os.Stat(done); return err == nil })
			answer := string(testutil.Read(t, done))
			refused := strings.Contains(answer, "403 Forbidden") && strings.Contains(answer, "runs below the agent claude")
			if want := test.agent && !off; refused != want || (len(mind.Decisions()) == 0) != want {
				t.Errorf("%s, nobody looks %v: decided %+v, %s", test.name, off, mind.Decisions(), answer)
			}
		}
	}
}

// TestWhoReadsWhatStrangersSaid: the person alone, and a token no agent's word either.
func TestWhoReadsWhatStrangersSaid(t *testing.T) {
	for _, agent := range []string{"", "claude"} {
		folder, mind := testutil.Folder(t), apitest.Deliberating()
		serve(t, folder, mind, func(s *api.Server) { api.Below(s, agent, nil) })
		for _, path := range []string{"/v1/memory?quarantined=true", "/v1/memory/conflicts?quarantined=true", "/v1/memory/m-1e", "/v1/memory/m-1e/history", "/v1/memory/m-1e/provenance"} {
			if got := call(t, caller(t, folder), "GET", path, "", ""); (got.status == http.StatusOK) != (agent == "") || agent != "" && strings.Contains(got.body, "alarms") {
				t.Errorf("below %q: %s: %d %s", agent, path, got.status, got.body)
			}
		}
	}
	d := openDoor(t, apitest.Deliberating(), "")
	for _, path := range []string{"/v1/memory?quarantined=true", "/v1/memory?agents=true", "/v1/memory/m-1e"} {
		if status, text, _ := d.ask("GET", path, d.token, ""); status == http.StatusOK || strings.Contains(text, "alarms") {
			t.Errorf("with the token: %s: %d %s", path, status, text)
		}
	}
}

// TestWhatAgentsMay: below an agent all that is said is its word, and what is the
// person's alone is refused. Whose ancestry cannot be read may not act at all.
func TestWhatAgentsMay(t *testing.T) {
	const agent, person, nobody = "an agent may", "a person may", "it changes nothing"
	for _, test := range []struct{ method, path, body, may string }{
		{"GET", "/v1/status", "", nobody},
		{"GET", "/v1/memory", "", nobody},
		{"POST", "/v1/observations/doorbell", `{"title":"It rang"}`, nobody},
		{"POST", "/v1/tick", `{}`, agent},
		{"POST", "/v1/missed", `{"text":"the backup","teach":true}`, agent},
		{"POST", "/v1/messages", `{"text":"I, the owner, say so"}`, agent},
		{"POST", "/v1/messages", `{"text":"I am another","as":"codex"}`, agent},
		{"POST", "/v1/memory", `{"text":"The owner loves agents"}`, agent},
		{"POST", "/v1/memory/m-1d/archive", `{"as":"codex"}`, agent},
		{"POST", "/v1/memory/m-1d/supersede", `{"text":"The printers never close"}`, agent},
		{"POST", "/v1/memory/m-1d/edit", `{"text":"The printers never close"}`, agent},
		{"POST", "/v1/commands", `{"kind":"note","text":"The owner says so"}`, agent},
		{"POST", "/v1/commands", `{"kind":"focus","thread":"oracle","text":"the fair"}`, agent},
		{"POST", "/v1/commands", `{"kind":"ack","incident":"i-backup-1a0"}`, person},
		{"POST", "/v1/commands", `{"kind":"dismiss","incident":"i-backup-1a0","forever":true}`, person},
		{"POST", "/v1/commands", `{"kind":"snooze","incident":"i-backup-1a0"}`, person},
		{"POST", "/v1/commands", `{"kind":"remind","incident":"i-backup-1a0","for":"2h"}`, person},
		{"POST", "/v1/commands", `{"kind":"close","entry":"w-backup-a2c"}`, person},
		{"POST", "/v1/commands", `{"kind":"confirm","entry":"w-backup-a2c"}`, person},
		{"GET", "/v1/memory?agents=true", "", nobody},
		{"GET", "/v1/memory/m-1d", "", nobody},
		{"GET", "/v1/memory/export", "", person},
		{"POST", "/v1/memory/m-1e/confirm", `{}`, person},
		{"POST", "/v1/memory/m-1d/pin", `{}`, person},
		{"POST", "/v1/memory/m-1d/undo", `{}`, person},
		{"POST", "/v1/memory/m-1d/forget", `{}`, person},
		{"POST", "/v1/memory/import", "head\n", person},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a"}`, person},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","hash":"` + apitest.SampleHash + `","approve":true}`, person},
		{"POST", "/v1/undo", `{"run":"r-23"}`, person},
		{"POST", "/v1/pause", `{"for":"2h"}`, person},
		{"POST", "/v1/resume", `{}`, person},
		{"POST", "/v1/calibration/reset", `{}`, person},
		{"POST", "/v1/channels/renew", `{"channel":"phone"}`, person},
		{"POST", "/v1/sources/token", `{"source":"doorbell"}`, person},
		{"POST", "/v1/token", `{}`, person},
	} {
		for who, below := range map[string]struct {
			agent string
			err   error
		}{"person": {}, "agent": {agent: "claude"}, "unknown": {err: errors.New("it has ended")}} {
			folder, mind := testutil.Folder(t), apitest.Deliberating()
			serve(t, folder, mind, func(s *api.Server) { api.Below(s, below.agent, below.err) })
			media, headers := asJSON, []string{}
			if strings.Contains(test.path, "observations") {
				headers = []string{"Authorization", "Bearer source-OPEN"}
			}
			got := call(t, caller(t, folder), test.method, test.path, media, test.body, headers...)
			may := who == "person" || test.may == nobody || who == "agent" && test.may == agent
			if may == (got.status == http.StatusForbidden) {
				t.Errorf("%s: %s %s %s: %d %s", who, test.method, test.path, test.body, got.status, got.body)
			}
			if said, _ := json.Marshal([]any{mind.Commands(), mind.Posts(), mind.MemoryChanges()}); who == "agent" && may && strings.Contains(string(said), "{") &&
				bytes.Count(said, []byte("claude")) == 0 {
				t.Errorf("%s %s: it is not the agent's word: %s", test.path, test.body, said)
			}
			if who == "agent" && !may && !strings.Contains(got.problem.Detail, "the agent claude") {
				t.Errorf("%s: the refusal does not name it: %s", test.path, got.body)
			}
		}
	}
}

// TestAncestry: what cannot be read is an error, and never nobody.
func TestAncestry(t *testing.T) {
	began, _ := kin.Look(os.Getpid())
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		pid       int
		connected uint64
		fails     bool
	}{
		"this process":                          {os.Getpid(), kin.Now(), false},
		"the first one":                         {1, kin.Now(), false},
		"one that is not named":                 {0, kin.Now(), true},
		"one that has ended":                    {child.Process.Pid, kin.Now(), true},
		"none":                                  {math.MaxInt32, kin.Now(), true},
		"one that began after it had connected": {os.Getpid(), began.Began - 1, true},
	} {
		if agent, err := api.AgentAbove(test.pid, test.connected); (err != nil) != test.fails || agent != "" {
			t.Error(name, fmt.Sprintf("%q", agent), err)
		}
	}
}
