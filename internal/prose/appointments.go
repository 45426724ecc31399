package prose

import (
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// Appointment is a day and time at which the reader is expected.
type Appointment struct {
	// Words are the sentence on one line; it stands at text[Start:End].
	Words      string
	Start, End int
	Date       dates.Match // its offsets are in Words; it has a time
}

// Appointments returns the days and times at which a text confirms that its
// reader is expected, in order and at most 8: "your appointment is on Tue 3 March at
// 10:30", "Abflug: 03.03.2026 10:30". What is offered, asked, moved away or called
// off is none, nor are hours of business. Dates are counted from now, which is when
// the text was written.
func Appointments(text string, now time.Time) []Appointment {
	text = head(text, MaxText)
	var appointments []Appointment
	for _, s := range withLabels(Sentences(text)) {
		date, ok := appointmentOf(s.Text, now)
		if !ok {
			continue
		}
		appointments = append(appointments, Appointment{Words: s.Text, Start: s.Start, End: s.End, Date: date})
		if len(appointments) == maxLimits {
			break
		}
	}
	if len(appointments) > 0 && Advertises(text) {
		return nil
	}
	return appointments
}

func appointmentOf(s string, now time.Time) (dates.Match, bool) {
	if !strings.ContainsAny(s, "0123456789") || shouts(s) || strings.HasSuffix(s, "?") {
		return dates.Match{}, false
	}
	words := split(s)
	if !expected.has(words) || unsettled.has(words) || conditional(words) || anyOf(words, calledOff) && !stillOn.has(words) {
		return dates.Match{}, false
	}
	for _, m := range dates.Find(s, now) {
		if m.Day && !m.DateOnly && !repeats(s, m) && !beginning.Has(wordBeforeDate(s, m)) && !beginning.Has(firstOf(m)) {
			return m, true
		}
	}
	return dates.Match{}, false
}

func firstOf(m dates.Match) string { return text(split(m.Text), 0) }

// beginning words lead to a time from which on, or until when, something is.
var beginning = SetOf(`since after by until till before seit ab nach bis vor depuis après avant jusqu desde después hasta antes`)

var (
	// yours are the things at which one is expected, by the language.
	appointmentSets = map[string]Set{
		"thing": SetOf(`appointment appointments visit interview consultation checkup reservation table booking session meeting call flight train bus
			departure check lesson exam test viewing inspection slot arrival ferry tour transfer pickup class treatment vaccination surgery`),
		"ding": SetOf(`termin termine vorstellungsgespräch gespräch untersuchung reservierung tisch besichtigung prüfung behandlung impftermin impfung
			beratungsgespräch beratung flug zug fahrt bus abfahrt abflug besuch arzttermin kontrolltermin operation fahrstunde hinfahrt rückfahrt hinflug rückflug
			videotermin telefontermin sprechstunde terminbestätigung terminerinnerung terminvereinbarung`),
		"chose": SetOf(`rendez rdv entretien consultation réservation table visite vol train départ examen séance cours trajet bus ferry intervention créneau vaccination`),
		"cosa":  SetOf(`cita entrevista consulta reserva mesa visita vuelo tren salida examen sesión clase autobús ferry revisión reunión turno vacunación`),
		"set":   SetOf(`confirmed booked scheduled set arranged reserved fixed rescheduled moved`),
		"is":    SetOf(`is are s has been will be for on at`),
		"fest":  SetOf(`bestätigt gebucht vereinbart reserviert eingetragen vorgemerkt verschoben verlegt vergeben`),
	}
	// expected are the words by which a confirmation of a day and time is known.
	expected = phrases(appointmentSets, `
		# English
		your ... [thing]
		[thing] ... [set]
		[thing] {is} [set]
		^ appointment/appointments/departure/departs/interview/reservation/check/viewing
		appointment/interview/consultation/reservation/booking/viewing with/at/for/on/is
		confirm/confirms/confirmed/confirming/confirmation/remind/reminder ... [thing]
		[thing] confirmation/reminder
		look/looking forward to seeing/welcoming/meeting you
		expect/expecting you
		expected at/on
		see you on/at/tomorrow/monday/tuesday/wednesday/thursday/friday/saturday/sunday
		departs/departing/depart/departure/boarding
		scheduled for/on
		you are/re scheduled/booked/expected/invited
		# German
		ihr/ihren/ihrem/ihre/dein/deinen/deine/deinem ... [ding]
		^ [ding]
		[ding] ... [fest]
		bestätigen/bestätige/bestätigung/erinnern/erinnerung ... [ding]
		abfahrt/abflug/boarding/hinfahrt/rückfahrt/hinflug/rückflug
		erwarten/erwarte wir? ich? sie/dich
		freuen/freue uns/mich auf ihren/deinen/euren/sie/dich
		termin/termine am/um/für/bei/mit
		# French
		votre/ton/vos ... [chose]
		^ [chose]
		[chose] ... confirmé/confirmée/réservé/réservée/fixé/fixée/prévu/prévue/déplacé/reporté
		confirmons/confirme/rappelons/rappelle/rappel/confirmation ... [chose]
		nous vous attendons/attendrons
		vous êtes attendu/attendue/convoqué/convoquée
		départ
		# Spanish
		su/tu/sus/vuestra ... [cosa]
		^ [cosa]
		[cosa] ... confirmada/confirmado/reservada/programada/programado/fijada/prevista
		confirmamos/confirmar/recordamos/recuerde/recordatorio/confirmación ... [cosa]
		le/te/os esperamos
		salida/embarque
	`)
	// unsettled says that nothing is fixed yet, or of nobody in particular.
	unsettled = phrases(nil, `
		# English
		to make/book/schedule/arrange/request/reschedule/cancel an/your/a/this/the
		make/book/schedule/arrange/request an/a appointment/interview/meeting
		would/could/can/may/might/should you/we/i
		if/unless/whether
		please choose/select/suggest/propose/let
		suggest/propose/proposed/proposing/available/availability/hours/open/opening/closed
		every/each/daily/weekly
		webinar/conference/festival/show/live/workshop/seminar/offer/discount/tickets/party/launch
		join us
		declined/rejected/refused/denied/missed
		last/previous/past visit/appointment/session/call/meeting
		was/were on/at/held
		entfallen/abgelehnt/versäumt/letzter/letzten/war
		refusé/refusée/manqué/dernier/dernière/était
		rechazada/rechazado/última/último/fue
		received/sent/ordered/shipped/requested/created/posted/wrote/updated ... on/at
		# German
		termin ... vereinbaren/buchen/vorschlagen/absagen/verschieben
		öffnungszeiten/geöffnet/sprechzeiten/jeden/wenn/falls/könnten/können/vorschlag/angebot/rabatt/würde
		# French
		prendre/fixer/proposer/annuler/modifier ... rendez/rdv
		horaires/ouvert/chaque/proposons/propose/offre/soldes/pourrait/pourriez
		# Spanish
		pedir/concertar/cancelar/modificar/solicitar/proponer ... cita
		horario/horarios/abierto/cada/oferta/descuento/proponemos/podría/podrías
	`)
	// movedTo, with the day it was moved to, still stands; so does what may be
	// called off.
	movedTo = phrases(nil, `
		moved/rescheduled/postponed to/for
		verschoben/verlegt
		déplacé/reporté/déplacée/reportée
		aplazada/aplazado/cambiada/movida
	`)
	stillOn = movedTo
)
