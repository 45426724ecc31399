package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/eval/egress"
)

// TestMain is also the process that runs in a network of its own.
func TestMain(m *testing.M) {
	if egress.Inside() && len(os.Args) > 1 && os.Args[1] == "eval" {
		os.Exit(Run(context.Background(), os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestAttackWatched runs the whole command, in a network of its own where the
// system allows that.
func TestAttackWatched(t *testing.T) {
	if egress.Inside() {
		t.Skip("this is the process inside")
	}
	var out, problems bytes.Buffer
	code := Run(t.Context(), []string{"attack", "attack/testdata", "--sample", "2", "--carriers", "mail-body", "--json"}, &out, &problems)
	if strings.Contains(problems.String(), egress.ErrUnsupported.Error()) {
		t.Skip(problems.String())
	}
	var result struct {
		Watched bool
		Egress  egress.Seen
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatalf("code %d: %v\n%s\n%s", code, err, &out, &problems)
	}
	if code != exitOK || !result.Watched || result.Egress.Bytes != 0 || result.Egress.Packets == 0 {
		t.Errorf("code %d, %+v\n%s", code, result, &problems)
	}
}

// TestAttackWrongPath says that alone.
func TestAttackWrongPath(t *testing.T) {
	var out, problems bytes.Buffer
	code := Run(t.Context(), []string{"attack", t.TempDir()}, &out, &problems)
	if code != exitFailed || strings.Contains(problems.String(), "above") || strings.Count(problems.String(), "\n") != 1 {
		t.Errorf("code %d: %s", code, &problems)
	}
}

func TestRuminationCommandLine(t *testing.T) {
	for name, c := range map[string]struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		"help":          {"rumination --help", 0, "subconsciousd eval rumination [--ticks N]", ""},
		"an argument":   {"rumination here", 2, "", `unexpected argument "here"`},
		"no ticks":      {"rumination --ticks 0", 2, "", "it takes 1 to 8000"},
		"many ticks":    {"rumination --ticks 8001", 2, "", "it takes 1 to 8000"},
		"another gate":  {"rumination --gate changed", 2, "", "it takes always, adaptive or both"},
		"a seed":        {"rumination --seed -1", 2, "", "invalid value"},
		"no such thing": {"rumination --loud", 2, "", "-loud"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(t.Context(), strings.Fields(c.args), &stdout, &stderr)
			if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
				t.Errorf("it ends with %d and says\n%s%s", code, stdout.String(), stderr.String())
			}
		})
	}
}
