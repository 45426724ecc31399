package setup

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// judging are the parts of the configuration, and the keys, that ticks record: what is
// kept, and what is told.
var judging = []string{"mechanics.", "escalation.", "quiet_hours.", "budget.notifications_per_day", "budget.escalations_per_hour", "budget.notices_per_day"}

// Set changes settings, "KEY=VALUE" with the value as in the file, of those that
// ticks record.
func (c *Config) Set(settings []string) error {
	for _, setting := range settings {
		if err := c.set(setting); err != nil {
			return err
		}
	}
	if err := c.Mechanics.Validate(); err != nil {
		return fmt.Errorf("mechanics: %w", err)
	}
	return errors.Join(c.gate()...)
}

func (c *Config) set(setting string) (err error) {
	key, text, _ := strings.Cut(setting, "=")
	key = strings.TrimSpace(key)
	check, known, found := newChecker(""), []string{}, false
	root().each("", reflect.ValueOf(c).Elem(), func(k string, v reflect.Value, f field) bool {
		if f.shape.kind == object || !slices.ContainsFunc(judging, func(part string) bool { return strings.HasPrefix(k, part) }) {
			return true
		}
		known = append(known, k)
		if k != key {
			return true
		}
		found = true
		var node yaml.Node
		if err = yaml.Unmarshal([]byte(text), &node); err == nil && len(node.Content) == 0 {
			err = fmt.Errorf("%s: has no value", key)
		}
		if err == nil && check.node(key, node.Content[0], f.shape) {
			err = node.Content[0].Decode(v.Addr().Interface())
		}
		return true
	})
	if !found {
		return fmt.Errorf("%.80q is no setting that ticks record; there are %s", key, strings.Join(known, ", "))
	}
	return errors.Join(err, check.errs.result())
}
