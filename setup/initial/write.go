package initial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/setup"
)

// head begins a configuration that is made here.
const head = `# subconsciousd: the configuration. config.example.yaml documents every key;
# what is not here has its default. "subconsciousctl config check" tells what is
# wrong with it.

# What the mind looks at. This machine's health is watched unless it is switched
# off; folders, notes and calendars are watched where they are named.
senses:
  health:
    enabled: true
  #files:
  #  - id: work
  #    path: ~/work
  #notes:
  #  - id: notes
  #    path: ~/notes
  #calendar:
  #  - id: home
  #    ics: ~/home.ics

`

// writeDown writes the keys and the configuration, or says what to change in
// one that has models already.
func writeDown(ctx context.Context, s *session) error {
	for i := range s.plan.providers {
		if p := &s.plan.providers[i]; p.KeyEnv == typed(p.ID) {
			p.KeyEnv, p.KeyFile = "", s.keyFile(p.ID)
		}
	}
	path, err := target(s.File)
	if err != nil {
		return err
	}
	text, err := s.text(path)
	if err != nil || text == "" {
		return err
	}
	what := path
	if len(s.plan.keys) > 0 {
		what += ", and the keys that you typed to " + filepath.Dir(s.keyFile("x"))
	}
	if i, err := s.ask(ctx, "Write "+what+"?", []Choice{{"yes", ""}, {"no", "nothing is written"}}, 0); err != nil {
		return err
	} else if i != 0 {
		return context.Canceled
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := s.prepare(path, text)
	if err != nil {
		return err
	}
	if err := s.writeKeys(); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := place(temp, path); err != nil {
		return err
	}
	s.result.Written = true
	s.say("Written: %s", strings.Join(append([]string{path}, s.result.KeyFiles...), ", "))
	return nil
}

// target follows a link, so that the file is written and not the link replaced.
func target(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return real, err
}

// text is what the configuration will be: a new one, or the one that is there
// with the new part at its end. It is empty where the file has models already:
// then the person is told what to change.
func (s *session) text(path string) (string, error) {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return head + s.plan.modelsText() + "\n" + budgetText(), nil
	}
	if err != nil {
		return "", err
	}
	if _, err := setup.Load(path, s.Env); err != nil {
		return "", fmt.Errorf("the configuration that is there has mistakes, so that nothing was changed:\n%w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(old, &document); err != nil {
		return "", err
	}
	has := keysOf(&document)
	flow := len(document.Content) > 0 && document.Content[0].Style&yaml.FlowStyle != 0
	if has["models"] || flow || strings.Contains(string(old), "\n...") {
		s.result.Change = s.plan.modelsText()
		s.say("%s has models already, and is left as it is. Put this in their place:\n\n%s", path, s.result.Change)
		if len(s.plan.keys) > 0 {
			s.say("The keys that you typed were not kept; write them into the files that are named there, and run chmod 600 on those.")
		}
		return "", nil
	}
	text := strings.TrimRight(string(old), "\n") + "\n\n" + s.plan.modelsText()
	if !has["budget"] {
		text += "\n" + budgetText()
	}
	return strings.TrimLeft(text, "\n"), nil
}

// keysOf are the keys at the top of a document.
func keysOf(document *yaml.Node) map[string]bool {
	keys := map[string]bool{}
	if len(document.Content) > 0 && document.Content[0].Kind == yaml.MappingNode {
		for i := 0; i < len(document.Content[0].Content); i += 2 {
			keys[document.Content[0].Content[i].Value] = true
		}
	}
	return keys
}

// modelsText is the part about models, with comments.
func (p plan) modelsText() string {
	var b strings.Builder
	b.WriteString("# Which models think. docs/models.md explains it.\nmodels:\n")
	fmt.Fprintf(&b, "  # Who thinks: %s.\n  preset: %s\n", strings.Join(models.PresetNames(), ", "), p.preset)
	if len(p.providers) > 0 {
		b.WriteString("  # Keys are named here and never written here.\n  providers:\n")
	}
	for _, one := range p.providers {
		fmt.Fprintf(&b, "    - id: %s\n", one.ID)
		for _, field := range [...]struct{ key, value string }{{"vendor", one.Vendor}, {"base_url", one.BaseURL}, {"key_env", one.KeyEnv}, {"key_file", one.KeyFile}} {
			if field.value != "" {
				fmt.Fprintf(&b, "      %s: %s\n", field.key, strconv.Quote(field.value))
			}
		}
		if one.Local {
			b.WriteString("      # It costs nothing, and is given plain text.\n      local: true\n")
		}
	}
	if len(p.roles) > 0 {
		b.WriteString("  roles:\n")
	}
	for _, role := range p.roles {
		fmt.Fprintf(&b, "    - {id: %s, provider: %s, model: %s}\n", role.ID, role.Provider, strconv.Quote(role.Model))
	}
	return b.String()
}

// budgetText is the part about the budget, with comments.
func budgetText() string {
	c := budget.DefaultConfig()
	return fmt.Sprintf(`# What models may cost, in US dollars: hard limits. Rules think where one is
# reached. 0 lets nothing through, -1 is no limit.
budget:
  money_per_day: %v
  money_per_month: %v
  # How often a day threads may ask a model although nothing in their field is
  # new; 0: never.
  exploration_calls_per_day: %d
`, c.MoneyPerDay, c.MoneyPerMonth, c.ExplorationCallsPerDay)
}

// prepare writes the configuration beside its place, and makes sure that it
// loads from there.
func (s *session) prepare(path, text string) (temp string, err error) {
	if temp, err = writeTemp(path, text); err != nil {
		return "", err
	}
	if _, err := setup.Load(temp, s.Env); err != nil {
		return "", errors.Join(fmt.Errorf("the configuration that was made cannot be loaded, so that nothing was changed: %w", err), os.Remove(temp))
	}
	return temp, nil
}

// writeFile writes a file that its owner alone can read, whole or not at all.
func writeFile(path, text string) error {
	temp, err := writeTemp(path, text)
	if err != nil {
		return err
	}
	return place(temp, path)
}

// writeTemp writes a file beside the one of that path and returns its name.
func writeTemp(path, text string) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Chmod(0o600), file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// place renames a file to its name, and makes that last.
func place(temp, path string) error {
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
