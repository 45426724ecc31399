package message

import (
	"cmp"
	"mime"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// part is one part of a message: a leaf with content, or others within it.
type part struct {
	header      header
	kind        string // "text/plain", in lower case
	charset     string
	flowed      bool
	delSp       bool   // of format=flowed: the space before a soft end goes
	method      string // of a text/calendar
	file        string // name of an attached file
	disposition string
	content     string // of a leaf, not decoded
	children    []*part
}

func (p *part) is(family string) bool { return strings.HasPrefix(p.kind, family+"/") }

// decoded undoes the transfer encoding.
func (p *part) decoded() string {
	return decodeTransfer(p.content, p.header.get("content-transfer-encoding"))
}

// walker finds the parts of a message within their bounds.
type walker struct {
	parts int
	notes *cuts
}

// part reads the part of a header and what is behind it. usual is what a part
// without Content-Type is at that place.
func (w *walker) part(h header, body string, depth int, usual string) *part {
	w.parts++
	p := &part{header: h, content: body}
	boundary := p.describe(usual)
	container := p.is("multipart") || p.kind == "message/rfc822" || p.kind == "message/global"
	switch {
	case !container:
		return p
	case depth >= maxNesting:
		w.notes.note("parts nested more than %d deep", maxNesting)
		p.content = ""
		return p
	case !p.is("multipart"):
		if p.disposition != "attachment" || p.file == "" || strings.HasSuffix(p.file, ".eml") {
			w.enclosed(p, depth)
		}
		return p
	}
	w.split(p, boundary, depth)
	return p
}

// enclosed reads a message within the message.
func (w *walker) enclosed(p *part, depth int) {
	content := p.decoded()
	h, body := readHeader(content, w.notes)
	if len(h) == 0 || !w.more() {
		return
	}
	p.children = []*part{w.part(h, body, depth+1, "text/plain")}
}

func (w *walker) more() bool {
	if w.parts >= maxParts {
		w.notes.note("parts beyond the first %d", maxParts)
		return false
	}
	return true
}

// split finds the parts of a multipart. One without a usable boundary is read as
// one text.
func (w *walker) split(p *part, boundary string, depth int) {
	if boundary == "" || !strings.Contains(p.content, "--"+boundary) {
		boundary = guessBoundary(p.content)
	}
	if boundary == "" {
		p.kind = "text/plain"
		return
	}
	usual := "text/plain"
	if p.kind == "multipart/digest" {
		usual = "message/rfc822"
	}
	_, rest, state := cutPart(p.content, boundary)
	for state == another {
		if !w.more() {
			return
		}
		var content string
		content, rest, state = cutPart(rest, boundary)
		if state == missing {
			w.notes.note("what follows a part without an end")
		}
		h, body := readHeader(content, w.notes)
		p.children = append(p.children, w.part(h, body, depth+1, usual))
	}
	p.content = ""
}

type ending int

const (
	missing ending = iota // the text ends without a boundary
	another               // another part follows
	last                  // the last boundary
)

// cutPart returns what stands before the next line that is the boundary, and what
// stands behind that line.
func cutPart(text, boundary string) (content, rest string, state ending) {
	dashed := "--" + boundary
	for from := 0; ; {
		i := strings.Index(text[from:], dashed)
		if i < 0 {
			return text, "", missing
		}
		i += from
		from = i + len(dashed)
		if i > 0 && text[i-1] != '\n' {
			continue
		}
		l, behind := cutLine(text[from:])
		switch strings.TrimRight(l, " \t\r") {
		case "":
			return beforeBoundary(text[:i]), behind, another
		case "--":
			return beforeBoundary(text[:i]), behind, last
		}
	}
}

// beforeBoundary takes off the line end that belongs to the boundary.
func beforeBoundary(content string) string {
	return strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")
}

// guessBoundary looks for a line of two dashes and more that a header of a part
// follows: some writers lose or change the boundary.
func guessBoundary(content string) string {
	const tries, longest = 50, 200
	rest := content
	for range tries {
		var l string
		if l, rest = cutLine(rest); rest == "" {
			return ""
		}
		if len(l) > 2 && len(l) < longest && strings.HasPrefix(l, "--") && len(rest) > 8 && strings.EqualFold(rest[:8], "content-") {
			return strings.TrimRight(l[2:], " \t\r")
		}
	}
	return ""
}

// describe reads what the header says of the part, and returns the boundary of a
// multipart.
func (p *part) describe(usual string) (boundary string) {
	kind, params := mediaType(p.header.get("content-type"))
	p.kind, p.charset, p.method = cmp.Or(kind, usual), params["charset"], strings.ToLower(params["method"])
	p.flowed = strings.EqualFold(params["format"], "flowed")
	p.delSp = strings.EqualFold(params["delsp"], "yes")
	disposition, more := mediaType(p.header.get("content-disposition"))
	p.disposition = disposition
	for _, name := range []string{more["filename"], params["name"]} {
		if p.file = fileName(name); p.file != "" {
			break
		}
	}
	if p.is("multipart") && p.file == "" {
		p.disposition = ""
	}
	return params["boundary"]
}

// mediaType reads a Content-Type or Content-Disposition, also where it is not
// written as it should be.
func mediaType(value string) (string, map[string]string) {
	if value == "" {
		return "", nil
	}
	kind, params, err := mime.ParseMediaType(value)
	if err == nil && (len(params) > 0 || !strings.Contains(value, "=")) {
		return wholeKind(kind), params
	}
	kind, rest, _ := strings.Cut(value, ";")
	kind = strings.ToLower(strings.Trim(kind, " \t\""))
	if strings.ContainsAny(kind, " \t") {
		kind = strings.Fields(kind)[0]
	}
	loose := map[string]string{}
	const most = 20
	for len(loose) < most && rest != "" {
		var item string
		item, rest = cutParameter(rest)
		key, v, found := strings.Cut(item, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if _, twice := loose[key]; found && !twice {
			loose[key] = strings.Trim(v, " \t\"'")
		}
	}
	return wholeKind(kind), loose
}

// wholeKind reads a "text" without a subtype as the old standard did.
func wholeKind(kind string) string {
	if kind == "text" {
		return "text/plain"
	}
	return kind
}

// cutParameter returns what stands before the next semicolon outside of quotes.
func cutParameter(s string) (item, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ';' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// fileName makes the name of a file from a parameter: decoded, without a path.
func fileName(name string) string {
	name = line(decodeWords(name), 4*maxName)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if len(name) > maxName {
		// The end tells the kind.
		end := len(name) - 20
		for end < len(name) && name[end]&0xC0 == 0x80 {
			end++
		}
		name = subconscious.Head(name, maxName-24) + "…" + name[end:]
	}
	return name
}
