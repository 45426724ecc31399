package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// expand makes every path absolute: "~" is HOME, and what is relative counts
// from the folder of the configuration file.
func (c *checker) expand(config *Config, env Env) {
	base := ""
	if c.file != "" {
		if abs, err := filepath.Abs(c.file); err == nil {
			base = filepath.Dir(abs)
		}
	}
	if _, set := lookup(env, "SUBCONSCIOUS_STATE_DIR"); set {
		c.path("state_dir", &config.StateDir, env, "")
	} else {
		c.path("state_dir", &config.StateDir, env, base)
	}
	for i := range config.Senses.Health.Disk.Paths {
		c.path(fmt.Sprintf("senses.health.disk.paths[%d]", i), &config.Senses.Health.Disk.Paths[i], env, base)
	}
	for i := range config.Senses.Files {
		c.path(fmt.Sprintf("senses.files[%d].path", i), &config.Senses.Files[i].Path, env, base)
	}
	for i := range config.Senses.Notes {
		c.path(fmt.Sprintf("senses.notes[%d].path", i), &config.Senses.Notes[i].Path, env, base)
	}
	for i := range config.Senses.Calendar {
		c.path(fmt.Sprintf("senses.calendar[%d].ics", i), &config.Senses.Calendar[i].ICS, env, base)
	}
	for i := range config.Senses.Conversation {
		c.path(fmt.Sprintf("senses.conversation[%d].path", i), &config.Senses.Conversation[i].Path, env, base)
	}
	c.mailPaths(config, env, base)
	for i := range config.Actions {
		action, key := &config.Actions[i], fmt.Sprintf("actions[%d].", i)
		c.path(key+"folder", &action.Folder, env, base)
		for j := range action.Params {
			c.path(fmt.Sprintf("%sparams[%d].root", key, j), &action.Params[j].Root, env, base)
		}
	}
	for i := range config.Models.Providers {
		c.path(fmt.Sprintf("models.providers[%d].key_file", i), &config.Models.Providers[i].KeyFile, env, base)
	}
	c.channelPaths(config, env, base)
	c.path("models.privacy.contacts", &config.Models.Privacy.Contacts, env, base)
}

// path expands one. What is empty, or an address, is left for its owner to
// refuse.
func (c *checker) path(key string, path *string, env Env, base string) {
	p := *path
	switch {
	case p == "" || strings.Contains(p, "://"):
		return
	case p == "~" || strings.HasPrefix(p, "~/"):
		home, set := lookup(env, "HOME")
		if !set {
			c.at(CodeHome, key, env, fmt.Sprintf(`%q needs the home folder, and HOME is not set`, clip(p)), homeFix(key))
			return
		}
		if !filepath.IsAbs(home) {
			c.at(CodeHome, key, env, fmt.Sprintf(`%q needs the home folder, and HOME (%q) is not an absolute path`, clip(p), clip(home)), homeFix(key))
			return
		}
		*path = filepath.Join(home, p[1:])
	case p[0] == '~':
		c.at(CodeValue, key, env, fmt.Sprintf("%q names another person's home folder", clip(p)), "write the path from / on")
	case filepath.IsAbs(p):
		*path = filepath.Clean(p)
	case base == "":
		c.at(CodeValue, key, env, fmt.Sprintf("%q is not an absolute path", clip(p)), "write the path from / on")
	default:
		*path = filepath.Join(base, p)
	}
	c.paths = append(c.paths, struct{ key, path string }{key, *path})
}

// there looks whether what a path names is there, and a folder or a file as it
// must be. The state folder is made where it is not.
func (c *checker) there(key, path string, env Env) {
	last := lastKey(key)
	folder := last == "path" || last == "folder" || last == "root"
	info, err := os.Stat(path)
	switch {
	case key == "state_dir":
	case errors.Is(err, fs.ErrNotExist) && (strings.HasSuffix(last, "_file") || last == "contacts"):
		c.at(CodeMissing, key, env, fmt.Sprintf("there is no file %s", path), "put it there, or correct the path")
	case errors.Is(err, fs.ErrNotExist):
		c.at(CodeAbsent, key, env, fmt.Sprintf("%s is not there", path), "make it, or correct the path; until then nothing is seen of it")
	case err != nil:
		c.at(CodeAbsent, key, env, fmt.Sprintf("%s cannot be looked at (%v)", path, errors.Unwrap(err)), "check the permissions, for the user that the daemon runs as")
	case folder && !info.IsDir():
		c.at(CodeAbsent, key, env, path+" is no folder", "name the folder")
	case !folder && info.IsDir() && !strings.HasPrefix(last, "paths["):
		c.at(CodeAbsent, key, env, path+" is a folder", "name the file")
	}
}

func homeFix(key string) string {
	if key == "state_dir" {
		return "set HOME, or name the folder with --state-dir or SUBCONSCIOUS_STATE_DIR"
	}
	return "set HOME, or write the path from / on"
}

// lookup is env without the variables that are empty.
func lookup(env Env, name string) (string, bool) {
	value, set := env(name)
	return value, set && value != ""
}

// DefaultPath is where the configuration is looked for when none is named:
// $XDG_CONFIG_HOME/subconscious/config.yaml, or ~/.config/…; "" where the home
// folder is not known.
func DefaultPath(env func(string) (string, bool)) string {
	if dir, set := lookup(env, "XDG_CONFIG_HOME"); set && filepath.IsAbs(dir) {
		return filepath.Join(dir, "subconscious", "config.yaml")
	}
	if home, set := lookup(env, "HOME"); set && filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "subconscious", "config.yaml")
	}
	return ""
}

// PromptsDir is where templates of prompts override the shipped ones: the
// folder "prompts" beside the configuration; "" where there is no configuration.
func PromptsDir(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(path), "prompts")
}
