package prose

import "strings"

var (
	frenchNot     = SetOf(`ne n jamais peut probablement sûrement`)
	frenchPronoun = SetOf(`le la les l lui leur me m te t vous nous y en s se`)
	frenchFilling = SetOf(`aussi bien vite donc encore alors maintenant bientôt tout de suite`)
	frenchNever   = SetOf(`serai aurai pourrai saurai voudrai verrai vrai mourrai être avoir`)
)

// french reads "je vais envoyer …", "j'enverrai …", "je dois … d'ici …",
// "rappelle-moi de …".
func french(words []word) (reading, bool) {
	for i, w := range words {
		if w.pause && i > 0 && conditions.Has(words[0].text) {
			return reading{}, false
		}
		if !opens(words, i) && !(w.text == "je" || w.text == "j") {
			continue
		}
		r, ok := frenchForm(words, i)
		if !ok {
			continue
		}
		if conditional(words) || r.form != Reminder && anyOf(words, frenchNot) {
			return reading{}, false
		}
		r.word = i
		if !opens(words, i) {
			r.led, r.dated = true, true
		}
		return r, true
	}
	return reading{}, false
}

func frenchForm(words []word, i int) (reading, bool) {
	duties := reading{form: Duty, dated: true}
	switch {
	case at(words, i, "je", "vais"):
		j := i + 2
		for frenchPronoun.Has(text(words, j)) || frenchFilling.Has(text(words, j)) {
			j++
		}
		verb := text(words, j)
		return reading{form: Vow}, infinitive(verb, "er", "ir", "re", "oir") && !frenchNever.Has(verb)
	case at(words, i, "je", "dois"), at(words, i, "nous", "devons"), at(words, i, "on", "doit"), at(words, i, "il", "faut"), at(words, i, "il", "me", "faut"),
		i == 0 && at(words, i, "faut"), i == 0 && at(words, i, "dois"):
		return duties, true
	case at(words, i, "je", "m", "engage"), at(words, i, "je", "m", "occupe"):
		return reading{form: Vow}, true
	case at(words, i, "je"), at(words, i, "j"):
		j := i + 1
		for frenchPronoun.Has(text(words, j)) {
			j++
		}
		verb := text(words, j)
		return reading{form: Vow}, strings.HasSuffix(verb, "rai") && len(verb) > 4 && !frenchNever.Has(verb)
	case at(words, i, "rappelle", "moi"), at(words, i, "rappelez", "moi"), at(words, i, "rappeler", "moi"):
		return reading{form: Reminder}, len(words) > i+2
	case at(words, i, "n", "oublie", "pas"), at(words, i, "ne", "pas", "oublier"), i == 0 && at(words, i, "penser", "a"):
		return reading{form: Reminder}, len(words) > i+3
	}
	return reading{}, false
}

// infinitive reports whether a verb has one of the endings.
func infinitive(verb string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(verb, e) && len(verb) > len(e) {
			return true
		}
	}
	return false
}

var (
	spanishNot     = SetOf(`no nunca jamás quizá quizás probablemente tal`)
	spanishPronoun = SetOf(`lo la le los las les me te se nos os`)
	spanishNever   = SetOf(`seré estaré tendré habré sabré podré querré ser estar tener haber`)
	spanishMark    = SetOf(`el los las del para con lo mi al una mañana hoy antes por yo`)
	// spanishPast are verbs whose past looks like another one's future.
	spanishPast = listed("spanishPast")
)

// spanish reads "voy a enviar …", "enviaré …", "tengo que … antes del …",
// "recuérdame …".
func spanish(words []word) (reading, bool) {
	for i := range words {
		if i > 0 && !opens(words, i) && !at(words, i, "voy", "a") && !at(words, i, "tengo", "que") {
			continue
		}
		r, ok := spanishForm(words, i)
		if !ok {
			continue
		}
		if conditional(words) || r.form != Reminder && (anyOf(words, spanishNot) || at(words, 0, "si")) {
			return reading{}, false
		}
		r.word = i
		if i > 0 && !opens(words, i) && !(i == 1 && words[0].text == "yo") {
			r.led, r.dated = true, true
		}
		return r, true
	}
	return reading{}, false
}

func spanishForm(words []word, i int) (reading, bool) {
	j := i
	if at(words, j, "yo") {
		j++
	}
	for spanishPronoun.Has(text(words, j)) {
		j++
	}
	switch {
	case at(words, j, "voy", "a"):
		verb := text(words, j+2)
		return reading{form: Vow}, spanishInfinitive(verb) && !spanishNever.Has(verb)
	case at(words, j, "tengo", "que"), at(words, j, "tenemos", "que"), at(words, j, "hay", "que"), at(words, j, "he", "de"),
		at(words, j, "debo"), at(words, j, "debemos"), at(words, j, "necesito"):
		return reading{form: Duty, dated: true}, true
	case at(words, j, "me", "comprometo", "a"), at(words, j, "prometo"):
		return reading{form: Vow}, true
	case at(words, i, "recuerdame"), at(words, i, "recordarme"), at(words, i, "no", "olvidar"), at(words, i, "no", "olvides"), at(words, i, "acordarme", "de"):
		return reading{form: Reminder}, len(words) > i+2
	case j < len(words) && words[j].accent:
		verb := words[j].text
		future := infinitive(verb, "are", "ere", "ire", "dre", "bre", "rre") || verb == "hare" || verb == "dire"
		return reading{form: Vow}, future && len(verb) > 3 && !spanishPast.Has(verb) && !spanishNever.Has(verb) && anyOf(words, spanishMark)
	}
	return reading{}, false
}

// romanceInfinitive knows the endings of French, Spanish, Italian and Portuguese.
func romanceInfinitive(verb string) bool {
	return len(verb) >= shortestEnding && (spanishInfinitive(verb) || infinitive(verb, "re", "rlo", "rla", "rgli", "rli", "rle", "rmi", "rti", "rci"))
}

// spanishInfinitive knows the pronouns that may hang on a verb: enviarlo.
func spanishInfinitive(verb string) bool {
	for range 2 {
		for _, p := range []string{"los", "las", "les", "nos", "lo", "la", "le", "me", "te", "se"} {
			if v, ok := strings.CutSuffix(verb, p); ok && infinitive(v, "ar", "er", "ir") {
				verb = v
				break
			}
		}
	}
	return infinitive(verb, "ar", "er", "ir")
}
