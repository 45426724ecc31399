package prose

var (
	// englishNot follows "I will" where nothing is promised.
	englishNot    = listed("englishNot")
	englishAdverb = SetOf(`also now then definitely certainly surely just quickly personally still gladly happily soon definitively try to`)
	englishThing  = SetOf(`it the a this that them my everything all your our these those`)
)

// english reads "I will …", "I need to … by …", "remind me to …".
func english(words []word) (reading, bool) {
	for i, w := range words {
		switch w.text {
		case "i", "we", "will", "need", "must", "have", "gotta", "remind", "remember", "don", "promise":
		default:
			continue
		}
		if !opens(words, i) && !(w.text == "i" && i <= 5) {
			continue
		}
		r, next := englishForm(words, i)
		if r.form == "" {
			continue
		}
		if conditional(words) || !englishVerb(words, next) {
			return reading{}, false
		}
		r.word = i
		if !opens(words, i) { // "on Friday I will …"
			r.led, r.dated = true, true
		}
		if at(words, next, "be") || at(words, next, "have") {
			r.dated = true
		}
		return r, true
	}
	return reading{}, false
}

// englishForm returns the form that begins at word i, and its verb.
func englishForm(words []word, i int) (r reading, verb int) {
	must := reading{form: Duty, dated: true}
	own := at(words, i, "i")
	j := i + 1
	if own && englishAdverb.Has(text(words, j)) && text(words, j) != "to" {
		j++
	}
	switch {
	case own && (at(words, j, "will") || at(words, j, "ll") || at(words, j, "shall") || at(words, j, "gonna")):
		return reading{form: Vow}, j + 1
	case own && (at(words, j, "am", "going", "to") || at(words, j, "m", "going", "to")):
		return reading{form: Vow}, j + 3
	case own && at(words, j, "m", "gonna"):
		return reading{form: Vow}, j + 2
	case own && at(words, j, "promise", "to"):
		return reading{form: Vow}, j + 2
	case at(words, i, "we", "will"), at(words, i, "we", "ll"):
		return reading{form: Vow, dated: true}, i + 2
	case (own || at(words, i, "we")) && (at(words, j, "need", "to") || at(words, j, "have", "to") || at(words, j, "got", "to")):
		return must, j + 2
	case own && at(words, j, "ve", "got", "to"):
		return must, j + 3
	case (own || at(words, i, "we")) && at(words, j, "must"), own && at(words, j, "gotta"):
		return must, j + 1
	case i == 0 && (at(words, 0, "need", "to") || at(words, 0, "have", "to")):
		return must, 2
	case i == 0 && (at(words, 0, "must") || at(words, 0, "gotta") || at(words, 0, "will")):
		return must, 1
	case at(words, i, "remind", "me", "to"), at(words, i, "remind", "me", "about"), at(words, i, "remind", "me", "of"):
		return reading{form: Reminder}, i + 3
	case i == 0 && at(words, i, "remind", "me"):
		return reading{form: Reminder, dated: true}, i + 2
	case i == 0 && at(words, i, "remember", "to"):
		return reading{form: Reminder}, i + 2
	case at(words, i, "don", "t", "forget", "to"), at(words, i, "don", "t", "forget", "about"):
		return reading{form: Reminder}, i + 4
	}
	return reading{}, 0
}

// englishVerb reports whether the verb at word i is one of doing.
func englishVerb(words []word, i int) bool {
	for englishAdverb.Has(text(words, i)) {
		i++
	}
	verb := text(words, i)
	switch {
	case verb == "" || englishNot.Has(verb):
		return false
	case verb == "see":
		return at(words, i+1, "to", "it") || at(words, i+1, "if") || at(words, i+1, "whether")
	case verb == "be":
		next := text(words, i+1)
		return len(next) > 4 && next[len(next)-3:] == "ing"
	case verb == "have":
		return englishThing.Has(text(words, i+1))
	}
	return true
}
