package prose

// The words by which a limit is known from the other days that offices and
// machines write of.
var (
	dueLabels = SetOf(`due deadline frist fällig abgabe échéance vence límite limite plazo by until till before bis spätestens hasta antes avant vor date on am zum du
		le el del au plus tard than no later`)

	// dueBefore stand right before a date.
	dueBefore = tails(`
		# English
		due
		due date/on/by/no
		payment/invoice/balance/amount/rent/bill/fee/fees/premium/tax/return/report/assignment due
		deadline
		deadline is/for/on/to/date
		deadline ... is/on
		deadline for/to ...
		closing/cutoff/cut date/off
		submission/application/registration/payment/filing/renewal/response deadline/date
		pay/payable/paid by/before/until/on
		no later than
		not later than
		last day to/for/of ...
		last day
		applications/application/registration/registrations/submissions/nominations/entries/enrolment/enrollment/polls close/closes/end/ends on/at?
		renewal/renew date/on/by
		renews on
		return by/before
		# German
		frist
		frist endet/läuft/bis/am/ist/zum
		abgabefrist/zahlungsfrist/anmeldefrist/einreichungsfrist/bewerbungsfrist/kündigungsfrist/widerspruchsfrist/einspruchsfrist/rückmeldefrist/antwortfrist
		abgabefrist/zahlungsfrist/anmeldefrist/einreichungsfrist/bewerbungsfrist/rückmeldefrist ... am/bis/ist/der
		zahlungsziel/stichtag/abgabetermin/anmeldeschluss/einsendeschluss/bewerbungsschluss/annahmeschluss/fälligkeit/fälligkeitsdatum/zahlungstermin/abgabeschluss/fällig
		zahlungsziel/stichtag/abgabetermin/anmeldeschluss/einsendeschluss/bewerbungsschluss/fälligkeit/fälligkeitsdatum/zahlungstermin ist? am/der/bis/zum?
		frist für/zur/zum/der ...
		fällig am/zum/bis/ist/ab
		zahlbar/zahlen/einzureichen/abzugeben/vorzulegen/bezahlen/überweisen/begleichen bis/zum/spätestens/am
		spätestens am/bis/zum/den
		# French
		dû/dus le?
		échéance/limite
		échéance le/au/du/est/fixée
		date limite
		date limite ... le/au/est/fixée
		date limite de/d/pour/des ...
		à payer/régler/rendre/retourner/renvoyer/renouveler/déposer avant/le/au/pour/jusqu
		payable avant/le/au/jusqu
		au plus tard
		au plus tard le
		délai ... le/au/jusqu/est
		exigible le
		# Spanish
		fecha límite
		fecha límite ... es/el/hasta/de
		fecha límite de/para ...
		fecha de vencimiento/pago
		fecha de vencimiento/pago es/el
		vencimiento/vence/plazo/vencen
		vencimiento/vence/plazo/vencen el/es/hasta/del/finaliza
		plazo ... el/hasta/termina/finaliza/vence
		a más tardar
		a más tardar el
		pagar/pagadero/abonar antes/hasta/el
	`)
	// dueAfter stand right behind one: "am 30.11. fällig".
	dueAfter = phrases(nil, `
		fällig/zahlbar/zu
		fällig wird/werden
		at/is the? latest/deadline
		is the deadline/due
		läuft ... frist ab
		endet die frist
	`)
	// ofEvent behind a span counts it from what the text does not tell.
	ofEvent = phrases(nil, `
		after/of/from/following/nach/ab/seit/après/suivant/suivants/tras/después/desde/a
	`)
	// mustDo, with a date that is put as a limit, has the reader do something.
	mustDo = phrases(nil, `
		# English
		please/kindly ... pay/submit/return/renew/register/respond/reply/complete/confirm/sign/provide/send/upload/settle/remit/collect/pick/apply/file/update/make/ensure/arrange/transfer/contact/book/rsvp/fill/bring/hand/forward/verify/review
		must be? submitted/paid/returned/received/completed/renewed/signed/filed/registered/made/pay/submit/return/complete/renew/register/sign/file/reply/respond/arrive/apply/confirm
		need/needs/have/has/required/requested/asked/reminded to ... pay/submit/return/renew/register/respond/reply/complete/confirm/sign/provide/send/upload/settle/file/vote/update/be
		should/must/needs/shall ... be/reach/arrive
		to be paid/submitted/returned/received/completed/filed/handed
		you must/need/should/have
		has/have to be
		rsvp
		pay/submit/return/renew/register/respond/reply/complete/confirm/sign/file/apply/collect/vote ... by/before/until/no
		^ pay/submit/return/renew/register/respond/reply/complete/confirm/sign/upload/file/vote ... your/the/this/form/online/payment/to
		payment/payments/receipt/response/reply ... required/expected/requested/received
		# German
		bitte/bitten
		müssen/muss/sollte/sollten/ist/sind ... zahlen/bezahlen/überweisen/einreichen/abgeben/zurückgeben/erfolgen/eingehen/vorliegen/beantragen/verlängern/erneuern/unterschreiben/bezahlt/beglichen/eingereicht/zurückgesendet/sein/werden/abholen/anmelden/antworten/einzureichen/abzugeben/begleichen/zu/zahlbar/überwiesen
		zahlbar/einzureichen/abzugeben/vorzulegen/zurückzusenden/zurückzugeben/einzahlen/abzuholen
		zahlen/überweisen/begleichen/reichen/senden/schicken/melden/erneuern/verlängern/bestätigen/antworten/geben/unterschreiben/entrichten sie
		ist/sind ... *zulegen/zureichen/zugeben/zusenden/zuzahlen/zuholen/zumelden/zubringen/zutragen/zustellen/zunehmen
		anmeldung/bewerbung/einreichung/teilnahme/anmeldungen ... möglich
		haben sie/du
		hast du
		wir/ich bitten/bitte/erwarten
		um ... zahlung/überweisung/rückmeldung/antwort/einreichung/bestätigung/begleichung
		zahlung/rückmeldung/überweisung/anmeldung/antwort/rückgabe ... bis
		# French
		veuillez
		merci de/d
		prière de
		vous/tu devez/dois/êtes/avez/devrez
		doit/doivent/devra/devront être/nous/parvenir/arriver
		à payer/régler/rendre/retourner/renvoyer/renouveler/déposer/fournir/remettre/compléter/signer/transmettre
		payable/payables/exigible
		vous ... prions/demandons/invitons ... de/à/d
		réglez/payez/renvoyez/retournez/confirmez/répondez/renouvelez/complétez/inscrivez/déposez
		# Spanish
		por favor
		debe/deben/debes/deberá/deberán/tiene/tienes/tienen que?
		rogamos/ruego/solicitamos/recordamos
		ha/han de/que
		recuerde/recuerda/recuerden
		pague/abone/envíe/presente/renueve/confirme/complete/entregue/devuelva/firme/realice/recoja/responda
		a pagar/abonar/presentar/entregar/devolver
		pago/pagos ... antes/hasta
	`)
	// dueWords name what is owed at a date that is put as a limit.
	dueWords = phrases(nil, `
		due
		payable
		deadline
		overdue
		zahlbar/fällig/frist/fälligkeit
		échéance
		date limite
		fecha límite
		vencimiento/vence/pagadero
	`)
	// expires says that something ends.
	expires = phrases(nil, `
		expire/expires/expiring/expiry/expiration/expired
		runs/run/running out
		up for renewal
		will be? suspended/deactivated/deleted/closed/terminated/cancelled
		läuft/laufen ... ab/aus
		abläuft/ablaufen/ablaufdatum/ausläuft/gültig bis?
		endet/enden
		gekündigt/gesperrt/gelöscht
		expire/expirent/expirera/expireront/expiration
		arrive/arrivera/arrivent à échéance/expiration/terme
		prend/prendra fin
		caduca/caducan/caducará/vence/vencen/vencerá/expira/expiran/expirará/caducidad/finaliza
	`)
	// lasting things are missed when they have ended; fleeting ones are not.
	lasting = SetOf(`domain domains card contract registration certificate certificates subscription license licence passport visa insurance policy account
		membership password lease permit registrations hosting plan warranty mot booking token key credential credentials id
		vertrag verträge karte kreditkarte ausweis personalausweis reisepass pass domains zertifikat zertifikate versicherung abonnement abo mitgliedschaft konto
		passwort kennwort lizenz führerschein registrierung police genehmigung aufenthaltstitel parkausweis bankkarte girocard
		carte contrat domaine certificat assurance passeport permis compte licence adhésion titre bail visa identité
		tarjeta contrato dominio certificado suscripción seguro pasaporte licencia permiso cuenta carné carnet dni póliza contraseña membresía abono`)
	fleeting = SetOf(`offer offers coupon coupons code points discount deal deals voucher session link sale credit credits promotion promo trial gift miles
		angebot gutschein gutscheine rabatt aktion code punkte sitzung probezeit offre offres bon remise code promotion oferta ofertas cupón
		descuento puntos promoción código enlace sesión lien`)
	// selling words are of what is for sale.
	selling = SetOf(`sale sales discount discounts offer offers coupon coupons voucher vouchers promo promotion promotions deal deals save savings bargain
		bonus reward rewards giveaway prize prizes shipping delivery delivered shipped arrives arriving dispatch dispatched
		webinar concert festival tickets
		rabatt rabatte angebot angebote gutschein gutscheine aktion sonderangebot sparen gewinnspiel lieferung geliefert liefertermin zustellung
		zugestellt versand versandt
		remise soldes offre offres promo promotion livraison livré livrée livrés expédition réduction concours
		descuento descuentos oferta ofertas cupón promoción rebajas envío entregado entregaremos sorteo`)
	// offers are what is sold in more words than one.
	offers = phrases(nil, `
		valid until/till/through/thru/from
		gültig bis/vom
		^ nur noch bis
		valable jusqu
		válido/válida hasta
		free/buy/shop/order
		percent/cent off
		open/opens until/from
		geöffnet
		available until
		copyright
	`)
	// noLimits are what is over, or what the writer undertakes.
	noLimits = phrases(nil, `
		# English
		was/were/been paid/due/received/submitted/extended
		has/have been paid/received/extended/renewed/processed
		already paid/submitted/renewed
		i ll/will/shall/can/hope/expect/plan/aim/should/need/must/have/am/m
		we ll/will/shall/hope/expect/plan/aim ... send/reply/respond/be/get/deliver/ship/contact/call/refund/process/review/let/finish
		will be delivered/shipped/refunded/credited/sent/available/automatically/back
		automatically renew/renews/renewed
		renew/renews/renewed automatically
		no payment/action ... due/required/needed/necessary
		nothing ... due
		out of office
		# German
		ist/wurde/sind/wurden ... bezahlt/eingegangen/beglichen/verlängert/überwiesen
		vielen dank für ihre/deine zahlung
		wir/ich werden/werde/melden/melde/senden/sende/liefern/antworten
		verlängert sich ... automatisch
		# French
		a été payé/payée/reçu/reçue/réglé/réglée/prolongé
		nous vous? enverrons/livrerons/répondrons/contacterons/reviendrons
		j enverrai/répondrai
		# Spanish
		ha sido pagado/pagada/recibido/renovado
		hemos recibido
		le/te/les enviaremos/entregaremos/responderemos/contactaremos
		not/isn/aren due/required/necessary
		if/wenn/falls/si/sollte/sollten ... paid/bezahlt/payé/pagado
	`)
)
