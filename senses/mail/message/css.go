package message

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

const (
	maxStyle        = 64 << 10 // bytes of the style sheets of a message
	maxRules        = 2000     // of them
	maxDeclarations = 60       // of a rule
	maxClasses      = 20       // of an element

	tiny  = 2    // px, the largest letters that nobody reads
	faint = 0.05 // the highest opacity of what nobody sees
	away  = -500 // px, where nobody looks
)

// style is what styles say that matters to whether text is seen.
type style struct {
	hidden          bool
	hiddenInOutlook bool // mso-hide: hides from Outlook alone, and buttons have it too
	borderless      bool
	// As they are written; "" where nothing is said.
	visibility, size, colour, background string
}

// picture stands for a background that nobody knows the colour of.
const picture = "picture"

// over lays what is said closer to the element over what is said further away.
func (l style) over(further style) style {
	return style{
		hidden: l.hidden || further.hidden, hiddenInOutlook: l.hiddenInOutlook || further.hiddenInOutlook, borderless: l.borderless || further.borderless,
		visibility: cmp.Or(l.visibility, further.visibility), size: cmp.Or(l.size, further.size),
		colour: cmp.Or(l.colour, further.colour), background: cmp.Or(l.background, further.background),
	}
}

// sheet holds the rules of a message's style sheets whose selectors are simple:
// an element, a class, an id, or an element with a class or an id.
type sheet struct {
	taken int // bytes
	rules map[string]style
}

// of returns how an element looks: by its style, older attributes and the sheets.
func (s *sheet) of(tag html.Token) style {
	var l style
	for _, a := range tag.Attr {
		value := strings.ToLower(strings.TrimSpace(a.Val))
		switch a.Key {
		case "style":
			l = readStyle(value).over(l)
		case "color", "text":
			l.colour = cmp.Or(l.colour, value)
		case "bgcolor":
			l.background = cmp.Or(l.background, value)
		case "background":
			if value != "" {
				l.background = picture
			}
		case "size":
			if value == "0" {
				l.size = cmp.Or(l.size, value)
			}
		case "hidden":
			l.hidden = true
		case "aria-hidden":
			l.hidden = l.hidden || value == "true"
		}
	}
	if len(s.rules) == 0 {
		return l
	}
	if id := attr(tag, "id"); id != "" {
		l = l.over(s.rules["#"+id]).over(s.rules[tag.Data+"#"+id])
	}
	n := 0
	for class := range strings.FieldsSeq(attr(tag, "class")) {
		if n++; n > maxClasses {
			break
		}
		l = l.over(s.rules[tag.Data+"."+class]).over(s.rules["."+class])
	}
	return l.over(s.rules[tag.Data])
}

// uncommented is a sheet without comments, and without the marks that once hid
// it from old browsers.
func uncommented(text string) string {
	var kept strings.Builder
	marks := strings.NewReplacer("<!--", " ", "-->", " ")
	for comment := false; text != ""; comment = !comment {
		end := "/*"
		if comment {
			end = "*/"
		}
		before, after, _ := strings.Cut(text, end)
		if !comment {
			kept.WriteString(marks.Replace(before))
		}
		text = after
	}
	return kept.String()
}

// read takes in a style sheet. Rules within @media and the like are for other
// screens and stay out.
func (s *sheet) read(text string) {
	text = text[:min(len(text), maxStyle-s.taken)]
	s.taken += len(text)
	depth := 0
	for rule := range strings.SplitSeq(uncommented(text), "}") {
		around := depth
		depth = max(0, depth+strings.Count(rule, "{")-1)
		selectors, declarations, _ := strings.Cut(rule, "{")
		selectors = strings.TrimSpace(selectors[strings.LastIndexByte(selectors, ';')+1:]) // behind @import and @charset
		if around == 0 && depth == 0 && !strings.HasPrefix(selectors, "@") {
			s.add(selectors, readStyle(strings.ToLower(declarations)))
		}
	}
}

// add takes in one rule.
func (s *sheet) add(selectors string, l style) {
	for selector := range strings.SplitSeq(selectors, ",") {
		selector, said := strings.TrimSpace(selector), l
		if i := strings.LastIndexAny(selector, " >+~"); i >= 0 {
			// Only what keeps text from being taken for hidden is used of a
			// selector that is not simple.
			selector, said = selector[i+1:], style{}
			if l.background != "" {
				said.background = picture
			}
		}
		if said == (style{}) || strings.ContainsAny(selector, ":[*()") || len(s.rules) >= maxRules {
			continue
		}
		name, _, _ := strings.Cut(strings.ReplaceAll(selector, "#", "."), ".")
		selector = strings.ToLower(name) + selector[len(name):] // names of classes keep their case
		s.rules[selector] = said.over(s.rules[selector])
	}
}

