package notes

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

var (
	struck     = lazy.Regexp(`~~[^~]*~~`)
	image      = lazy.Regexp(`!\[[^\]\n]*\]\([^)\s]*\)`)
	inlineLink = lazy.Regexp(`\[([^\[\]\n]+)\]\([^()\s]*\)`)
	wikiLink   = lazy.Regexp(`\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]`)
	htmlNote   = lazy.Regexp(`<!--.*?-->`)
	emphasis   = lazy.Regexp(`(^|[\s("'“])(?:\*{1,3}|_{1,3})([^\s*_](?:[^*_]*[^\s*_])?)(?:\*{1,3}|_{1,3})`)
)

// plainText takes the marks of markdown off a text. What was struck through is
// no longer there.
func plainText(text string) string {
	if strings.Contains(text, "~~") {
		text = struck().ReplaceAllString(text, " ")
	}
	if strings.Contains(text, "<!--") {
		text = htmlNote().ReplaceAllString(text, " ")
	}
	if strings.ContainsAny(text, "[") {
		text = image().ReplaceAllString(text, " ")
		text = inlineLink().ReplaceAllString(text, "$1")
		text = wikiLink().ReplaceAllString(text, "$1")
	}
	if strings.ContainsAny(text, "*_") {
		text = emphasis().ReplaceAllString(text, "$1$2")
	}
	return text
}

// title returns one line a person would recognise as their own.
func title(text string) string {
	text = strings.ReplaceAll(text, "`", "")
	text = strings.Join(strings.Fields(subconscious.Printable(text)), " ")
	text = strings.TrimLeft(text, "-*+•>#|:;,. ")
	return strings.TrimRight(text, " .,;:|-–!")
}

// doneWord marks a line whose matter is over.
var (
	doneBefore = lazy.Regexp(`^(?i:done|erledigt|fertig|fait|hecho|terminé|listo|fatto|feito)\s*[:\-–—]|` +
		`^(?:DONE|PAID|SENT|ERLEDIGT|BEZAHLT|ABGEGEBEN|FAIT|RENDU|HECHO|PAGADO|ENTREGADO|FATTO|PAGATO|CONSEGNATO|FEITO|PAGO|ENTREGUE)\b|^[✅✔✓☑]`)
	doneAfter = lazy.Regexp(`(?i:[(\[](?:done|erledigt|fait|hecho|fatto|feito)[)\]]|[-–—:,;.!]\s*(?:done|erledigt|fait|hecho|fatto|feito)|#done)[.!]?$|[✅✔✓☑]\s*(?:\d{4}-\d\d-\d\d)?$`)
)

func isDone(text string) bool {
	text = strings.TrimSpace(text)
	return doneBefore().MatchString(text) || doneAfter().MatchString(text)
}
