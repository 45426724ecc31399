package message

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The bounds of reading HTML. A message that reaches one of them is read on as if
// what is beyond did not say anything.
const (
	maxOpen  = 200  // elements within each other that are told apart
	maxLink  = 1000 // bytes of a target; a longer one is left out
	maxLinks = 300  // targets of a message
	maxAlt   = 200  // bytes of the words for a picture; longer ones are left out
)

// htmlText renders HTML as readable text, without what a reader does not see.
//
// It works on the tokens of x/net/html in one pass, and builds no tree: the parser
// that Markdown converters stand on refuses HTML nested deeper than 512 elements,
// and takes a third of a second for 64,000 end tags within 390 others. What a tree
// would mend (cells and paragraphs that are not closed) page.closeImplied mends here.
func htmlText(text string, notes *cuts) string {
	p := &page{sheet: sheet{rules: map[string]style{}}, links: map[string]bool{}, count: map[atom.Atom]int{}, open: make([]element, 0, 32)}
	p.open = append(p.open, element{background: white, colour: black})
	z := html.NewTokenizer(strings.NewReader(text))
	for p.out.Len() <= 2*maxText {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return p.out.String()
		case html.TextToken:
			if e := p.top(); e.seen() {
				p.out.words(z.Text(), e.pre)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(atom.Lookup(name))
		default:
			tag := z.Token()
			switch {
			case neverText(tag.DataAtom):
				if z.Next() == html.TextToken && tag.DataAtom == atom.Style {
					p.sheet.read(string(z.Raw()))
				}
			case kind == html.StartTagToken || kind == html.SelfClosingTagToken && !drawing(tag.DataAtom):
				p.start(tag)
			}
		}
	}
	notes.note("the text beyond its first 64 KiB")
	return p.out.String()
}

// neverText are the elements that the tokenizer makes one text of, which nobody sees.
func neverText(tag atom.Atom) bool {
	switch tag {
	case atom.Style, atom.Script, atom.Title, atom.Iframe, atom.Noembed, atom.Noframes, atom.Textarea:
		return true
	}
	return false
}

// drawing are the elements that can be empty ("<svg/>"); for all others the slash
// means nothing.
func drawing(tag atom.Atom) bool { return tag == atom.Svg || tag == atom.Math }

// page is the state of rendering.
type page struct {
	out   writer
	sheet sheet
	open  []element
	count map[atom.Atom]int // of the open elements
	deep  int               // elements beyond maxOpen
	links map[string]bool
}

// element is an open element and what its content inherits.
type element struct {
	atom       atom.Atom
	hidden     bool // with all that is in it
	invisible  bool // visibility
	tiny       bool // font-size
	colour     colour
	background colour
	quote      bool
	pre        bool
	link       string
	linkFrom   int  // where its words begin in the output
	item       *int // number of the next item of a list, nil where they are not numbered
}

func (p *page) top() *element { return &p.open[len(p.open)-1] }

func (e *element) seen() bool {
	return !e.hidden && !e.invisible && !e.tiny && !e.colour.near(e.background)
}

// start handles a start tag.
func (p *page) start(tag html.Token) {
	switch tag.DataAtom {
	case atom.Br:
		if p.top().seen() {
			p.out.line()
		}
		return
	case atom.Hr:
		p.out.paragraph()
		return
	case atom.Img:
		p.image(tag)
		return
	case atom.Meta, atom.Link, atom.Base, atom.Input, atom.Area, atom.Col, atom.Wbr, atom.Embed, atom.Source, atom.Track, atom.Param, atom.Basefont, atom.Bgsound:
		return
	}
	p.closeImplied(tag.DataAtom)
	p.separate(tag.DataAtom)
	if len(p.open) >= maxOpen {
		p.deep++
		return
	}
	e := p.within(tag)
	switch e.atom {
	case atom.Pre, atom.Xmp, atom.Plaintext:
		e.pre = true
	case atom.A:
		e.link, e.linkFrom = target(attr(tag, "href")), p.out.Len()
	case atom.Ol:
		first := 1
		e.item = &first
	case atom.Ul:
		e.item = nil
	case atom.Li:
		if e.seen() {
			p.out.item(e.item)
		}
	}
	if e.quote {
		p.out.deeper(1)
	}
	p.open = append(p.open, e)
	p.count[e.atom]++
}

// within is an element in the innermost open one: what it inherits, and what its
// own style says.
func (p *page) within(tag html.Token) element {
	e := *p.top()
	e.atom, e.link = tag.DataAtom, ""
	l := p.sheet.of(tag)
	switch e.atom {
	case atom.Svg, atom.Math, atom.Template, atom.Audio, atom.Video, atom.Canvas, atom.Select:
		e.hidden = true
	}
	e.hidden = e.hidden || l.hidden || l.hiddenInOutlook && e.atom != atom.A
	if l.visibility != "" {
		e.invisible = l.visibility != "visible"
	}
	if l.size != "" && l.size != "inherit" {
		e.tiny = length(l.size) <= tiny
	}
	e.colour, e.background = e.colour.or(l.colour), e.background.or(l.background)
	e.quote = e.atom == atom.Blockquote && !l.borderless
	for class := range strings.FieldsSeq(attr(tag, "class")) {
		e.quote = e.quote || class == "yahoo_quoted" || class == "moz-forward-container"
	}
	return e
}

