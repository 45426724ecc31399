package prose

// changesSentences is how many sentences of a text are looked at for a change.
const changesSentences = 6

// Changes reports whether a text says, in its first sentences, that something
// that was agreed is off, moved or put off: "I can't make it", "fällt aus", "est
// reporté", "no puedo ir". Call it on a subject as well.
func Changes(text string) bool {
	all := Sentences(text)
	for _, s := range all[:min(len(all), changesSentences)] {
		words := split(s.Text)
		if from, _, ok := changing.find(words); ok && !quoted(s.Text, words[from].start) {
			return !Advertises(text)
		}
	}
	return false
}

// changing words and phrases say that what was agreed is not so any more.
var changing = phrases(nil, `
	# English
	cancelled/canceled/cancelling/canceling/cancel
	postponed/rescheduled/reschedule/moved to/from
	called off
	can t make it/today/tonight/tomorrow/come
	cannot make it/today/tonight/tomorrow/come
	won t make it/be able
	not able to come/make
	have/has to cancel/move/postpone
	instead of
	change of plan/plans
	running late
	new time/room/place/date
	# German
	abgesagt/absagen/verschoben/verschieben/verlegt/vorverlegt
	fällt/fallen ... aus
	muss/müssen ... absagen/verschieben/verlegen
	schaffe/schaffen es nicht
	kann/können ... nicht kommen/dabei
	neuer termin/raum/ort
	neue zeit/uhrzeit
	verspäte/verspätet/verspätung
	# French
	annulé/annulée/annulés/annulées/annuler
	reporté/reportée/reportés/reportées/décalé/décalée/déplacé/déplacée/avancé/avancée
	ne peux/pourrai pas venir/être
	empêché/empêchée
	nouvelle heure/salle/date
	nouvel horaire
	# Spanish
	cancelado/cancelada/cancelar/anulado/anulada/suspendido/suspendida
	aplazado/aplazada/aplazar/pospuesto/pospuesta
	cambiado/cambiada/cambiamos/cambio de hora/sala/fecha/planes
	adelantado/adelantada/retrasado/retrasada
	no puedo/podré/podemos ir/venir/llegar
	no voy a poder
	nueva hora/sala/fecha
`)
