package initial

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
)

// TestDeliberationIsSaid: where the key of the frontier model is there it is
// said, in one line, that it deliberates, and what that may cost.
func TestDeliberationIsSaid(t *testing.T) {
	const words = "anthropic/claude-opus-5-5, whose key is there, deliberates"
	key := []string{"ANTHROPIC_API_KEY", "sk-ant-0f1e2d3c4b5a6978"}
	for name, test := range map[string]struct {
		env    []string
		preset string
		there  string // the configuration that is there
		said   int
	}{
		"no key":               {nil, models.PresetFree, "", 0},
		"a key, and rules":     {key, models.PresetReflex, "", 1},
		"a key, and others":    {key, models.PresetFree, "", 1},
		"nothing leaves":       {key, models.PresetLocal, "", 0},
		"another deliberates":  {key, "", "models: {roles: [{id: deliberation, provider: zai, model: glm-4.7-flash}]}\n", 0},
		"it is switched off":   {key, models.PresetReflex, "deliberation: {enabled: false}\n", 0},
		"it may cost less":     {key, models.PresetReflex, "deliberation: {max_cost: 0.3}\n", 1},
		"models as they are":   {key, "", "models: {preset: free}\n", 1},
		"an empty variable":    {[]string{"ANTHROPIC_API_KEY", " "}, models.PresetReflex, "", 0},
		"a key in a kept file": {[]string{"OTHER", key[1]}, "", "models: {providers: [{id: anthropic, key_env: OTHER}]}\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := here(t, test.env...)
			o.Preset, o.Agree = test.preset, true
			if test.there != "" {
				if err := errors.Join(os.MkdirAll(filepath.Dir(o.File), 0o700), os.WriteFile(o.File, []byte(test.there), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			p := &person{}
			if _, err := Run(t.Context(), o, p); err != nil {
				t.Fatal(err)
			}
			said := p.said.String()
			if n := strings.Count(said, words); n != test.said {
				t.Errorf("said %d times, want %d:\n%s", n, test.said, said)
			}
			if name == "it may cost less" && !strings.Contains(said, "at most $0.30 each time") {
				t.Errorf("the cost is not said:\n%s", said)
			}
			if strings.Contains(said, key[1]) {
				t.Error("the key is said")
			}
		})
	}
}
