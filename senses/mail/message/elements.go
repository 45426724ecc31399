package message

import "golang.org/x/net/html/atom"

// inert are elements whose text is not shown.
func inert(tag atom.Atom) bool {
	switch tag {
	case atom.Head, atom.Svg, atom.Math, atom.Template, atom.Audio, atom.Video, atom.Canvas, atom.Select:
		return true
	}
	return rawText(tag)
}

// rawText are those among them of which the tokenizer makes one text.
func rawText(tag atom.Atom) bool {
	switch tag {
	case atom.Style, atom.Script, atom.Title, atom.Iframe, atom.Noembed, atom.Noframes, atom.Textarea:
		return true
	}
	return false
}

func void(tag atom.Atom) bool {
	switch tag {
	case atom.Meta, atom.Link, atom.Base, atom.Input, atom.Area, atom.Col, atom.Wbr, atom.Embed, atom.Source, atom.Track, atom.Param, atom.Basefont, atom.Bgsound:
		return true
	}
	return false
}

// barrier are elements that an end tag from within does not close.
func barrier(tag atom.Atom) bool {
	return tag == atom.Table || tag == atom.Td || tag == atom.Th || tag == atom.Body || tag == atom.Html
}

func closesParagraph(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Table, atom.Ul, atom.Ol, atom.Dl, atom.Pre, atom.Blockquote, atom.Center, atom.Form, atom.Hr,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Fieldset, atom.Address:
		return true
	}
	return false
}
