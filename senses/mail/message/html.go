package message

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The bounds of reading HTML. A message that reaches one of them is read on as if
// what is beyond did not say anything.
const (
	maxOpen  = 200      // elements within each other that are told apart
	maxStyle = 64 << 10 // bytes of style sheets
	maxAttrs = 60       // attributes of an element
	maxAttr  = 4 << 10  // bytes of an attribute
	maxLink  = 1000     // bytes of a target; a longer one is left out
	maxLinks = 300      // targets of a message
)

// htmlText renders HTML as readable text, without what a reader does not see.
//
// It works on the tokens of x/net/html in one pass, and builds no tree: the parser
// that Markdown converters stand on refuses HTML nested deeper than 512 elements,
// copies the open formatting elements into every new block, and needs many times
// the memory of what it reads. What a tree would mend (cells and paragraphs that
// are not closed) page.open mends here.
func htmlText(text string, notes *cuts) string {
	p := &page{sheet: newSheet(), links: map[string]bool{}, open: make([]element, 0, 32), count: map[atom.Atom]int{}}
	p.open = append(p.open, element{background: white, colour: black})
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return p.out.String()
		case html.TextToken:
			p.text(z)
		case html.StartTagToken:
			p.start(z)
		case html.SelfClosingTagToken:
			p.selfClosing(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(atom.Lookup(name))
		}
		if p.out.Len() > 2*maxText {
			notes.note("the text beyond its first 64 KiB")
			return p.out.String()
		}
	}
}

// page is the state of rendering.
type page struct {
	out   writer
	sheet *sheet
	open  []element
	count map[atom.Atom]int // of the open elements
	deep  int               // elements beyond maxOpen
	inert atom.Atom         // the element whose text is not shown: style, script, …
	links map[string]bool
	lists []int // number of the next item; -1 where they are not numbered
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
	linkFrom   int // where its words begin in the output
}

func (p *page) top() *element { return &p.open[len(p.open)-1] }

func (e *element) seen() bool {
	return !e.hidden && !e.invisible && !e.tiny && !e.colour.near(e.background)
}

func (p *page) text(z *html.Tokenizer) {
	switch p.inert {
	case atom.Style:
		p.sheet.read(z.Raw())
		return
	case 0:
	default:
		return
	}
	if e := p.top(); e.seen() {
		p.out.words(z.Text(), e.pre)
	}
}

// selfClosing handles a tag like "<br/>". Drawings can be empty that way; for all
// others the slash means nothing.
func (p *page) selfClosing(z *html.Tokenizer) {
	if raw := string(bytes.ToLower(z.Raw()[:min(len(z.Raw()), 5)])); raw != "<svg " && raw != "<svg/" && raw != "<math" {
		p.start(z)
	}
}

// start handles a start tag.
func (p *page) start(z *html.Tokenizer) {
	name, more := z.TagName()
	tag := atom.Lookup(name)
	if inert(tag) {
		p.inert = tag
		return
	}
	if p.inert == atom.Head || p.inert != 0 && !rawText(p.inert) {
		// Only what may stand in a head leaves it open.
		if p.inert != atom.Head || tag == atom.Meta || tag == atom.Link || tag == atom.Base {
			return
		}
	}
	p.inert = 0
	a := readAttrs(z, more)
	switch tag {
	case atom.Br:
		if p.top().seen() {
			p.out.line()
		}
		return
	case atom.Hr:
		p.out.paragraph()
		return
	case atom.Img:
		p.image(a)
		return
	}
	if void(tag) {
		return
	}
	p.closeImplied(tag)
	p.separate(tag)
	if len(p.open) >= maxOpen {
		p.deep++
		return
	}
	p.push(tag, a)
}

// push opens an element: what it inherits, and what its own style says.
func (p *page) push(tag atom.Atom, a attrs) {
	e := *p.top()
	e.atom, e.quote, e.link = tag, false, ""
	style := p.sheet.of(tag, a)
	e.hidden = e.hidden || style.hidden || a.hidden || style.hiddenInOutlook && tag != atom.A
	if style.visibility != "" {
		e.invisible = style.visibility != "visible"
	}
	if style.size != "" {
		e.tiny = style.size == "tiny"
	}
	if style.colour.set {
		e.colour = style.colour
	}
	if style.background.set {
		e.background = style.background
	}
	switch tag {
	case atom.Pre, atom.Xmp, atom.Plaintext:
		e.pre = true
	case atom.Blockquote:
		e.quote = !a.indents
	case atom.A:
		e.link, e.linkFrom = a.target(), p.out.Len()
	case atom.Ol:
		p.list(1)
	case atom.Ul:
		p.list(-1)
	case atom.Li:
		if e.seen() {
			p.item()
		}
	}
	e.quote = e.quote || a.quotes
	if e.quote {
		p.out.deeper(1)
	}
	p.open = append(p.open, e)
	p.count[tag]++
}

