package screen

import "strings"

// What a template writes is markup: lines, with control characters that say how
// they are laid out. Nothing from outside can hold one, since show takes them
// out. In the text of a template, and there alone, they are written as signs.
const (
	hang    = '\x01' // "¦": the further rows of the line begin in this column
	stop    = '\t'   // "|": a column ends, as wide as its widest in the block
	right   = '\x02' // "»": what follows stands at the right edge of the first row
	heading = '\x03' // "# ": a heading, left out where nothing stands below; "#" alone ends what it heads
	blank   = '\x04' // "~": an empty line, where something stands above and below
	gone    = '\x05' // an empty value: where there is no other, its line or phrase is left out
	kept    = '\x06' // a value that is not empty
	manner  = '\x07' // how the line is broken, in the letter that follows
	off     = '\x0e' // the style ends
	on      = '\x10' // and the number of a style: it begins
)

// The manners of breaking a line; a digit is a number of rows, the rest of the
// text is cut off.
const (
	fit     = 'f' // one row; from the end, what does not fit between two dots is left out
	exact   = 'e' // where the row is full and nowhere else: no space is lost
	unwraps = 'u' // not at all
)

// asIs begins a text that is not broken.
const asIs = markup(rune(manner)) + markup(rune(unwraps))

// leastText is how many columns a text needs beside columns and marks; with
// fewer it stands below them.
const leastText = 24

// render lays markup out.
func (p *page) render(text string) {
	var block []string
	title, gap := "", false
	flush := func() {
		if len(block) > 0 && title != "" {
			if p.text.Len() > 0 {
				p.text.WriteByte('\n')
			}
			p.row("", title)
		}
		p.block(block)
		block, title, gap = nil, "", false
	}
	for line := range strings.Lines(text) {
		line, ok := valued(strings.TrimSuffix(line, "\n"))
		switch {
		case !ok:
		case line == "" || line[0] != heading && line[0] != blank:
			if gap && (len(block) > 0 || title == "" && p.text.Len() > 0) {
				block = append(block, "")
			}
			block, gap = append(block, line), false
		case line[0] == blank:
			gap = true
		case line == string(heading):
			flush()
			gap = true
		default:
			flush()
			title = string(rune(on+1)) + line[1:]
		}
	}
	flush()
}

// block writes lines whose columns are aligned.
func (p *page) block(lines []string) {
	var widths []int
	for _, line := range lines {
		parts := strings.Split(line, string(stop))
		for i, part := range parts[:len(parts)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if n := cells(part); n <= p.Width/2 {
				widths[i] = max(widths[i], n)
			}
		}
	}
	for _, line := range lines {
		if line == "" {
			p.text.WriteByte('\n')
			continue
		}
		parts := strings.Split(line, string(stop))
		last := len(parts) - 1
		var head strings.Builder
		for i, part := range parts[:last] {
			head.WriteString(part + strings.Repeat(" ", max(0, widths[i]-cells(part))))
		}
		p.row(head.String(), parts[last])
	}
}

// row writes one line: what stands before its text, and the text in as many
// rows as it takes, each as deep as the first.
func (p *page) row(head, text string) {
	how := byte(0)
	if before, after, ok := strings.Cut(text, string(manner)); ok {
		how, text = after[0], before+after[1:]
	}
	lead, _, hangs := strings.Cut(text, string(hang))
	switch {
	case !hangs && how == unwraps:
		lead = ""
	case !hangs:
		lead = text[:len(text)-len(strings.TrimLeft(text, " "))]
	}
	text = strings.TrimPrefix(text[len(lead):], string(hang))
	head += lead
	var now style
	if cells(head) > 4 && p.Width-cells(head) < leastText {
		mark := "" // an arrow, which stays with its text
		if hangs && cells(lead) <= 2 {
			head, mark = strings.TrimSuffix(head, lead), lead
		}
		deep := head[:len(head)-len(strings.TrimLeft(head, " "))]
		broken := how
		if how != exact {
			broken = 0
		}
		for _, row := range rows(head[len(deep):], p.Width-len(deep), broken) {
			if row = deep + row; how != exact {
				row = trimRight(row)
			}
			if row != "" {
				p.paint(row, &now)
			}
		}
		head = "    " + mark
	}
	deep := cells(head)
	text, edge, _ := strings.Cut(text, string(right))
	columns := p.Width - deep
	if edge != "" {
		columns -= cells(edge) + 2
	}
	for i, row := range rows(text, columns, how) {
		if i == 0 && edge != "" {
			row = pad(row, columns) + "  " + edge
		}
		if row = head + row; how != exact {
			row = trimRight(row)
		}
		p.paint(row, &now)
		head = strings.Repeat(" ", deep)
	}
}

// rows breaks text into rows of so many columns, in that manner.
func rows(text string, columns int, how byte) []string {
	switch {
	case how == unwraps:
		return []string{text}
	case how == fit:
		return []string{pieces(columns, strings.Split(text, " · ")...)}
	case how == exact:
		var all []string
		for columns = max(columns, 8); cells(text) > columns; {
			head := cut(text, columns)
			all, text = append(all, head), text[len(head):]
		}
		return append(all, text)
	}
	all := []string{text}
	if cells(text) > columns {
		all = wrap(text, columns)
	}
	if most := int(how) - '0'; how != 0 && len(all) > most {
		all = all[:most]
		all[most-1] = truncate(all[most-1]+" …", columns)
	}
	return all
}

// paint writes one row, with escape sequences where colour is allowed. A style
// that does not end goes on in the next.
func (p *page) paint(row string, now *style) {
	set := func(s style) {
		if *now != s && p.Colour && *now != plain {
			p.text.WriteString("\x1b[0m")
		}
		*now = s
		if s != plain && p.Colour {
			p.text.WriteString("\x1b[" + string(s) + "m")
		}
	}
	if begun := *now; begun != plain {
		*now = plain
		set(begun)
	}
	for _, r := range row {
		switch {
		case r == off:
			set(plain)
		case r > on && int(r-on) < len(styles):
			set(styles[r-on])
		case r >= ' ':
			p.text.WriteRune(r)
		}
	}
	if *now != plain && p.Colour {
		p.text.WriteString("\x1b[0m")
	}
	p.text.WriteByte('\n')
}

// trimRight takes the spaces at the end of a row, whatever styles end there.
func trimRight(row string) string {
	end := strings.TrimRightFunc(row, func(r rune) bool { return r <= ' ' })
	return end + strings.ReplaceAll(row[len(end):], " ", "")
}
