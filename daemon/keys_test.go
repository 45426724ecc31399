package daemon_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
)

// Programs that are begun do not inherit the keys.
func TestKeysAreTaken(t *testing.T) {
	config := setup.Default()
	config.Models.Providers = []models.Provider{{ID: "own", Key: secret.Ref{Env: "OWN_KEY"}}}
	config.Senses.Mail = []mail.Config{{ID: "work", Password: secret.Ref{Env: "MAIL_WORD"}}}
	config.Notify = append(config.Notify, setup.Channel{ID: "phone", Ntfy: &ntfy.Config{Token: secret.Ref{Env: "PHONE_TOKEN"}}})
	names := []string{"OWN_KEY", "MAIL_WORD", "PHONE_TOKEN", "OPENAI_API_KEY"}
	for _, name := range names {
		t.Setenv(name, "kept "+name)
	}
	t.Setenv("LEFT", "alone")
	inherited := func() string {
		out, err := exec.Command("env").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	before := inherited()
	env, err := daemon.TakeKeys(config, os.LookupEnv, map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	after := inherited()
	for _, name := range names {
		if value, ok := env(name); !ok || value != "kept "+name {
			t.Errorf("%s is %q", name, value)
		}
		if !strings.Contains(before, "kept "+name) || strings.Contains(after, name) {
			t.Errorf("%s is inherited", name)
		}
	}
	if value, _ := env("LEFT"); value != "alone" || !strings.Contains(after, "LEFT=alone") {
		t.Errorf("what is no key is %q", value)
	}
}
