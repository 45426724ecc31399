package message

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

const (
	maxRules        = 2000 // of the style sheets of a message
	maxDeclarations = 60   // of a rule
	maxClasses      = 20   // of an element
)

// look is what styles say that matters to whether text is seen.
type look struct {
	hidden             bool
	hiddenInOutlook    bool // mso-hide: hides from Outlook alone, and buttons have it too
	visibility         string
	size               string // "tiny" or "normal"
	colour, background colour
}

// over lays what is said closer to the element over what is said further away.
func (l look) over(further look) look {
	if l.visibility == "" {
		l.visibility = further.visibility
	}
	if l.size == "" {
		l.size = further.size
	}
	if !l.colour.set {
		l.colour = further.colour
	}
	if !l.background.set {
		l.background = further.background
	}
	l.hidden = l.hidden || further.hidden
	l.hiddenInOutlook = l.hiddenInOutlook || further.hiddenInOutlook
	return l
}

// sheet holds the rules of a message's style sheets whose selectors are simple:
// an element, a class, an id, or an element with a class or an id.
type sheet struct {
	taken int // bytes
	rules map[string]look
}

func newSheet() *sheet { return &sheet{rules: map[string]look{}} }

// of returns how an element looks.
func (s *sheet) of(tag atom.Atom, a attrs) look {
	l := s.own(a)
	if len(s.rules) == 0 {
		return l
	}
	name := tag.String()
	if a.id != "" {
		l = l.over(s.rules["#"+a.id]).over(s.rules[name+"#"+a.id])
	}
	n := 0
	for class := range strings.FieldsSeq(a.class) {
		if n++; n > maxClasses {
			break
		}
		l = l.over(s.rules[name+"."+class]).over(s.rules["."+class])
	}
	return l.over(s.rules[name])
}

// own reads the style attribute and the older attributes.
func (s *sheet) own(a attrs) look {
	var l look
	if a.style != "" {
		l = readDeclarations(a.style)
	}
	old := look{}
	if a.colour != "" {
		old.colour = readColour(a.colour)
	}
	if a.bgcolor != "" {
		old.background = readColour(a.bgcolor)
	}
	if a.picture {
		old.background = colour{set: true}
	}
	if a.tinyFont {
		old.size = "tiny"
	}
	return l.over(old)
}

// read takes in a style sheet. Rules within @media and the like are for other
// screens and stay out.
func (s *sheet) read(raw []byte) {
	raw = raw[:min(len(raw), max(0, maxStyle-s.taken))]
	s.taken += len(raw)
	original := withoutComments(string(raw)) // names of classes keep their case
	text := strings.ToLower(original)
	if len(text) != len(original) {
		original = text
	}
	for pos := 0; len(s.rules) < maxRules; {
		open := strings.IndexByte(text[pos:], '{')
		if open < 0 {
			return
		}
		open += pos
		selectors := strings.TrimSpace(original[pos:open])
		if i := strings.LastIndexByte(selectors, ';'); i >= 0 {
			selectors = strings.TrimSpace(selectors[i+1:]) // behind @import and @charset
		}
		end := blockEnd(text, open)
		if !strings.HasPrefix(selectors, "@") && len(selectors) <= maxAttr {
			s.add(selectors, text[open+1:max(open+1, end-1)])
		}
		pos = end
	}
}

// add takes in one rule.
func (s *sheet) add(selectors, declarations string) {
	l := readDeclarations(declarations[:min(len(declarations), maxAttr)])
	if l == (look{}) {
		return
	}
	for selector := range strings.SplitSeq(selectors, ",") {
		selector = strings.TrimSpace(selector)
		if i := strings.LastIndexAny(selector, " >+~"); i >= 0 {
			// Only what keeps text from being taken for hidden is used of a
			// selector that is not simple.
			if selector = selector[i+1:]; selector == "" {
				continue
			}
			s.put(selector, look{background: colour{set: l.background.set}})
			continue
		}
		s.put(selector, l)
	}
}

func (s *sheet) put(selector string, l look) {
	if selector == "" || len(selector) > 100 || strings.ContainsAny(selector, ":[*()") || l == (look{}) || len(s.rules) >= maxRules {
		return
	}
	if i := strings.IndexAny(selector, ".#"); i > 0 {
		selector = strings.ToLower(selector[:i]) + selector[i:]
	} else if i < 0 {
		selector = strings.ToLower(selector)
	}
	s.rules[strings.Clone(selector)] = l.over(s.rules[selector])
}

