package prose

import "strings"

// urgentSentences is how many sentences of a text may say that it is urgent.
const urgentSentences = 3

// Urgent reports whether a text says of itself, in its first three sentences,
// that it will not wait: "urgent", "asap", "eilt", "dès que possible", "by end of
// day". Call it on a subject as well. What shouts or advertises is not urgent,
// whatever it says.
func Urgent(text string) bool {
	all := Sentences(text)
	said := false
	for _, s := range all[:min(len(all), urgentSentences)] {
		words := split(s.Text)
		if from, _, ok := pressing.find(words); ok && !relaxed.has(words) && !shouts(s.Text) && !quoted(s.Text, words[from].start) && !inAddress(s.Text, words[from].start) {
			said = true
			break
		}
	}
	return said && !Advertises(text)
}

var (
	// pressing words and phrases cannot wait.
	pressing = phrases(nil, `
		# English
		urgent/urgently/asap
		as soon as possible/humanly
		as soon as you can
		by/before/until eod/cob/eob/tonight
		eod/cob today
		today eod/cob
		by/before/until the? end of the? day/today/business
		by/before close of business
		by/before/until today
		by/before/until noon/midnight today
		time sensitive/critical
		need/needs/needed/required/require ... immediately/today/now/tonight
		immediate action/attention/response/reply
		top/high priority
		emergency
		# German
		dringend/dringende/dringender/dringendes/dringenden/eilt/eilig/eilige/eiliges/eilsache
		so schnell/bald wie/als möglich
		schnellstmöglich/baldmöglichst/umgehend/unverzüglich/schnellstens
		noch heute
		bis/vor heute
		bis feierabend/dienstschluss/geschäftsschluss
		sofort bitte
		bitte ... sofort/umgehend
		# French, Spanish
		urgent/urgente/urgence/urgentes/urgents
		dès que possible
		au plus vite/tôt
		le plus vite/rapidement/tôt possible
		aujourd hui même
		avant ce soir
		d ici ce soir
		sans délai/attendre/tarder
		immédiatement
		lo antes posible
		lo más pronto/rápido posible
		cuanto antes
		de inmediato
		hoy mismo
		antes de hoy
		urgencia/urgentemente
	`)
	// relaxed takes that back, or says it of what the writer does.
	relaxed = phrases(nil, `
		# it can wait
		not/isn/nothing/never/no/less/non t? that/so/too/very/really/super/at? all? urgent/asap/emergency/rush/pressing/hurry
		no/not an emergency
		no/not in? a? rush/hurry
		nicht so/sehr/ganz/wirklich? dringend/eilig
		nicht dringend/eilig
		eilt nicht
		pas très/si/trop/du? urgent
		pas d? urgent/urgence
		rien d? urgent
		no es/corre/tan urgente/prisa
		nada urgente
		sin prisa/urgencia
		# the writer will hurry
		i/we/they/he/she ll/will/shall/would/can ... as/asap/immediately
		you ll/will ... as soon
		get back to you
		ich/wir melde/melden/werde/werden/antworte/antworten/kümmern/kümmere
		wird ... umgehend/schnellstmöglich
		nous vous? répondrons/reviendrons/traiterons/contacterons
		je te/vous réponds/répondrai/rappelle/reviens
		le/te responderemos/contactaremos/atenderemos
		# swindles
		confidential/proposal/assistance/beneficiary
		urgent business/matter/relationship
		emergency room/exit/number/contact/services/kit/landing
	`)
)

// inAddress reports whether the word at pos is part of an address.
func inAddress(s string, pos int) bool {
	return pos > 0 && strings.IndexByte("@./", s[pos-1]) >= 0
}
