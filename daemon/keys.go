package daemon

import (
	"errors"
	"os"

	"github.com/subconsciousd/subconsciousd/setup"
)

// TakeKeys takes the variables that keys are looked for in out of the
// environment, so that no program that is begun inherits them, and returns a
// lookup that still knows them.
func TakeKeys(config *setup.Config) (env func(string) (string, bool), err error) {
	taken := map[string]string{}
	for _, name := range config.KeyVariables() {
		if value, ok := os.LookupEnv(name); ok {
			taken[name], err = value, errors.Join(err, os.Unsetenv(name))
		}
	}
	return func(name string) (string, bool) {
		if value, ok := taken[name]; ok {
			return value, true
		}
		return os.LookupEnv(name)
	}, err
}