// attr is the value of an attribute, "" where there is none.
func attr(tag html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// end closes the innermost element of that name, and all within it.
func (p *page) end(tag atom.Atom) {
	if tag == atom.P {
		p.out.paragraph()
	}
	if p.deep > 0 && !neverText(tag) {
		p.deep--
		return
	}
	for i := len(p.open) - 1; i > 0 && p.count[tag] > 0; i-- {
		if p.open[i].atom == tag {
			p.closeTo(i)
			p.separate(tag)
			return
		}
		if barrier(p.open[i].atom) && !barrier(tag) {
			return
		}
	}
}

// barrier are elements that an end tag from within does not close.
func barrier(tag atom.Atom) bool {
	return tag == atom.Table || tag == atom.Td || tag == atom.Th || tag == atom.Body || tag == atom.Html
}

// closeTo closes the elements from i on.
func (p *page) closeTo(i int) {
	for j := len(p.open) - 1; j >= i; j-- {
		e := &p.open[j]
		p.count[e.atom]--
		if e.link != "" {
			p.closeLink(e)
		}
		if e.quote {
			p.out.deeper(-1)
		}
	}
	p.open = p.open[:i]
}

// closeImplied closes what the new element ends without an end tag.
func (p *page) closeImplied(tag atom.Atom) {
	one, other := tag, tag
	switch tag {
	case atom.Li, atom.Tr, atom.A:
	case atom.Dt, atom.Dd:
		one, other = atom.Dt, atom.Dd
	case atom.Td, atom.Th:
		one, other = atom.Td, atom.Th
	case atom.Body, atom.Html:
		return
	default:
		if breaks(tag) <= cell {
			return
		}
		one, other = atom.P, atom.P
	}
	if p.count[one]+p.count[other] == 0 {
		return
	}
	for i := len(p.open) - 1; i > 0; i-- {
		around := p.open[i].atom
		if around == one || around == other {
			p.closeTo(i)
			return
		}
		list := around == atom.Ul || around == atom.Ol || around == atom.Dl
		if list || barrier(around) && (tag != atom.Tr || around == atom.Table) {
			return
		}
	}
}

// What an element begins and ends.
const (
	cell = iota + 1
	newLine
	paragraph
)

func breaks(tag atom.Atom) int {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Pre, atom.Table, atom.Fieldset:
		return paragraph
	case atom.Div, atom.Tr, atom.Li, atom.Dt, atom.Dd, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Address, atom.Center, atom.Form,
		atom.Main, atom.Nav, atom.Aside, atom.Figure, atom.Figcaption, atom.Caption, atom.Tbody, atom.Thead, atom.Tfoot, atom.Body, atom.Html:
		return newLine
	case atom.Td, atom.Th, atom.Button:
		return cell
	}
	return 0
}

// separate begins a line, a paragraph or a cell where the element does.
func (p *page) separate(tag atom.Atom) {
	switch breaks(tag) {
	case paragraph:
		p.out.paragraph()
	case newLine:
		p.out.line()
	case cell:
		p.out.space()
	}
}

// image shows the words that stand for a picture, but for pictures of at most 2
// by 2 pixels.
func (p *page) image(tag html.Token) {
	words := strings.TrimSpace(attr(tag, "alt"))
	dot := length(strings.TrimSuffix(attr(tag, "width"), "%")) <= 2 || length(strings.TrimSuffix(attr(tag, "height"), "%")) <= 2
	if e := p.within(tag); !dot && e.seen() && len(words) > 1 && len(words) <= maxAlt {
		p.out.words([]byte(" "+words+" "), false)
	}
}

// closeLink writes the target of a link behind its words, once a message.
func (p *page) closeLink(e *element) {
	if p.out.Len() <= e.linkFrom || !e.seen() {
		return
	}
	words := strings.TrimSpace(p.out.String()[e.linkFrom:])
	if words == "" || bare(words) == bare(e.link) || p.links[e.link] || len(p.links) >= maxLinks {
		return
	}
	p.links[e.link] = true
	p.out.WriteString(" (" + strings.TrimPrefix(e.link, "mailto:") + ")")
}

// target is where a link leads, "" where it leads nowhere that a reader could go.
func target(href string) string {
	href = strings.Map(func(r rune) rune {
		if r <= ' ' || dropped(r) || r == '\uFFFD' {
			return -1
		}
		return r
	}, href)
	scheme, rest, _ := strings.Cut(href, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
		if rest, _ = strings.CutPrefix(rest, "//"); len(href) == len(scheme)+1+len(rest) {
			return ""
		}
	case "mailto":
	default:
		return ""
	}
	if rest == "" || len(href) > maxLink {
		return ""
	}
	return href
}

// bare is what of a target people write.
func bare(target string) string {
	target = strings.ToLower(target)
	for _, prefix := range [...]string{"mailto:", "https://", "http://", "www."} {
		target = strings.TrimPrefix(target, prefix)
	}
	target, _, _ = strings.Cut(target, "?subject=")
	return strings.TrimRight(target, "/.")
}
