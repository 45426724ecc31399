// Package unseen knows characters that are letters, marks or symbols, and are
// not drawn, or look like a space. Whoever shows a text to be approved, or takes
// one, asks it beside unicode.IsPrint, which holds them for printable. What both
// programs print goes through its Writer, so that nothing from outside is obeyed
// by a terminal. It stores nothing.
package unseen

// Is reports whether a character that unicode.IsPrint lets through cannot be
// seen: fillers of Hangul, vowels of Khmer that have no form, the joiner of
// graphemes, selectors of variations, the empty pattern of Braille, the empty
// head of a note. The source is the property Default_Ignorable_Code_Point of
// Unicode, with the two that are drawn as nothing at all.
func Is(r rune) bool {
	return r == 0x034f || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f ||
		r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x17b4 || r == 0x17b5 || r == 0x2800 || r == 0x1d159
}
