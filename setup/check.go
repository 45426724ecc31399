package setup

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// checker holds a node tree against the shape of Config.
type checker struct {
	file  string
	lines map[string]int // by whole key
	errs  Errors
	// paths are those that the configuration names, absolute.
	paths []namedPath
}

// wrong adds an error. What looks like a secret is never said.
func (c *checker) wrong(code Code, line int, key, problem, fix string) {
	key, problem, fix = unsaid(key), unsaid(problem), unsaid(fix)
	c.errs = append(c.errs, &Error{Code: code, File: c.file, Line: line, Key: key, Problem: problem, Fix: fix})
}

// node checks one value, and reports whether it can be read. Of a mapping and a list
// it takes out what cannot.
func (c *checker) node(key string, n *yaml.Node, s shape) bool {
	c.lines[key] = n.Line
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		c.wrong(CodeSyntax, n.Line, key, "anchors and aliases (& and *) are not used here", "write the value out")
		return false
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		fix := "give it one, or remove the line to get the default"
		if n.Value == "~" {
			fix = `a "~" alone means nothing in YAML: put it in quotes`
		}
		if s.optional {
			fix = mappingFix(lastKey(key), s)
		}
		c.wrong(CodeMissing, n.Line, key, "has no value", fix)
		return false
	}
	if c.secretValue(key, n) {
		return false
	}
	switch s.kind {
	case object:
		return c.object(key, n, s)
	case items:
		return c.items(key, n, s)
	case texts:
		return c.texts(key, n)
	}
	return c.scalar(key, n, s)
}

// object checks a mapping, key by key.
func (c *checker) object(key string, n *yaml.Node, s shape) bool {
	if n.Kind != yaml.MappingNode || n.ShortTag() != "!!map" {
		c.wrong(CodeType, n.Line, key, "is "+describe(n)+" and must be a mapping", mappingFix(lastKey(key), s))
		return false
	}
	seen, all := map[string]*yaml.Node{}, n.Content
	n.Content = nil
	for i := 0; i+1 < len(all); i += 2 {
		name, value := all[i], all[i+1]
		if name.Kind != yaml.ScalarNode || name.Value == "<<" {
			c.wrong(CodeSyntax, name.Line, key, "has a key that is no plain name", "use names: "+strings.Join(s.keys(), ", "))
			continue
		}
		whole := join(key, clip(unsaid(name.Value)))
		if first, twice := seen[strings.ToLower(name.Value)]; twice {
			c.twice(whole, name, first)
			continue
		}
		seen[strings.ToLower(name.Value)] = name
		f, known := s.field(name.Value)
		if !known && c.secretKey(whole, name.Value, value) {
			continue
		}
		if !known {
			c.wrong(CodeUnknown, name.Line, whole, "there is no such key", suggest(key, name.Value, s))
			continue
		}
		if c.node(whole, value, f.shape) {
			c.lines[whole], n.Content = name.Line, append(n.Content, name, value)
		} else {
			delete(c.lines, whole)
		}
	}
	return true
}

// mappingFix says how a mapping is written.
func mappingFix(name string, s shape) string {
	if len(s.fields) == 0 {
		return fmt.Sprintf("write %q", name+": {}")
	}
	return "write its keys below it, indented: " + strings.Join(s.keys(), ", ")
}

// twice reports a key that is there again.
func (c *checker) twice(key string, again, first *yaml.Node) {
	problem := fmt.Sprintf("is there twice (first on line %d)", first.Line)
	if again.Value != first.Value {
		problem = fmt.Sprintf("differs from %q on line %d by case alone", clip(first.Value), first.Line)
	}
	c.wrong(CodeDuplicate, again.Line, key, problem, "keep one of the two, in lower case")
}

var idPattern = lazy.Regexp(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// maxItems bounds a list.
const maxItems = 256

// items checks a list of mappings with ids.
func (c *checker) items(key string, n *yaml.Node, s shape) bool {
	_, hasID := s.field("id")
	fix := fmt.Sprintf("write a list: %s: [{%s: …}]", lastKey(key), s.fields[0].key)
	if hasID {
		fix = fmt.Sprintf("write a list: %s: [{id: …}]", lastKey(key))
	}
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.ScalarNode {
		first := n.Content[0].Value
		switch _, known := s.field(first); {
		case hasID && !known:
			fix = fmt.Sprintf(`write "- id: %s" and its keys below, instead of "%s:"`, clip(first), clip(first))
		case hasID:
			fix = `put "- " before the first key, and give it an id`
		default:
			fix = `put "- " before the first key`
		}
	}
	if !c.list(key, n, "a list", fix) {
		return false
	}
	first := map[string]int{}
	for i, item := range n.Content {
		whole := fmt.Sprintf("%s[%d]", key, i)
		id, line := idOf(item)
		if !c.node(whole, item, shape{kind: object, fields: s.fields}) {
			n.Content[i] = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: item.Line} // the others keep their numbers
			continue
		}
		if !hasID {
			continue
		}
		switch {
		case line == 0:
			c.wrong(CodeMissing, item.Line, whole, "has no id", `give it a short name: "id: home"`)
		case !namingOf(key).pattern().MatchString(id):
			c.wrong(CodeValue, line, whole+".id", fmt.Sprintf("%q cannot be an id", clip(id)), namingOf(key).fix)
		case first[id] > 0:
			c.wrong(CodeDuplicate, line, whole+".id", fmt.Sprintf("%q is the id of the item on line %d too", id, first[id]), "give each item an id of its own")
		default:
			first[id] = line
		}
	}
	return true
}

