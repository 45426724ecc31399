package setup_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// planted are keys of the forms that providers give out.
var planted = []string{
	"sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z",
	"sk-ant-api03-Zz9yXx8wVv7uTt6sRr5qPp4oNn3m",
	"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",
	"AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
	"0f1e2d3c4b5a69788796a5b4c3d2e1f0.Qw3rTy6uIo9pAs2d",
	"q7Wm2Xc9Vb4Nn1Lk8Jh5Gf3Ds6Ap0Zx2",
	"sk-or-v1-3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d",
}

// TestKeysAreNotSaid puts keys wherever a person might, and looks for them in
// what is said of it.
func TestKeysAreNotSaid(t *testing.T) {
	for _, key := range planted {
		for _, content := range []string{
			"models: {providers: [{id: zai, key: KEY}]}",
			"models: {providers: [{id: zai, api_key: KEY}]}",
			"models: {providers: [{id: zai, key_env: KEY}]}",
			"models: {providers: [{id: zai, key_file: KEY}]}",
			"models: {providers: [{id: zai, key_keyring: KEY}]}",
			"models: {providers: [{id: zai, key_credential: KEY}]}",
			"models: {providers: [{id: zai, token: KEY}]}",
			"models: {providers: [{id: KEY}]}",
			"models: {providers: [{id: zai, base_url: \"https://me:KEY@models.example.com/v1\"}]}",
			"models: {providers: [{id: zai, base_url: \"https://models.example.com/v1?api_key=KEY\"}]}",
			"models: {providers: [{id: zai, KEY: yes}]}",
			"models: {key: KEY}",
			"zai_api_key: KEY",
			"models: {providers: {zai: KEY}}",
			"models: {roles: [{id: watcher, provider: KEY, model: m}]}",
		} {
			_, err := load(t, strings.ReplaceAll(content, "KEY", key))
			if err == nil {
				t.Errorf("%s loads with a key in it", content)
				continue
			}
			if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), key[:12]) {
				t.Errorf("%s: the key is said: %v", content, err)
			}
		}
	}
}

// TestReferencesAreNoKeys: names of variables, files and entries may be long.
func TestReferencesAreNoKeys(t *testing.T) {
	got, err := load(t, `
models:
  providers:
    - {id: openai, key_env: SUBCONSCIOUS_OPENAI_API_KEY_2026}
    - {id: zai, key_file: keys/zai-0123456789abcdef0123456789}
    - {id: claude, vendor: anthropic, key_keyring: subconsciousd-production/anthropic2026}
    - {id: gemini, key_credential: gemini-api-key}
  roles:
    - {id: watcher, provider: ollama, model: "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", temperature: 0, thinking: -1}
    - {id: oracle, provider: zai, model: glm-5}
`)
	if err != nil {
		t.Fatal(err)
	}
	if path := got.Models.Providers[1].Key.File; !strings.HasPrefix(path, "/") {
		t.Errorf("key_file is %q, want it counted from the folder of the file", path)
	}
	if cold, own := got.Models.Roles[0].Temperature, got.Models.Roles[1].Temperature; cold == nil || *cold != 0 || own != nil {
		t.Errorf("temperatures are %v and %v, want 0 and none", cold, own)
	}
	loadsAgain(t, got)
}

// TestLimitsOfThreads: a limit that is left out is none, and one of 0 is kept.
func TestLimitsOfThreads(t *testing.T) {
	got, err := load(t, "budget: {money_per_day: 0, threads: [{id: dreamer, calls_per_day: 0}, {id: oracle, money_per_day: 0.25}]}")
	if err != nil {
		t.Fatal(err)
	}
	want := []budget.Thread{{ID: "dreamer", MoneyPerDay: -1, CallsPerDay: 0, TokensPerDay: -1}, {ID: "oracle", MoneyPerDay: 0.25, CallsPerDay: -1, TokensPerDay: -1}}
	for i, w := range want {
		if got.Budget.Threads[i] != w {
			t.Errorf("limits are %+v, want %+v", got.Budget.Threads[i], w)
		}
	}
	if d := budget.DefaultConfig(); got.Budget.MoneyPerDay != 0 || got.Budget.MoneyPerMonth != d.MoneyPerMonth {
		t.Errorf("limits are %+v", got.Budget)
	}
}

// TestDocumentedConfigurationsLoad loads every piece of YAML of the document.
func TestDocumentedConfigurationsLoad(t *testing.T) {
	text := testutil.Read(t, "../docs/models.md")
	pieces := strings.Split(string(text), "```yaml\n")[1:]
	if len(pieces) == 0 {
		t.Fatal("there is none")
	}
	for _, piece := range pieces {
		piece, _, _ = strings.Cut(piece, "```")
		if _, err := load(t, piece); err != nil {
			t.Errorf("%v\n%s", err, piece)
		}
	}
}
