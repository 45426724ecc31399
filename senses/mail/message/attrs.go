package message

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// attrs are the attributes of an element that mean something here.
type attrs struct {
	style, class, id string
	bgcolor, colour  string
	href, alt        string
	hidden           bool // the attribute, or aria-hidden
	picture          bool // behind the text: a background that nobody knows
	dot              bool // an image of at most 2 by 2 pixels
	indents          bool // a blockquote that only indents
	quotes           bool // what programs put around a quotation
	tinyFont         bool
}

// readAttrs reads the attributes of the tag the tokenizer is at.
func readAttrs(z *html.Tokenizer, more bool) attrs {
	var a attrs
	for n := 0; more && n < maxAttrs; n++ {
		var name, value []byte
		name, value, more = z.TagAttr()
		if len(value) > maxAttr {
			value = value[:maxAttr]
		}
		a.set(string(name), string(value))
	}
	return a
}

func (a *attrs) set(name, value string) {
	switch name {
	case "style":
		a.style = strings.ToLower(value)
		border := strings.ReplaceAll(a.style, " ", "")
		a.indents = strings.Contains(border, "border:none") || strings.Contains(border, "border:0")
	case "class":
		a.class = value
		for class := range strings.FieldsSeq(value) {
			a.quotes = a.quotes || class == "yahoo_quoted" || class == "moz-forward-container"
		}
	case "id":
		a.id = value
	case "bgcolor":
		a.bgcolor = strings.ToLower(value)
	case "background":
		a.picture = strings.TrimSpace(value) != ""
	case "color", "text":
		a.colour = strings.ToLower(value)
	case "size":
		a.tinyFont = strings.TrimSpace(value) == "0"
	case "href":
		a.href = value
	case "alt":
		a.alt = value
	case "hidden":
		a.hidden = true
	case "aria-hidden":
		a.hidden = a.hidden || strings.EqualFold(value, "true")
	case "width", "height":
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), "px"))
		a.dot = a.dot || err == nil && n <= 2
	}
}

// target is where a link leads, "" where it leads nowhere that a reader could go.
func (a attrs) target() string {
	target := strings.Map(func(r rune) rune {
		if r <= ' ' || dropped(r) || r == '(' || r == ')' || r == '\uFFFD' {
			if r == '(' || r == ')' {
				return r
			}
			return -1
		}
		return r
	}, a.href)
	lower := strings.ToLower(target[:min(len(target), 8)])
	for _, scheme := range [...]string{"http://", "https://", "mailto:"} {
		if strings.HasPrefix(lower, scheme) && len(target) > len(scheme) && len(target) <= maxLink {
			return target
		}
	}
	return ""
}
