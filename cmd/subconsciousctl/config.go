package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
	"github.com/subconsciousd/subconsciousd/deploy"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/setup"
)

// configCommands check and show the configuration.
func (a *app) configCommands() map[string]command {
	of := func(run func() error) command {
		return command{run: func(*cobra.Command, []string) error { return run() }}
	}
	return map[string]command{
		"config check": of(a.checkConfig), "config show": of(a.showConfig), "config schema": of(a.showSchema), "config path": of(a.showConfigPath),
		"config polkit": {run: func(*cobra.Command, []string) error { return a.write(deploy.Polkit()) }},
	}
}

// configPlace is which configuration counts. File is empty where nothing is
// known of a usual place.
type configPlace struct {
	File string `json:"file"`
	// By is what named it: "--config", the variable, or "default".
	By     string `json:"by"`
	Exists bool   `json:"exists"`
}

func (a *app) configPlace() (configPlace, error) {
	place := configPlace{By: "--config", File: a.config}
	if place.File == "" {
		place.By = configVariable
		place.File, _ = a.env(configVariable)
	}
	if place.File == "" {
		place.By = "default"
		place.File = setup.DefaultPath(a.env)
	}
	if place.File == "" {
		return place, nil
	}
	var err error
	if place.File, err = a.absolute(place.File); err != nil {
		return place, err
	}
	_, err = os.Stat(place.File)
	place.Exists = err == nil
	return place, nil
}

// load reads the configuration that counts. No file in the usual place means
// the defaults.
func (a *app) load() (*setup.Config, configPlace, error) {
	place, file, err := a.usedConfig()
	if err != nil {
		return nil, place, err
	}
	config, err := setup.Load(file, a.env)
	return config, place, err
}

// usedConfig is the place, and the file to load, which is "" for the defaults.
func (a *app) usedConfig() (place configPlace, file string, err error) {
	place, err = a.configPlace()
	if place.By != "default" || place.Exists {
		file = place.File
	}
	return place, file, err
}

func (a *app) checkConfig() error {
	place, file, err := a.usedConfig()
	if err != nil {
		return err
	}
	wrong := append(setup.Check(file, a.env), promptsWrong(setup.PromptsDir(file))...)
	failed := slices.ContainsFunc(wrong, func(e *setup.Error) bool { return !e.Code.Usable() })
	answer := struct {
		configPlace
		OK       bool         `json:"ok"`
		Mistakes setup.Errors `json:"mistakes"`
	}{place, !failed, append(setup.Errors{}, wrong...)}
	if err := a.print(answer, func() string { return checkWords(place, wrong, failed) }); err != nil {
		return err
	}
	return cmp.Or(ended(failed, exitFailed), degraded(len(wrong) > 0))
}

// promptsWrong is what would keep the daemon from using the templates in dir.
func promptsWrong(dir string) setup.Errors {
	_, err := prompts.Open(dir)
	if err == nil {
		return nil
	}
	if refused := setup.Distrust(dir, err); refused != nil {
		return setup.Errors{refused}
	}
	return setup.Errors{{Code: setup.CodeValue, Problem: err.Error(), Fix: "mend the template, or remove it to get the shipped one; subconsciousctl prompts diff shows what differs"}}
}

func checkWords(place configPlace, wrong setup.Errors, failed bool) string {
	switch {
	case len(wrong) > 0 && !failed:
		return screen.Lines(wrong.Error()+"\n"+place.File+" can be used; what is not there is not used.") + "\n"
	case len(wrong) > 0:
		return screen.Lines(wrong.Error()) + "\n"
	case !place.Exists:
		return fmt.Sprintf("There is no file at %s; the defaults hold, and they are right.\n", screen.Lines(place.File))
	default:
		return fmt.Sprintf("%s is right.\n", screen.Lines(place.File))
	}
}

func (a *app) showConfig() error {
	config, _, err := a.load()
	if err != nil {
		return err
	}
	text, err := setup.Marshal(config)
	if err != nil {
		return fmt.Errorf("show the configuration: %w", err)
	}
	if !a.json {
		return a.raw(text)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("show the configuration: %w", err)
	}
	return a.outcome(value)
}

func (a *app) showSchema() error {
	schema, err := setup.Schema()
	if err != nil {
		return fmt.Errorf("make the schema: %w", err)
	}
	return a.raw(schema)
}

func (a *app) showConfigPath() error {
	place, err := a.configPlace()
	if err == nil {
		err = place.known()
	}
	if err != nil {
		return err
	}
	return a.print(place, func() string { return place.File + "\n" })
}

// known refuses a place of which nothing is known.
func (p configPlace) known() error {
	if p.File != "" {
		return nil
	}
	return &usageError{err: errors.New("HOME is not set, so there is no usual place"), next: "name the file with --config FILE"}
}

// raw writes text as it is, ended by a new line; on a terminal it is shown.
func (a *app) raw(text []byte) error {
	out := a.bare.stdout
	if a.outTerminal {
		out = a.stdout
	}
	if _, err := io.WriteString(out, strings.TrimRight(string(text), "\n")+"\n"); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// maxConfig is the most that is read of a configuration, in bytes.
const maxConfig = 1 << 20

// configuredStateDir reads the one key of a configuration that every command
// needs. Everything else is left to `config check`, so that a mistake elsewhere
// does not keep anybody from asking the daemon.
func (a *app) configuredStateDir(path string) (string, error) {
	text, err := readFile(path)
	if err != nil {
		return "", &usageError{err: fmt.Errorf("cannot read the configuration: %w", err),
			next: "name another with --config FILE, or the state folder with --state-dir DIR"}
	}
	config := struct {
		StateDir string `yaml:"state_dir"`
	}{setup.Default().StateDir}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return "", &usageError{err: fmt.Errorf("cannot find state_dir in %s: %w", path, err),
			next: "run subconsciousctl config check, or name the state folder with --state-dir DIR"}
	}
	// What is relative counts from the folder of the file.
	dir := config.StateDir
	if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~") {
		dir = filepath.Join(filepath.Dir(path), dir)
	}
	return a.absolute(dir)
}

func readFile(path string) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err = io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%s is over %d bytes", path, maxConfig)
	}
	return text, err
}

const (
	stateDirVariable = "SUBCONSCIOUS_STATE_DIR"
	configVariable   = "SUBCONSCIOUS_CONFIG"
	socketName       = "socket"
)

// findStateDir returns the state folder: that of --state-dir, else of the
// environment, else of the configuration that counts, else the usual one.
func (a *app) findStateDir() (string, error) {
	dir, _ := a.env(stateDirVariable)
	if dir = cmp.Or(a.stateDir, dir); dir != "" {
		return a.absolute(dir)
	}
	place, file, err := a.usedConfig()
	if err == nil && file != "" {
		dir, err = a.configuredStateDir(file)
	}
	// The usual configuration was not asked for: whatever is wrong with it is
	// for the config commands to say.
	if place.By == "default" && (dir == "" || err != nil) {
		return a.absolute(setup.Default().StateDir)
	}
	return dir, err
}

// absolute resolves a leading "~" and relative paths.
func (a *app) absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, _ := a.env("HOME")
		if home == "" {
			return "", &usageError{err: errors.New("HOME is not set, so the state folder is not known"), next: "name it with --state-dir DIR"}
		}
		path = filepath.Join(home, strings.TrimPrefix(path, "~"))
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return absolute, nil
}
