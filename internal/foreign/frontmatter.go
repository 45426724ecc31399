package foreign

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	maxFrontMatter = 64 << 10 // bytes
	maxValue       = 4 << 10  // bytes
)

// Field is a scalar of the front matter, or the first of a list of them.
type Field struct {
	Value string
	Line  int // in the file, from 1
}

// frontMatter takes the block between two lines of "---" off the beginning of
// text. It returns the rest and the number of the rest's first line. A block that
// does not end is none.
func frontMatter(text string) (fields map[string]Field, body string, line int) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil, text, 1
	}
	end, lines := 0, 1
	for l := range strings.Lines(rest) {
		lines++
		if trimmed := strings.TrimRight(l, " \t\r\n"); trimmed == "---" || trimmed == "..." {
			return readFields(rest[:end]), rest[end+len(l):], lines + 1
		}
		if end += len(l); end > maxFrontMatter {
			break
		}
	}
	return nil, text, 1
}

// readFields reads the fields of a front matter, by their names in lower case.
// What cannot be read is left out, and so are nested ones. Aliases are not
// followed: they make bombs.
func readFields(source string) map[string]Field {
	var root yaml.Node
	if yaml.Unmarshal([]byte(source), &root) != nil || len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	fields := map[string]Field{}
	pairs := root.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		name, node := strings.ToLower(pairs[i].Value), pairs[i+1]
		line := node.Line + 1 // the first is that of the dashes
		isValue := func(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag != "!!null" }
		if node.Kind == yaml.SequenceNode {
			if i := slices.IndexFunc(node.Content, isValue); i >= 0 {
				node = node.Content[i]
			}
		}
		if _, twice := fields[name]; !twice && isValue(node) {
			fields[name] = Field{Value: headOf(node.Value, maxValue), Line: line}
		}
	}
	return fields
}
