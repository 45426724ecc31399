package setup

import (
	"reflect"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/models"
)

// defaults are the default values by key, as they are written.
var defaults = sync.OnceValue(func() map[string]any {
	values := map[string]any{}
	root().each("", reflect.ValueOf(*Default()), func(key string, v reflect.Value, f field) bool {
		switch {
		case f.shape.kind == object:
		case f.shape.kind == items, f.shape.kind == texts:
			if v.Len() == 0 {
				values[key] = []string{}
			}
		default:
			if value, err := plain(v, f.shape); err == nil {
				values[key] = value
			}
		}
		return true
	})
	return values
})

// KeyVariables are the environment variables in which keys and passwords are
// looked for: those that the configuration names, and those of known vendors.
func (c *Config) KeyVariables() []string {
	var names []string
	for _, v := range models.Vendors() {
		names = append(names, v.KeyEnv...)
	}
	root().each("", reflect.ValueOf(*c), func(key string, v reflect.Value, _ field) bool {
		if strings.HasSuffix(key, "_env") && v.Len() > 0 {
			names = append(names, v.String())
		}
		return true
	})
	return names
}
