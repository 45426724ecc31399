package initial

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is a configuration that is there: its lines, which stay to the
// letter, and what the parser makes of them.
type document struct {
	lines []string
	root  *yaml.Node // nil where there is nothing but comments
	// before is what is put before a line, by its number from 0; the number behind
	// the last line is the end.
	before map[int]string
}

// openDocument reads what is there. It is closed where nothing can be added to
// it line by line.
func openDocument(text string) (d *document, closed bool) {
	d = &document{before: map[int]string{}}
	var parsed yaml.Node
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		return d, true // Load has read it, so that this does not come to pass
	}
	if strings.TrimSpace(text) != "" {
		d.lines = slices.Collect(strings.Lines(strings.TrimRight(text, "\n") + "\n"))
	}
	if len(parsed.Content) > 0 && parsed.Content[0].Kind == yaml.MappingNode {
		d.root = parsed.Content[0]
	}
	flow := d.root != nil && d.root.Style&yaml.FlowStyle != 0
	return d, flow || strings.Contains("\n"+text, "\n...")
}

// pair finds a key of a mapping: its name, its value, and the key behind it, nil
// for the last.
func pair(mapping *yaml.Node, key string) (name, value, next *yaml.Node) {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, nil, nil
	}
	all := append(slices.Clip(mapping.Content), nil)
	for i := 0; i+1 < len(all); i += 2 {
		if all[i].Value == key {
			return all[i], all[i+1], all[i+2]
		}
	}
	return nil, nil, nil
}

func (d *document) has(key string) bool {
	name, _, _ := pair(d.root, key)
	return name != nil
}

// end is the line behind the last one before line that says something: comments
// and blank lines before a key belong to that key.
func (d *document) end(line int) int {
	for line > 0 {
		if text := strings.TrimSpace(d.lines[line-1]); text != "" && text[0] != '#' {
			break
		}
		line--
	}
	return line
}

// appendPart puts a part with a key of its own at the end.
func (d *document) appendPart(text string) {
	if len(d.lines) > 0 {
		text = "\n" + text
	}
	d.before[len(d.lines)] += text
}

// open reports whether lines can be put into a mapping or list.
func open(n *yaml.Node, kind yaml.Kind) bool {
	return n.Kind == kind && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// addItems puts items at the end of a list at the top, or in a mapping at the
// top: "notify", or "senses" and "notes". Each item is written at the indent 0,
// its first line beginning with "- ". It is not ok where that cannot be done line
// by line.
func (d *document) addItems(keys []string, items string) bool {
	node, end := d.root, len(d.lines)
	for i, key := range keys {
		name, value, next := pair(node, key)
		if name == nil {
			if i == 0 || !open(node, yaml.MappingNode) {
				return false
			}
			d.before[d.end(end)] += indented(key+":\n"+indented(items, 2), node.Content[0].Column-1)
			return true
		}
		if next != nil {
			end = d.end(next.Line - 1)
		}
		node = value
	}
	if !open(node, yaml.SequenceNode) {
		return false
	}
	at := d.end(end)
	d.before[at] = indented(items, node.Column-1) + d.before[at] // of the list, before what is behind it
	return true
}

// setPreset changes models.preset, and puts lines behind it that are written at
// the indent 0. It is not ok where that cannot be done line by line, or where
// keys that they set are there.
func (d *document) setPreset(preset, more string) bool {
	_, models, _ := pair(d.root, "models")
	providers, _, _ := pair(models, "providers")
	roles, _, _ := pair(models, "roles")
	name, value, _ := pair(models, "preset")
	switch {
	case models == nil, (more != "" || value == nil) && !open(models, yaml.MappingNode), more != "" && (providers != nil || roles != nil):
		return false
	case value == nil:
		first := models.Content[0]
		d.before[first.Line-1] += indented("preset: "+preset+"\n"+more, first.Column-1)
		return true
	}
	line, from := d.lines[value.Line-1], value.Column-1
	if value.Style != 0 || from > len(line) || !strings.HasPrefix(line[from:], value.Value) {
		return false // in quotes, whose end this does not look for, or columns are not bytes here
	}
	d.lines[value.Line-1] = line[:from] + preset + line[from+len(value.Value):]
	if more != "" {
		d.before[value.Line] += indented(more, name.Column-1)
	}
	return true
}

// text is the document with what was put into it.
func (d *document) text() string {
	var b strings.Builder
	for i, line := range d.lines {
		b.WriteString(d.before[i] + line)
	}
	return b.String() + d.before[len(d.lines)]
}

// indented puts spaces before each line.
func indented(text string, n int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", max(0, n)) + line)
	}
	return b.String()
}
