package initial

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is a configuration that is there: its lines, which stay to the
// letter, and what the parser makes of them.
type document struct {
	lines []string
	root  *yaml.Node // nil where there is nothing but comments
	edits []edit
}

// edit puts text before a line, or in the place of part of one.
type edit struct {
	line     int // counts from 0
	from, to int // bytes of the line that go; equal: none
	text     string
	whole    bool // text are lines of their own, before the line
}

// openDocument reads what is there. It is closed where nothing can be added to
// it line by line.
func openDocument(text string) (d *document, closed bool) {
	var parsed yaml.Node
	if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
		return &document{}, true // Load has read it, so that this does not come to pass
	}
	d = &document{lines: strings.SplitAfter(strings.TrimRight(text, "\n")+"\n", "\n")}
	d.lines = slices.DeleteFunc(d.lines, func(line string) bool { return line == "" })
	if strings.TrimSpace(text) == "" {
		d.lines = nil
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
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != key {
			continue
		}
		if i+2 < len(mapping.Content) {
			next = mapping.Content[i+2]
		}
		return mapping.Content[i], mapping.Content[i+1], next
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

// endOf is the line behind a value whose next neighbour is next; above is where
// the mapping around it ends.
func (d *document) endOf(next *yaml.Node, above int) int {
	if next != nil {
		return d.end(next.Line - 1)
	}
	return above
}

// appendPart puts a part with a key of its own at the end.
func (d *document) appendPart(text string) {
	if len(d.lines) > 0 {
		text = "\n" + text
	}
	d.edits = append(d.edits, edit{line: len(d.lines), text: text, whole: true})
}

// addItems puts items at the end of a list at the top, or in a mapping at the
// top: "notify", or "senses" and "notes". Each item is written at the indent 0,
// its first line beginning with "- ". It is not ok where that cannot be done line
// by line.
func (d *document) addItems(keys []string, items string) bool {
	mapping, above := d.root, len(d.lines)
	for i, key := range keys {
		name, value, next := pair(mapping, key)
		if name == nil {
			if i == 0 {
				return false
			}
			if mapping.Style&yaml.FlowStyle != 0 || len(mapping.Content) == 0 {
				return false
			}
			indent := mapping.Content[0].Column - 1
			text := fmt.Sprintf("%s%s:\n%s", spaces(indent), key, indented(items, indent+2))
			d.edits = append(d.edits, edit{line: d.end(above), text: text, whole: true})
			return true
		}
		above = d.endOf(next, above)
		if i < len(keys)-1 {
			if value.Kind != yaml.MappingNode {
				return false
			}
			mapping = value
			continue
		}
		if value.Kind != yaml.SequenceNode || value.Style&yaml.FlowStyle != 0 || len(value.Content) == 0 {
			return false
		}
		d.edits = append(d.edits, edit{line: d.end(above), text: indented(items, value.Column-1), whole: true})
	}
	return true
}

// setPreset changes models.preset, and puts lines behind it that are written at
// the indent 0. It is not ok where that cannot be done line by line, or where
// keys that they set are there.
func (d *document) setPreset(preset, more string) bool {
	_, models, _ := pair(d.root, "models")
	if models == nil || models.Kind != yaml.MappingNode {
		return false
	}
	for _, key := range []string{"providers", "roles"} {
		if name, _, _ := pair(models, key); name != nil && more != "" {
			return false
		}
	}
	flow := models.Style&yaml.FlowStyle != 0
	_, value, _ := pair(models, "preset")
	if flow && more != "" || value == nil && (flow || len(models.Content) == 0) {
		return false
	}
	if value == nil {
		first := models.Content[0]
		d.edits = append(d.edits, edit{line: first.Line - 1, text: indented("preset: "+preset+"\n"+more, first.Column-1), whole: true})
		return true
	}
	if value.Style != 0 {
		return false // in quotes, which this does not look for the end of
	}
	from := value.Column - 1
	if line := d.lines[value.Line-1]; from > len(line) || !strings.HasPrefix(line[from:], value.Value) {
		return false // columns are not bytes here
	}
	d.edits = append(d.edits, edit{line: value.Line - 1, from: from, to: from + len(value.Value), text: preset})
	if more != "" {
		name, _, _ := pair(models, "preset")
		d.edits = append(d.edits, edit{line: value.Line, text: indented(more, name.Column-1), whole: true})
	}
	return true
}

// text is the document with what was put into it.
func (d *document) text() string {
	lines := slices.Clone(d.lines)
	// From the end on, so that the lines before keep their numbers; what was put
	// at one place stays in its order.
	edits := slices.Clone(d.edits)
	slices.Reverse(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return b.line - a.line })
	for _, e := range edits {
		if e.whole {
			lines = slices.Insert(lines, e.line, e.text)
			continue
		}
		line := lines[e.line]
		lines[e.line] = line[:e.from] + e.text + line[e.to:]
	}
	return strings.Join(lines, "")
}

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// indented puts spaces before each line.
func indented(text string, n int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(spaces(n) + line)
	}
	return b.String()
}
