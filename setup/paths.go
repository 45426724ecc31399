package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
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
	root().each("", reflect.ValueOf(config).Elem(), func(key string, v reflect.Value, f field) bool {
		from := base
		if _, set := lookup(env, f.env); f.env != "" && set {
			from = ""
		}
		switch {
		case f.path == "":
		case f.shape.kind == texts:
			for i := range v.Len() {
				c.path(fmt.Sprintf("%s[%d]", key, i), v.Index(i).Addr().Interface().(*string), f.path, env, from)
			}
		default:
			c.path(key, v.Addr().Interface().(*string), f.path, env, from)
		}
		return true
	})
}

// path expands one. What is empty, or an address, is left for its owner to
// refuse.
func (c *checker) path(key string, path *string, names string, env Env, base string) {
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
	c.paths = append(c.paths, namedPath{key, *path, names})
}

// namedPath is a path of the configuration, absolute, and what it names.
type namedPath struct{ key, path, names string }

// there looks whether what a path names is there, and a folder or a file as it
// must be.
func (c *checker) there(p namedPath, env Env) {
	info, err := os.Stat(p.path)
	switch {
	case p.names == "made":
	case errors.Is(err, fs.ErrNotExist) && p.names == "secret":
		c.at(CodeMissing, p.key, env, fmt.Sprintf("there is no file %s", p.path), "put it there, or correct the path")
	case errors.Is(err, fs.ErrNotExist):
		c.at(CodeAbsent, p.key, env, fmt.Sprintf("%s is not there", p.path), "make it, or correct the path; until then it is of no use")
	case err != nil:
		c.at(CodeAbsent, p.key, env, fmt.Sprintf("%s cannot be looked at (%v)", p.path, errors.Unwrap(err)), "check the permissions, for the user that the daemon runs as")
	case p.names == "folder" && !info.IsDir():
		c.at(CodeAbsent, p.key, env, p.path+" is no folder", "name the folder")
	case (p.names == "file" || p.names == "secret") && info.IsDir():
		c.at(CodeAbsent, p.key, env, p.path+" is a folder", "name the file")
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