// end closes the innermost element of that name, and all within it.
func (p *page) end(tag atom.Atom) {
	if p.inert != 0 {
		if tag == p.inert {
			p.inert = 0
		}
		if tag != atom.Body {
			return
		}
	}
	if tag == atom.P || tag == atom.Br {
		p.separate(tag)
	}
	if p.deep > 0 {
		p.deep--
		return
	}
	if p.count[tag] == 0 {
		return
	}
	for i := len(p.open) - 1; i > 0; i-- {
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

// closeTo closes the elements from i on.
func (p *page) closeTo(i int) {
	for j := len(p.open) - 1; j >= i; j-- {
		e := &p.open[j]
		p.count[e.atom]--
		if e.link != "" {
			p.closeLink(e)
		}
		if (e.atom == atom.Ol || e.atom == atom.Ul) && len(p.lists) > 0 {
			p.lists = p.lists[:len(p.lists)-1]
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
	case atom.Li, atom.Tr, atom.A, atom.Option:
	case atom.Dt, atom.Dd:
		one, other = atom.Dt, atom.Dd
	case atom.Td, atom.Th:
		one, other = atom.Td, atom.Th
	default:
		if !closesParagraph(tag) {
			return
		}
		one, other = atom.P, atom.P
	}
	if p.count[one]+p.count[other] == 0 {
		return
	}
	for i := len(p.open) - 1; i > 0; i-- {
		if a := p.open[i].atom; a == one || a == other {
			p.closeTo(i)
			return
		} else if holds(a, tag) {
			return
		}
	}
}

// holds tells whether an open element keeps a new one within it from ending what
// is around.
func holds(around, tag atom.Atom) bool {
	switch around {
	case atom.Td, atom.Th:
		return tag != atom.Tr
	case atom.Ul, atom.Ol, atom.Dl:
		return true
	}
	return barrier(around)
}

// image shows the words that stand for a picture, but for pictures of no size.
func (p *page) image(a attrs) {
	style := p.sheet.of(atom.Img, a)
	if a.dot || style.hidden || a.hidden || !p.top().seen() {
		return
	}
	if words := strings.TrimSpace(a.alt); len(words) > 1 && len(words) <= 200 {
		p.out.words([]byte(" "+words+" "), false)
	}
}

// closeLink writes the target of a link behind its words, once a message.
func (p *page) closeLink(e *element) {
	if p.out.Len() <= e.linkFrom || !e.seen() {
		return
	}
	words := strings.TrimSpace(p.out.since(e.linkFrom))
	if words == "" || sameTarget(words, e.link) || p.links[e.link] || len(p.links) >= maxLinks {
		return
	}
	p.links[e.link] = true
	p.out.behind(" (" + strings.TrimPrefix(e.link, "mailto:") + ")")
}

// sameTarget tells whether the words of a link are its target.
func sameTarget(words, target string) bool {
	return bare(words) == bare(target)
}

func bare(target string) string {
	target = strings.ToLower(target)
	for _, prefix := range [...]string{"mailto:", "https://", "http://", "www."} {
		target = strings.TrimPrefix(target, prefix)
	}
	target, _, _ = strings.Cut(target, "?subject=")
	return strings.TrimRight(target, "/.")
}

func (p *page) list(from int) {
	const deepest = 50
	if len(p.lists) < deepest {
		p.lists = append(p.lists, from)
	} else {
		p.lists = append(p.lists[:deepest-1:deepest-1], from)
	}
}

func (p *page) item() {
	if len(p.lists) == 0 || p.lists[len(p.lists)-1] < 0 {
		p.out.mark("- ")
		return
	}
	n := &p.lists[len(p.lists)-1]
	p.out.mark(itoa(*n) + ". ")
	*n++
}

// separate begins a line, a paragraph or a cell where the element does.
func (p *page) separate(tag atom.Atom) {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Pre, atom.Table, atom.Fieldset:
		p.out.paragraph()
	case atom.Div, atom.Tr, atom.Li, atom.Dt, atom.Dd, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Address, atom.Center, atom.Form,
		atom.Main, atom.Nav, atom.Aside, atom.Figure, atom.Figcaption, atom.Caption, atom.Tbody, atom.Thead, atom.Tfoot, atom.Body, atom.Html, atom.Option:
		p.out.line()
	case atom.Td, atom.Th, atom.Button:
		p.out.space()
	}
}
