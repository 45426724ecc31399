package prose

import "strings"

// german reads "Ich werde …", "Ich schicke … bis Freitag", "muss … bis",
// "bis Freitag schicke ich", "erinnere mich an …".
func german(words []word) (reading, bool) {
	r, ok := germanForm(words)
	if !ok || conditional(words) || anyOf(words, "germanNot") {
		return reading{}, false
	}
	for i, w := range words {
		if w.text == "nicht" && text(words, i+1) != "vergessen" {
			return reading{}, false
		}
	}
	return r, true
}

func germanForm(words []word) (reading, bool) {
	for i, w := range words {
		next := text(words, i+1)
		switch {
		case w.text == "ich" && opens(words, i):
			return germanOwn(words, i, next)
		case next == "ich" && i > 0 && i <= 8 && !w.pause && (w.text == "werde" || is(w.text, "germanModal") || is(w.text, "germanDoing")):
			r, ok := germanOwn(words, i, w.text)
			r.led, r.dated = true, true
			return r, ok
		case w.text == "wir" && opens(words, i) && (next == "mussen" || next == "werden" && germanInfinitive(words[i:])):
			return reading{form: Duty, word: i, dated: true}, true
		case i == 0 && w.text == "muss":
			return reading{form: Duty, dated: true}, true
		case (w.text == "erinnere" || w.text == "erinner") && next == "mich" && opens(words, i):
			return reading{form: Reminder, word: i}, true
		case i == 0 && (startsWith(words, "denk", "daran") || startsWith(words, "denk", "dran") || startsWith(words, "daran", "denken") || startsWith(words, "nicht", "vergessen")):
			return reading{form: Reminder}, len(words) > 2
		}
	}
	return reading{}, false
}

// germanOwn reads the verb of "ich"; i is where the clause begins.
func germanOwn(words []word, i int, verb string) (reading, bool) {
	switch {
	case verb == "werde":
		return reading{form: Vow, word: i}, germanInfinitive(words[i:])
	case is(verb, "germanModal"):
		return reading{form: Duty, word: i, dated: true}, true
	case is(verb, "germanWish"):
		return reading{form: Duty, word: i, dated: true, limited: true}, true
	case verb == "verspreche", verb == "kummere" && text(words, i+2) == "mich":
		return reading{form: Vow, word: i}, true
	case is(verb, "germanDoing"):
		return reading{form: Vow, word: i, dated: true}, true
	case strings.HasSuffix(verb, "e") && !strings.HasSuffix(verb, "te") && len(verb) > 3 && !is(verb, "germanBeing"):
		return reading{form: Vow, word: i, dated: true, limited: true}, true
	}
	return reading{}, false
}

// germanInfinitive reports whether a clause ends in an infinitive, which tells
// "ich werde … schicken" from "ich werde krank".
func germanInfinitive(clause []word) bool {
	last := ""
	for i, w := range clause {
		if i > 1 && w.pause && last != "" && len(last) > 3 && strings.HasSuffix(last, "n") {
			break
		}
		last = w.text
	}
	return len(last) > 3 && strings.HasSuffix(last, "n") && last != "morgen" && last != "wochen" && last != "tagen" && last != "werden" && last != "sein" && last != "haben"
}