// readStyle reads "name: value; …", in lower case.
func readStyle(text string) style {
	d := map[string]string{}
	for _, item := range strings.SplitN(text, ";", maxDeclarations) {
		name, value, _ := strings.Cut(item, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		if _, twice := d[name]; twice && !isValid(name, value) {
			continue // browsers keep the one before
		}
		d[name] = value
		switch name {
		case "background":
			d["background-color"] = value
		case "font":
			d["font-size"] = cmp.Or(fontSize(value), d["font-size"])
		}
	}
	least := func(names ...string) float64 {
		n := math.Inf(1)
		for _, name := range names {
			n = min(n, length(d[name]))
		}
		return n
	}
	far := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return length(strings.TrimSuffix(d[name], "%")) <= away })
	}
	clipped := d["overflow"] == "hidden" || d["overflow"] == "clip"
	placed := d["position"] == "absolute" || d["position"] == "fixed"
	l := style{
		hidden: d["display"] == "none" || least("opacity") <= faint || least("max-height") <= 0 || least("width") <= 0 && least("height") <= 0 ||
			clipped && least("width", "height", "max-width") <= 0 || placed && far("left", "top", "right", "bottom") ||
			far("text-indent", "margin-left", "margin-top") || beginsWithOne(d["clip"], "rect(0", "rect(1px") ||
			beginsWithOne(d["clip-path"], "inset(50%", "inset(100%") || beginsWithOne(d["transform"], "scale(0)", "scale(0,"),
		hiddenInOutlook: d["mso-hide"] == "all", borderless: d["border"] == "none" || strings.HasPrefix(d["border"], "0"),
		visibility: d["visibility"], size: d["font-size"], colour: d["color"], background: d["background-color"],
	}
	if image := d["background-image"] + d["background"]; strings.Contains(image, "url(") || strings.Contains(image, "gradient") {
		l.background = picture
	}
	return l
}

// isValid reports whether a browser takes a value of what is measured: a number,
// a word that is known, or a function.
func isValid(name, value string) bool {
	switch name {
	case "opacity", "width", "height", "max-width", "max-height", "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top",
		"font-size", "clip", "clip-path", "transform":
	default:
		return true
	}
	switch value {
	case "auto", "none", "normal", "inherit", "initial", "unset", "revert", "xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "smaller", "larger":
		return true
	}
	return strings.Contains(value, "(") || !math.IsInf(length(value), 1)
}

// fontSize is the size in the value of "font"; a number alone is a weight, but 0.
func fontSize(font string) string {
	for word := range strings.FieldsSeq(font) {
		word, _, _ = strings.Cut(word, "/")
		if n, err := strconv.ParseFloat(word, 64); !math.IsInf(length(word), 1) && (err != nil || n == 0) {
			return word
		}
	}
	return ""
}

// length reads "12px" in pixels, of letters of the usual size; what is no length is
// longer than any.
func length(value string) float64 {
	value = strings.TrimSpace(value)
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz %")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return math.Inf(1)
	}
	switch value[len(number):] {
	case "", "px", "pt":
		return n
	case "%":
		return n * 0.16
	case "mm":
		return n * 3.8
	case "cm":
		return n * 38
	case "in":
		return n * 96
	}
	return n * 16
}

// colour is one that a style names, by its name alone where that is not known here.
// Nothing is near that of a picture.
type colour struct {
	known   bool
	r, g, b float64
	name    string
}

var (
	white = colour{known: true, r: 255, g: 255, b: 255}
	black = colour{known: true}
)

// near tells of two colours that cannot be told apart on a screen.
func (c colour) near(d colour) bool {
	const most = 10
	return c.name != "" && c.name == d.name ||
		c.known && d.known && max(math.Abs(c.r-d.r), math.Abs(c.g-d.g), math.Abs(c.b-d.b)) <= most
}

// colours are the names that are met in mail.
const colours = " white:ffffff black:000000 red:ff0000 green:008000 blue:0000ff yellow:ffff00 navy:000080 gray:808080 grey:808080 silver:c0c0c0" +
	" maroon:800000 orange:ffa500 purple:800080 whitesmoke:f5f5f5 snow:fffafa ivory:fffff0 ghostwhite:f8f8ff"

// or is the colour of a value in lower case, c where it names none. What can be
// seen through is no colour of its own.
func (c colour) or(value string) colour {
	if function, inside, ok := strings.Cut(value, "("); ok {
		inside, _, _ = strings.Cut(inside, ")")
		if function != "rgb" && function != "rgba" {
			return colour{}
		}
		return rgb(strings.FieldsFunc(inside, func(r rune) bool { return r == ',' || r == '/' || unicode.IsSpace(r) }))
	}
	value, _, _ = strings.Cut(value, " ")
	switch value {
	case "", "inherit", "initial", "unset", "currentcolor", "transparent", "none":
		return c
	case picture:
		return colour{}
	}
	digits := strings.TrimPrefix(value, "#")
	if _, after, named := strings.Cut(colours, " "+value+":"); named {
		digits = after[:6]
	}
	if len(digits) == 3 || len(digits) == 4 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits[:min(len(digits), 6)], 16, 32)
	if err != nil || len(digits) != 6 && len(digits) != 8 {
		return colour{name: value}
	}
	return colour{known: true, r: float64(n >> 16), g: float64(n >> 8 & 0xff), b: float64(n & 0xff)}
}

// rgb is the colour of three channels, and of how much it covers.
func rgb(fields []string) colour {
	if len(fields) == 4 {
		if covers, err := strconv.ParseFloat(strings.TrimSuffix(fields[3], "%"), 64); err != nil || covers < 1 || strings.HasSuffix(fields[3], "%") && covers < 100 {
			return colour{}
		}
	} else if len(fields) != 3 {
		return colour{}
	}
	var channels [3]float64
	for i := range channels {
		n, err := strconv.ParseFloat(strings.TrimSuffix(fields[i], "%"), 64)
		if err != nil {
			return colour{}
		}
		if channels[i] = n; strings.HasSuffix(fields[i], "%") {
			channels[i] = n * 2.55
		}
	}
	return colour{known: true, r: channels[0], g: channels[1], b: channels[2]}
}
