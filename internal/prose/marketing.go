package prose

// advertising are phrases of those who sell to everybody, and of those who write
// to swindle. One of strong, or adverts of the others, make an advertisement of a
// text.
const adverts = 3

var (
	// marketing in a sentence makes it one that is meant for nobody.
	marketing = phrases(nil, `
		click/klicken/klick/cliquez/cliquer/clic/clicking
		unsubscribe/subscribe/désabonner/désinscrire/abbestellen/opt
		toll free
		free of charge
		order/buy/call/act/apply/shop/join/subscribe/register/hurry now
		order/buy/call/act/apply today
		visit our/us/the/my
		removed/remove ... list/mailings/mailing/mailinglist
		subject line
		remove as/in
		taken/take ... off ... list
		limited time
	`)
	strongAdverts = phrases(nil, `
		to/can be removed from
		to be removed
		be removed from our/this/the/future
		remove you from our/this/the
		remove/remove ... in the subject
		unsubscribe ... click/link/here/instructions
		to unsubscribe
		opt out/in
		opted in/out
		click/clicking here/below
		no obligation
		risk free
		money back
		act now
		order now/today
		limited time
		toll free
		special/exclusive offer/offers
		never pay
		earn ... money/income/cash
		make/making money
		adult content/only/site
		debt consolidation
		mortgage rates/rate/loan/quote
		credit card debt
		next of kin
		million united/us states/dollars
		million dollars
		u s dollars
		us dollars
		bulk e? mail/email
		this is not spam
		mailing list ... you
		dear friend/sir/beneficiary/homeowner/entrepreneur
		business proposal/proposition
		bank account ... transfer
		pour vous désinscrire/désabonner
		darse de baja
		newsletter abbestellen/abmelden
		abmelden klicken
	`)
	weakAdverts = SetOf(`free guarantee guaranteed offer offers discount sale save savings bonus prize winner win cheap lowest price prices deal
		deals promotion exclusive subscribe unsubscribe refinance mortgage loan loans debt viagra casino investors investment profit profits
		income earn wealth millionaire sex adult webcam teens porn kostenlos gratis rabatt angebot gewinn gewinnen promo soldes offre
		oferta descuento premio congratulations instantly amazing incredible unlimited customers marketing prescription herbal
		confidential confidentiality assistance remittance beneficiary deceased inheritance`)
)

// Advertises reports whether a text is one of those who sell to everybody, by its
// words alone.
func Advertises(text string) bool {
	weak := map[string]bool{}
	for _, s := range Sentences(text) {
		words := split(s.Text)
		if strongAdverts.has(words) {
			return true
		}
		for _, w := range words {
			if weakAdverts[w.text] {
				weak[w.text] = true
			}
		}
		if len(weak) >= adverts {
			return true
		}
	}
	return false
}
