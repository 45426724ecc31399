package prose

// forms are how promises are put, and the lists of their phrases behind the name of a
// language.
var forms = []struct {
	list    string
	reading reading
}{
	{"vow", reading{form: Vow}}, {"vowDated", reading{form: Vow, dated: true}}, {"duty", reading{form: Duty, dated: true}},
	{"reminder", reading{form: Reminder}}, {"reminderDated", reading{form: Reminder, dated: true}},
}

// formsOf is the grammar of a language whose promises are phrases.
func formsOf(name string) grammar {
	never := listed(name + ".never")
	books := make([]phrasebook, len(forms))
	for i, f := range forms {
		books[i] = phrases(name + "." + f.list)
	}
	return func(words []word) (reading, bool) {
		for i, f := range forms {
			from, _, ok := books[i].find(words)
			if !ok {
				continue
			}
			r := f.reading
			r.word = from
			if !opens(words, from) { // "on Friday I will …"
				r.led, r.dated = true, true
			}
			return r, !conditional(words) && (r.form == Reminder || !anyOf(words, never))
		}
		return reading{}, false
	}
}
