package message

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// comment is one in a sheet, or a mark that once hid it from old browsers.
var comment = regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)|<!--|-->`)

// read takes in a style sheet. Rules within @media and the like are for other
// screens and stay out.
func (s *sheet) read(text string) {
	text = text[:min(len(text), maxStyle-s.taken)]
	s.taken += len(text)
	depth := 0
	if strings.Contains(text, "/*") || strings.Contains(text, "--") {
		text = comment.ReplaceAllString(text, "")
	}
	for rule := range strings.SplitSeq(text, "}") {
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

// fontSize is the size in the value of "font"; a number alone is a weight, but 0.
func fontSize(value string) string {
	for field := range strings.FieldsSeq(value) {
		size, _, _ := strings.Cut(field, "/")
		unit := strings.TrimLeft(size, "0123456789.")
		if size == "0" || unit != size && slices.Contains([]string{"px", "pt", "em", "rem", "%"}, unit) {
			return size
		}
	}
	return ""
}

// readStyle reads "name: value; …", in lower case.
func readStyle(text string) style {
	d := map[string]string{}
	for _, item := range strings.SplitN(text, ";", maxDeclarations) {
		name, value, _ := strings.Cut(item, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		d[name] = value
		switch name {
		case "background":
			d["background-color"] = value
		case "font":
			if size := fontSize(value); size != "" {
				d["font-size"] = size
			}
		}
	}
	l := style{
		hidden: hides(d), hiddenInOutlook: d["mso-hide"] == "all", borderless: d["border"] == "none" || strings.HasPrefix(d["border"], "0"),
		visibility: d["visibility"], size: d["font-size"], colour: d["color"], background: d["background-color"],
	}
	if image := d["background-image"] + d["background"]; strings.Contains(image, "url(") || strings.Contains(image, "gradient") {
		l.background = picture
	}
	return l
}

// hides reports whether declarations hide an element with all that is in it.
func hides(d map[string]string) bool {
	atMost := func(most float64, names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return length(d[name]) <= most })
	}
	clipped := d["overflow"] == "hidden"
	placed := d["position"] == "absolute" || d["position"] == "fixed"
	return d["display"] == "none" || atMost(faint, "opacity") || atMost(0, "max-height") || atMost(0, "width") && atMost(0, "height") ||
		clipped && atMost(0, "width", "height", "max-width") || placed && atMost(away, "left", "top", "right", "bottom") ||
		atMost(away, "text-indent", "margin-left", "margin-top") || beginsWithOne(d["clip"], "rect(0", "rect(1px")
}

// length reads "12px" in pixels, of letters of the usual size; what is no length is
// longer than any.
func length(value string) float64 {
	if value == "" || !strings.ContainsRune("+-.0123456789", rune(value[0])) {
		return math.Inf(1) // an error of the library's for each would be more than the message
	}
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
	}
	return n * 16
}

// colour is one that a style names, by its name alone where that is not known here.
// Nothing is near that of a picture.
type colour struct {
	known    bool
	channels [3]int
	name     string
}

var (
	white = colour{known: true, channels: [3]int{255, 255, 255}}
	black = colour{known: true}
)

// near tells of two colours that cannot be told apart on a screen.
func (c colour) near(d colour) bool {
	const most = 10
	far := 0
	for i := range c.channels {
		far = max(far, c.channels[i]-d.channels[i], d.channels[i]-c.channels[i])
	}
	return c.name != "" && c.name == d.name || c.known && d.known && far <= most
}

// colours are the names that are met in mail.
var colours = map[string]string{
	"white": "ffffff", "black": "000000", "red": "ff0000", "gray": "808080", "grey": "808080", "silver": "c0c0c0",
	"whitesmoke": "f5f5f5", "snow": "fffafa", "ivory": "fffff0", "ghostwhite": "f8f8ff",
}

var rgbColour = regexp.MustCompile(`^rgba?\(\s*(\d+)[\d.]*[\s,]+(\d+)[\d.]*[\s,]+(\d+)[\d.]*\s*(?:[,/]\s*(?:1|100%)\s*)?\)`)

// or is the colour of a value in lower case, c where it names none. What can be
// seen through is no colour of its own.
func (c colour) or(value string) colour {
	if strings.HasPrefix(value, "rgb") {
		if channels := rgbColour.FindStringSubmatch(value); channels != nil {
			named := colour{known: true}
			for i, digits := range channels[1:] {
				named.channels[i], _ = strconv.Atoi(digits) // these are digits
			}
			return named
		}
	}
	if strings.Contains(value, "(") || value == picture {
		return colour{}
	}
	value, _, _ = strings.Cut(value, " ")
	switch value {
	case "", "inherit", "initial", "unset", "currentcolor", "transparent", "none":
		return c
	}
	digits := strings.TrimPrefix(cmp.Or(colours[value], value), "#")
	n, err := strconv.ParseUint(digits, 16, 32)
	short := func(n uint64) colour {
		return colour{known: true, channels: [3]int{int(n>>8&15) * 17, int(n>>4&15) * 17, int(n&15) * 17}}
	}
	long := func(n uint64) colour {
		return colour{known: true, channels: [3]int{int(n >> 16 & 255), int(n >> 8 & 255), int(n & 255)}}
	}
	switch {
	case err != nil:
	case len(digits) == 3:
		return short(n)
	case len(digits) == 4: // the last says how far it can be seen through
		return short(n >> 4)
	case len(digits) == 6:
		return long(n)
	case len(digits) == 8:
		return long(n >> 8)
	}
	return colour{name: value}
}