// list reports whether n is a list that is not too long.
func (c *checker) list(key string, n *yaml.Node, what, fix string) bool {
	switch {
	case n.Kind != yaml.SequenceNode || n.ShortTag() != "!!seq":
		c.wrong(CodeType, n.Line, key, "is "+describe(n)+" and must be "+what, fix)
	case len(n.Content) > maxItems:
		c.wrong(CodeValue, n.Line, key, fmt.Sprintf("has %d items, more than %d", len(n.Content), maxItems), "remove some")
	default:
		return true
	}
	return false
}

// idOf returns an item's id and its line, 0 where there is none.
func idOf(item *yaml.Node) (string, int) {
	if item.Kind != yaml.MappingNode {
		return "", 0
	}
	for i := 0; i+1 < len(item.Content); i += 2 {
		if item.Content[i].Value == "id" {
			return item.Content[i+1].Value, item.Content[i].Line
		}
	}
	return "", 0
}

// texts checks a list of texts.
func (c *checker) texts(key string, n *yaml.Node) bool {
	if !c.list(key, n, string(texts), fmt.Sprintf(`put it in brackets: %s: ["…"]`, lastKey(key))) {
		return false
	}
	all := true
	for i, item := range n.Content {
		all = c.node(fmt.Sprintf("%s[%d]", key, i), item, shape{kind: text}) && all
	}
	return all
}

// scalar checks a single value.
func (c *checker) scalar(key string, n *yaml.Node, s shape) bool {
	if n.Kind != yaml.ScalarNode {
		c.wrong(CodeType, n.Line, key, "is "+describe(n)+" and must be "+string(s.kind), "write a single value")
		return false
	}
	e := checkScalar(key, n.ShortTag(), n.Value, s)
	if e != nil {
		c.wrong(e.Code, n.Line, e.Key, e.Problem, e.Fix)
	}
	return e == nil
}

// checkScalar checks a value with the tag that YAML gave it.
func checkScalar(key, tag, value string, s shape) *Error {
	wrong := func(code Code, problem, fix string) *Error {
		return &Error{Code: code, Key: key, Problem: problem, Fix: fix}
	}
	shown := clip(value)
	isNumber := tag == "!!int" || tag == "!!float"
	switch s.kind {
	case duration:
		if _, err := strconv.ParseFloat(value, 64); isNumber || err == nil {
			return wrong(CodeUnit, fmt.Sprintf("%s has no unit", shown), fmt.Sprintf("write %q for seconds, %q for minutes, or %q for hours", shown+"s", shown+"m", shown+"h"))
		}
		if _, err := time.ParseDuration(value); err != nil || tag != "!!str" {
			return wrong(CodeType, fmt.Sprintf("%q is not a duration", shown), `write a number and a unit, such as "90s", "5m" or "1h30m"`)
		}
	case quantity:
		if isNumber {
			return wrong(CodeUnit, fmt.Sprintf("%s has no unit", shown), fmt.Sprintf("write it with its unit, such as %s", exampleOf(s, shown)))
		}
		if err := unmarshalText(s.typ, value); err != nil {
			problem, fix := splitFix(err.Error())
			return wrong(CodeType, problem, fix)
		}
	case text:
		if tag != "!!str" {
			return wrong(CodeType, fmt.Sprintf("%s is %s and must be text", shown, tagName(tag)), fmt.Sprintf("put it in quotes: %q", shown))
		}
		if strings.ContainsRune(value, 0) {
			return wrong(CodeValue, "holds a zero byte", "remove it")
		}
		if len(s.enum) > 0 && !slices.Contains(s.enum, value) {
			return wrong(CodeValue, fmt.Sprintf("%q is not one of its values", shown), "use "+oneOf(s.enum)+meant(value, s.enum))
		}
	case integer:
		if _, err := strconv.Atoi(value); err != nil || tag != "!!int" {
			return wrong(CodeType, fmt.Sprintf("%q is not a whole number", shown), "write digits alone, without quotes")
		}
	case number:
		if f, err := strconv.ParseFloat(value, 64); err != nil || !isNumber || math.IsInf(f, 0) || math.IsNaN(f) {
			return wrong(CodeType, fmt.Sprintf("%q is not a number", shown), "write digits, with a point where needed, without quotes or a unit")
		}
	case boolean:
		if tag != "!!bool" {
			return wrong(CodeType, fmt.Sprintf("%q is neither true nor false", shown), "write true or false, without quotes")
		}
	}
	return nil
}

// describe names what a node is in plain words.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	return tagName(n.ShortTag())
}

func tagName(tag string) string {
	switch tag {
	case "!!str":
		return "text"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!null":
		return "nothing"
	case "!!timestamp":
		return "a date"
	}
	return "a value with the tag " + clip(tag)
}

func lastKey(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// IsID reports whether a text can be the id of an item.
func IsID(text string) bool { return idPattern().MatchString(text) }
