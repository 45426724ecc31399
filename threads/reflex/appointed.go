package reflex

import (
	"slices"
	"strings"
	"unicode"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Words by which people call appointments that cannot be made up for: with
// doctors and offices, exams, journeys, weddings and funerals, in English,
// German, French and Spanish. Meetings, courses and outings are none.
var (
	appointed = wordSet(`
		dentist doctor dr clinic hospital surgery vet therapist physio checkup check-up vaccination pediatrician paediatrician
		bank notary lawyer solicitor court hearing tax accountant embassy consulate visa passport exam exams viva defence defense
		interview flight train ferry airport departure appointment viewing handover funeral wedding
		zahnarzt arzt ärztin klinik krankenhaus tierarzt kinderarzt physiotherapie impfung untersuchung notar anwalt anwältin gericht
		steuerberater steuerberaterin finanzamt bürgeramt standesamt konsulat botschaft visum prüfung klausur verteidigung
		vorstellungsgespräch flug zug fähre abflug abfahrt termin besichtigung übergabe beerdigung hochzeit
		dentiste médecin docteur clinique hôpital vétérinaire kiné vaccin pédiatre banque notaire avocat avocate tribunal fiduciaire
		comptable impôts préfecture consulat ambassade passeport examen examens partiel partiels concours oral soutenance entretien
		vol avion train départ rendez-vous rdv visite enterrement mariage
		dentista médico médica pediatra clínica hospital veterinario vacuna banco notario notaría abogado abogada juicio gestoría
		hacienda consulado embajada visado pasaporte examen exámenes entrevista vuelo tren salida cita boda entierro`)
	// appointedEnds are the second parts of German words.
	appointedEnds = []string{"arzt", "ärztin", "prüfung", "klausur", "termin", "gespräch", "untersuchung", "amt", "flug", "gericht"}
)

// mustBeKept reports whether a person would want to be reminded of an event: it
// is called like an appointment, does not come again within weeks, and they take
// part for certain.
func (s *scene) mustBeKept(o subconscious.Observation) bool {
	if !sure(o) || !takesTime(o) || s.routine(o) {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(s.eventName(o)), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '-'
	})
	return slices.ContainsFunc(words, func(word string) bool {
		return appointed[word] || slices.ContainsFunc(appointedEnds, func(end string) bool {
			return len(word) > len(end)+2 && strings.HasSuffix(word, end)
		})
	})
}
