package foreign

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	maxFrontMatter = 64 << 10 // bytes
	maxFields      = 256
	maxValues      = 1024 // in all fields
	maxDepth       = 8
	maxValue       = 4 << 10 // bytes
)

// Field is a scalar of the front matter, or a list of scalars.
type Field struct {
	// Name is in lower case; nested ones are joined by dots ("metadata.type").
	Name   string
	Values []string
	Line   int // in the file, from 1
}

// Value returns the first value, "" if there is none.
func (f Field) Value() string {
	if len(f.Values) == 0 {
		return ""
	}
	return f.Values[0]
}

// FrontMatterError says what is wrong with a front matter, and where.
type FrontMatterError struct {
	Line   int // in the file, from 1
	Reason string
}

func (e *FrontMatterError) Error() string {
	return fmt.Sprintf("front matter, line %d: %s", e.Line, e.Reason)
}

// frontMatter takes the block between two lines of "---" off the beginning of
// text. It returns the rest and the number of the rest's first line.
func frontMatter(text string) (fields []Field, body string, line int, err error) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil, text, 1, nil
	}
	end, lines := 0, 1
	for l := range strings.Lines(rest) {
		lines++
		if trimmed := strings.TrimRight(l, " \t\r\n"); trimmed == "---" || trimmed == "..." {
			fields, err = readFields(rest[:end])
			return fields, rest[end+len(l):], lines + 1, err
		}
		if end += len(l); end > maxFrontMatter {
			break
		}
	}
	return nil, text, 1, &FrontMatterError{Line: 1, Reason: fmt.Sprintf("no closing line of --- within %d KiB", maxFrontMatter>>10)}
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// readFields flattens the YAML of a front matter. Anchors and aliases are
// refused: nobody needs them there, and they make bombs.
func readFields(source string) ([]Field, error) {
	if strings.TrimSpace(source) == "" {
		return nil, nil
	}
	if line := deep(source); line > 0 {
		return nil, &FrontMatterError{Line: line + 1, Reason: "nested too deeply"}
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(source), &root); err != nil {
		broken := &FrontMatterError{Line: 2, Reason: strings.TrimPrefix(err.Error(), "yaml: ")}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			if n, convErr := strconv.Atoi(m[1]); convErr == nil {
				broken.Line, broken.Reason = n+1, m[2]
			}
		}
		return nil, broken
	}
	f := flattener{}
	if len(root.Content) == 0 {
		return nil, nil
	}
	if root.Content[0].Kind != yaml.MappingNode {
		return nil, &FrontMatterError{Line: root.Content[0].Line + 1, Reason: "not a list of keys and values"}
	}
	err := f.mapping("", root.Content[0], 1)
	return f.fields, err
}

// deep returns the line on which brackets nest deeper than any front matter
// should, 0 if none do: the parser must not be asked to follow them.
func deep(source string) int {
	depth, line := 0, 1
	for i := range len(source) {
		switch source[i] {
		case '\n':
			line++
		case '[', '{':
			if depth++; depth > 4*maxDepth {
				return line
			}
		case ']', '}':
			depth--
		}
	}
	return 0
}

type flattener struct {
	fields []Field
	values int
}

const tooMany = "too many fields"

func (f *flattener) mapping(prefix string, node *yaml.Node, depth int) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || len(key.Value) > 128 {
			return &FrontMatterError{Line: key.Line + 1, Reason: "a key must be a short, plain word"}
		}
		name := prefix + strings.ToLower(key.Value)
		if err := f.value(name, value, depth); err != nil {
			return err
		}
	}
	return nil
}

func (f *flattener) value(name string, node *yaml.Node, depth int) error {
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return &FrontMatterError{Line: node.Line + 1, Reason: "anchors and aliases are not read"}
	case depth > maxDepth:
		return &FrontMatterError{Line: node.Line + 1, Reason: "nested too deeply"}
	case node.Kind == yaml.MappingNode:
		return f.mapping(name+".", node, depth+1)
	}
	field := Field{Name: name, Line: node.Line + 1}
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	for _, n := range nodes {
		switch {
		case n.Kind == yaml.AliasNode || n.Anchor != "":
			return &FrontMatterError{Line: n.Line + 1, Reason: "anchors and aliases are not read"}
		case n.Kind != yaml.ScalarNode: // lists of lists say nothing here
			continue
		}
		if f.values++; f.values > maxValues {
			return &FrontMatterError{Line: n.Line + 1, Reason: tooMany}
		}
		if n.Tag == "!!null" {
			continue
		}
		field.Values = append(field.Values, strings.ToValidUTF8(n.Value[:min(len(n.Value), maxValue)], ""))
	}
	if f.fields = append(f.fields, field); len(f.fields) > maxFields {
		return &FrontMatterError{Line: field.Line, Reason: tooMany}
	}
	return nil
}
