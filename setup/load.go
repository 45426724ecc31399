package setup

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/trusted"
)

// Env looks an environment variable up, as os.LookupEnv does.
type Env func(name string) (string, bool)

// overrides calls visit for every key that the environment sets, by the variable
// of its field. A variable that is empty counts as not set.
func overrides(env Env, visit func(key, value string, f field)) {
	root().walk("", func(key string, f field) {
		if f.env == "" {
			return
		}
		if value, set := lookup(env, f.env); set {
			visit(key, value, f)
		}
	})
}

// overrider is the variable that sets a key; "" for none.
func overrider(env Env, key string) (variable string) {
	overrides(env, func(set, _ string, f field) {
		if set == key {
			variable = f.env
		}
	})
	return variable
}

// Load reads the configuration at path over the defaults, and what the
// environment overrides over both. Without a path the defaults hold. Paths
// that begin with "~" are expanded with HOME, relative ones count from the
// folder of the file. The error is an Errors.
func Load(path string, env func(string) (string, bool)) (*Config, error) {
	config, err := newChecker(path).load(env)
	if err != nil {
		return nil, err
	}
	return config, nil
}

// Check is what Load has to say, and whether what is named is there: files that
// hold secrets, without which an account cannot be used, are under CodeMissing, other
// paths, without which a sense is blind, under CodeAbsent, and variables under
// CodeUnset.
func Check(path string, env func(string) (string, bool)) Errors {
	c := newChecker(path)
	config, err := c.load(env)
	wrong, _ := errors.AsType[Errors](err)
	if c.errs = wrong; config != nil {
		for _, named := range c.paths {
			c.there(named, env)
		}
		c.set(config, env)
	}
	wrong, _ = errors.AsType[Errors](c.errs.result())
	return wrong
}

func newChecker(path string) *checker { return &checker{file: path, lines: map[string]int{}} }

func (c *checker) load(env Env) (*Config, error) {
	if c.file == "" {
		return c.read(nil, env)
	}
	data, e := read(c.file, trusted.Path)
	if e != nil {
		return nil, Errors{e}.result()
	}
	return c.read(data, env)
}

// read does what load does, with the bytes of the file. Beside an error the
// configuration is what it says without the values that cannot be read, or nil.
func (c *checker) read(data []byte, env Env) (*Config, error) {
	path := c.file
	node, e := parse(path, data)
	if e != nil {
		return nil, Errors{e}.result()
	}
	if node != nil {
		c.object("", node, root())
	}
	unread := map[string]bool{}
	overrides(env, func(key, value string, f field) {
		if e := checkScalar(key, "!!str", value, f.shape); e != nil {
			e.File, unread[f.env] = f.env, true
			c.errs = append(c.errs, e)
		}
	})
	if all := env; len(unread) > 0 {
		env = func(name string) (string, bool) {
			value, set := all(name)
			return value, set && !unread[name]
		}
	}
	config, err := decode(node, env)
	if err != nil && len(c.errs) > 0 {
		return nil, c.errs.result()
	} else if err != nil {
		return nil, Errors{{Code: CodeType, File: path, Problem: clip(err.Error()), Fix: "correct the value"}}.result()
	}
	known := len(c.errs)
	config.Threads.Gate = config.Models.Gate
	c.unlimit(config)
	c.adapt(config, env)
	fillChannels(config)
	fillMail(config)
	c.fillActions(config)
	c.expand(config, env)
	c.validate(config, env)
	c.errs = append(c.errs[:known:known], slices.DeleteFunc(c.errs[known:], func(e *Error) bool {
		return slices.ContainsFunc(c.errs[:known], func(other *Error) bool { return partOf(other.Key) == partOf(e.Key) }) // it may follow
	})...)
	return config, c.errs.result()
}

// partOf is the part of the configuration that a key belongs to, and in which what
// cannot be read may bring further errors: a source, a channel, or a whole section.
func partOf(key string) string {
	if part := partPattern().FindString(key); part != "" {
		return part
	}
	section, _, _ := strings.Cut(key, ".")
	return section
}

var partPattern = lazy.Regexp(`^(notify|senses\.\w+)(\[\d+\])?`)

// unlimit sets the limits of a thread that the configuration does not name to
// none: an item of a list has no defaults, and 0 would let nothing through.
func (c *checker) unlimit(config *Config) {
	for i := range config.Budget.Threads {
		t, key := &config.Budget.Threads[i], fmt.Sprintf("budget.threads[%d].", i)
		none := budget.DefaultThread(t.ID)
		if c.lines[key+"money_per_day"] == 0 {
			t.MoneyPerDay = none.MoneyPerDay
		}
		if c.lines[key+"calls_per_day"] == 0 {
			t.CallsPerDay = none.CallsPerDay
		}
		if c.lines[key+"tokens_per_day"] == 0 {
			t.TokensPerDay = none.TokensPerDay
		}
	}
}

// adapt moves defaults that leave no room for what is written: nobody is told
// that a value is wrong beside one that they never wrote.
func (c *checker) adapt(config *Config, env Env) {
	written := func(key string) bool { return c.lines[key] > 0 || overrider(env, key) != "" }
	bound(written, "threads.deadline", &config.Threads.Deadline, "tick_timeout", &config.TickTimeout)
	bound(written, "escalation.digest_from", &config.Escalation.DigestFrom, "escalation.push_from", &config.Escalation.PushFrom)
	config.Senses.Health.Adapt(func(key string) bool { return written("senses.health." + key) })
}

// bound keeps low at or below high, where one of the two was written.
func bound[T cmp.Ordered](written func(key string) bool, low string, lower *T, high string, higher *T) {
	switch {
	case *lower <= *higher || written(low) == written(high):
	case written(low):
		*higher = *lower
	default:
		*lower = *higher
	}
}

// decode puts defaults, file and environment together in a viper of its own.
func decode(node *yaml.Node, env Env) (*Config, error) {
	v := viper.New()
	root().each("", reflect.ValueOf(*Default()), func(key string, value reflect.Value, f field) bool {
		if f.shape.kind != object && (value.Kind() != reflect.Slice || value.Len() > 0) {
			v.SetDefault(key, value.Interface())
		}
		return true
	})
	if node != nil {
		var written map[string]any
		if err := node.Decode(&written); err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
		if err := v.MergeConfigMap(written); err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
	}
	overrides(env, func(key, value string, _ field) { v.Set(key, value) })
	config := &Config{}
	err := v.UnmarshalExact(config, func(d *mapstructure.DecoderConfig) {
		d.WeaklyTypedInput = false
		d.DecodeHook = mapstructure.ComposeDecodeHookFunc(nested,
			mapstructure.TextUnmarshallerHookFunc(), mapstructure.StringToTimeDurationHookFunc())
	})
	if err != nil {
		return nil, fmt.Errorf("decode the configuration: %w", err)
	}
	return config, nil
}

// unmarshalText reads value as a t.
func unmarshalText(t reflect.Type, value string) error {
	return reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(value))
}