// withoutComments takes comments out of a style sheet, and the marks that once hid
// it from old browsers.
func withoutComments(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "<!--", " "), "-->", " ")
	var out strings.Builder
	for {
		start := strings.Index(text, "/*")
		if start < 0 {
			break
		}
		out.WriteString(text[:start])
		end := strings.Index(text[start+2:], "*/")
		if end < 0 {
			return out.String()
		}
		text = text[start+2+end+2:]
	}
	out.WriteString(text)
	return out.String()
}

// blockEnd returns the position behind the brace that closes the one at open.
func blockEnd(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// declarations are those of a rule that say together whether something is seen.
type declarations struct {
	look
	overflow           bool // hidden
	absolute           bool // position
	noWidth, noHeight  bool
	farLeft            bool
	maxHeight, maxWide bool
}

// readDeclarations reads "name: value; …", in lower case.
func readDeclarations(text string) look {
	var d declarations
	n := 0
	for item := range strings.SplitSeq(text, ";") {
		if n++; n > maxDeclarations {
			break
		}
		name, value, found := strings.Cut(item, ":")
		if !found {
			continue
		}
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		d.set(strings.TrimSpace(name), value)
	}
	d.hidden = d.hidden || d.maxHeight || d.noWidth && d.noHeight || (d.noWidth || d.noHeight || d.maxWide) && d.overflow || d.farLeft && d.absolute
	return d.look
}

func (d *declarations) set(name, value string) {
	number, unit := length(value)
	zero := unit != "" && number <= 0
	switch name {
	case "display":
		d.hidden = value == "none"
	case "visibility":
		d.visibility = value
	case "opacity":
		d.hidden = d.hidden || unit != "" && number <= 0.05
	case "font-size":
		if unit != "" {
			d.size = "normal"
			if tiny(number, unit) {
				d.size = "tiny"
			}
		} else if value != "inherit" {
			d.size = "normal"
		}
	case "font":
		for word := range strings.FieldsSeq(value) {
			word, _, _ = strings.Cut(word, "/")
			if n, u := length(word); u != "" && u != "number" || u == "number" && n == 0 {
				d.size = map[bool]string{true: "tiny", false: "normal"}[tiny(n, u)]
				break
			}
		}
	case "mso-hide":
		d.hiddenInOutlook = value == "all"
	case "max-height":
		d.maxHeight = zero
	case "max-width":
		d.maxWide = zero
	case "width":
		d.noWidth = zero
	case "height":
		d.noHeight = zero
	case "overflow":
		d.overflow = value == "hidden" || value == "clip"
	case "position":
		d.absolute = value == "absolute" || value == "fixed"
	case "left", "top", "right", "bottom":
		d.farLeft = d.farLeft || unit != "" && number <= -500
	case "text-indent", "margin-left", "margin-top":
		d.hidden = d.hidden || unit != "" && number <= -500
	case "clip":
		d.hidden = d.hidden || strings.HasPrefix(value, "rect(0") || strings.HasPrefix(value, "rect(1px")
	case "clip-path":
		d.hidden = d.hidden || strings.HasPrefix(value, "inset(50%") || strings.HasPrefix(value, "inset(100%")
	case "transform":
		d.hidden = d.hidden || value == "scale(0)" || value == "scale(0,0)" || value == "scale(0, 0)"
	case "color":
		d.colour = readColour(value)
	case "background-color", "background":
		d.background = readBackground(value)
	case "background-image":
		if value != "none" {
			d.background = colour{set: true}
		}
	}
}

// tiny tells which sizes of letters nobody reads.
func tiny(number float64, unit string) bool {
	switch unit {
	case "px", "pt", "number":
		return number <= 2
	case "em", "rem":
		return number <= 0.1
	case "%":
		return number <= 10
	}
	return number <= 0
}

// length reads "12px": the number and its unit, "number" where it has none, ""
// where it is no length.
func length(value string) (float64, string) {
	end := 0
	for end < len(value) && (value[end] >= '0' && value[end] <= '9' || value[end] == '.' || value[end] == '-' && end == 0) {
		end++
	}
	if end == 0 || end > 20 {
		return 0, ""
	}
	number, err := strconv.ParseFloat(value[:end], 64)
	if err != nil {
		return 0, ""
	}
	switch unit := strings.TrimSpace(value[end:]); unit {
	case "":
		return number, "number"
	case "px", "pt", "em", "rem", "%", "vw", "vh", "cm", "mm", "in":
		return number, unit
	}
	return 0, ""
}
