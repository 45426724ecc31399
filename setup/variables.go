package setup

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/models"
)

// KeyVariables are the environment variables in which keys and passwords are
// looked for: those that the configuration names, and those of known vendors.
func (c *Config) KeyVariables() ([]string, error) {
	var names []string
	for _, v := range models.Vendors() {
		names = append(names, v.KeyEnv...)
	}
	node, err := nodeOf(reflect.ValueOf(*c), root())
	if err != nil {
		return names, err
	}
	return named(node, names), nil
}

// named adds the values of the keys that end with _env.
func named(n *yaml.Node, names []string) []string {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && strings.HasSuffix(n.Content[i-1].Value, "_env") {
			names = append(names, child.Value)
		}
		names = named(child, names)
	}
	return names
}
