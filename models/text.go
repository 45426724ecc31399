package models

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// maxWords bounds the text of an error that is made here, in bytes.
const maxWords = 500

// line makes one line of text, and clips it.
func line(text string, limit int) string {
	return subconscious.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(subconscious.Clip(text, 4*limit), "�")), " "), limit)
}
