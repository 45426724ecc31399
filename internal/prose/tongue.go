package prose

import "github.com/subconsciousd/subconsciousd/internal/dates"

// The languages, as indices.
const (
	englishTongue = iota
	germanTongue
	frenchTongue
	spanishTongue
)

// commonWords are the small words by which a sentence's language is known.
var commonWords = []Set{
	englishTongue: SetOf(`the a an is are was were you your i we to of and for it that this these do does did have had at on in with my me us
		can could would should will be by if from how when what where which any please let know not or our about there they he she m s t ll ve re`),
	germanTongue: SetOf(`der die das den dem des ein eine einen einem einer und ist sind war ich du sie wir ihr mir mich dir dich ihnen euch uns nicht zu zum zur mit
		für am im um bitte es dass wenn wann was wie wo auf von bei haben hast habt kannst können könnten ihre ihren ihrer dein deine noch hat an oder
		so schon wer soll passt kommst`),
	frenchTongue: SetOf(`le la les un une des de du et est vous tu te je j nous il elle on ne n pas que qu qui pour avec dans ce cette votre vos ton ta tes moi me
		m à au aux s plaît merci ou quand où sur en d l y a ça si es sont avez êtes`),
	spanishTongue: SetOf(`el la los las un una de del y es que por para con se su sus tu tus te me le lo les no en al usted qué cómo cuándo cuál dónde gracias favor nos
		está estás a si ha has he ya más tiene tienes puede puedes podrías`),
}

// tongues returns the languages in which a sentence may be written: those whose
// small words are most in it.
func tongues(words []word) []int {
	var count [4]int
	most := 0
	for _, w := range words {
		for i, common := range commonWords {
			if common.Has(w.text) {
				count[i]++
				most = max(most, count[i])
			}
		}
	}
	out := make([]int, 0, len(count))
	for i, n := range count {
		if n == most {
			out = append(out, i)
		}
	}
	return out
}

// germanDays begin a date behind the German "du", which is the "of the" of a
// French one.
var germanDays = SetOf(`am bis heute morgen übermorgen montag dienstag mittwoch donnerstag freitag samstag sonntag nächste nächsten kommende
	kommenden diese diesen um gegen in zum vor`)

// reckoned reports whether a date is that of something else ("your letter of 3
// March"), or from which on something is.
func reckoned(s string, m dates.Match) bool {
	if !since(s, m) {
		return false
	}
	first := split(m.Text)
	if len(first) > 1 && first[0].text == "du" {
		return !germanDays.Has(first[1].text)
	}
	return len(first) == 0 || wordBeforeDate(s, m) != "du" || !germanDays.Has(first[0].text)
}
