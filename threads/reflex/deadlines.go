package reflex

import (
	"regexp"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// deadlines are taken in when they are first written, whatever their date, and
// again in each band of time.
func deadlines(s *scene) (out []noticed) {
	for _, o := range s.news {
		if !o.Stands() || o.Due.IsZero() || o.Sense == "calendar" || o.Sense == "health" {
			continue
		}
		importance, lead, reason := 4, "Due", ""
		switch subconscious.TimeBand(o.Due, s.at) {
		case subconscious.Band72h:
			importance = 5
		case subconscious.Band24h:
			importance, reason = 6, "it is due within a day"
		case subconscious.Band2h:
			importance, reason = 7, "it is due within two hours"
		case subconscious.Band15m, subconscious.BandNow:
			importance = 8
			if !o.BandOnly { // else it was wished two hours before
				reason = "it is due now"
			}
		case subconscious.BandPast:
			importance, lead, reason = 6, "Overdue since", "its time has passed, and it is still open"
			if s.at.Sub(o.Due) > 24*time.Hour {
				importance, reason = 5, ""
			}
		}
		dateText := o.Attrs["date_text"]
		out = append(out, notice(subconscious.KindDeadline, importance,
			say("%s %s: %s", lead, s.dueWords(o, dateText), prose(withoutDate(o.Title, dateText))), o).until(o.Due).tell(reason))
	}
	return out
}

// dayEnd is the hour at which what names a day and no time is due.
const dayEnd = 18

var timeOfDay = regexp.MustCompile(`(?i)\b18\b|\b6 ?p|\b6:00|\bsix\b|\bsechs\b|\bseis\b`)

// dueWords is the day alone where nobody wrote a time of day.
func (s *scene) dueWords(o subconscious.Observation, dateText string) string {
	if dateText == "" {
		dateText = o.Title
	}
	if s.clock(o.Due) == time.Date(1, 1, 1, dayEnd, 0, 0, 0, time.UTC).Format(clockLayout) && !timeOfDay.MatchString(dateText) {
		return s.day(o.Due)
	}
	return s.when(o.Due)
}

func deadlineOver(s *scene, e subconscious.Entry) bool {
	o, ok := s.one(e)
	return ok && o.Due.IsZero()
}

// leadingWords introduce a date, and mean nothing without it.
var leadingWords = wordSet(`by until till before on at due in for the this next bis zum zur am vor spätestens fällig im ab
	avant pour le la au d'ici jusqu'au jusqu'à dès antes del de el para hasta a en`)

// withoutDate leaves the date out of what was promised, for it is said before.
func withoutDate(title, dateText string) string {
	i := strings.LastIndex(title, dateText)
	if dateText == "" || i < 0 {
		return title
	}
	first := strings.Fields(strings.TrimRight(title[:i], " ,.;:–-("))
	for len(first) > 1 && leadingWords[strings.ToLower(strings.Trim(first[len(first)-1], ".:,("))] {
		first = first[:len(first)-1]
	}
	rest := strings.TrimLeft(title[i+len(dateText):], " ,.;:–-)")
	text := strings.TrimRight(strings.Join(first, " "), " ,.;:–-(")
	if rest != "" {
		text += " " + rest
	}
	if text = strings.TrimSpace(text); len(strings.Fields(text)) == 0 {
		return title
	}
	return text
}
