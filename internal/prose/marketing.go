package prose

import "strings"

// adverts is how much weight of words makes an advertisement of a text: those of
// any trade count 1, so that a letter of business may have some of them, and those
// of who sells to everybody, or swindles, 2. One strong phrase is enough.
const adverts = 5

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
		# how to get off a list
		to/can be removed from
		to be removed
		be removed from our/this/the/future
		remove you from our/this/the
		remove/remove ... in the subject
		unsubscribe ... click/link/here/instructions
		to unsubscribe
		opt out/in
		opted in/out
		# what to click, and at once
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
		# money
		earn ... money/income/cash
		make/making money
		adult content/only/site
		debt consolidation
		mortgage rates/rate/loan/quote
		credit card debt
		# swindles
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
		security company
		claims agent/officer
		winning number/numbers
		bank account ... transfer
		pour vous désinscrire/désabonner
		darse de baja
		newsletter abbestellen/abmelden
		abmelden klicken
	`)
	// trade are words of those who sell.
	trade = SetOf(`free guarantee guaranteed offer offers discount sale save savings bonus win price prices deal deals promotion exclusive
		subscribe unsubscribe mortgage loan loans credit investment profit profits income customers marketing confidential assistance
		prescription angebot rabatt promo offre oferta descuento`)
	// peddling words are of those who sell to everybody, or swindle.
	peddling = SetOf(`prize winner winners cheap lowest debt debts refinance viagra casino casinos investors earn wealth wealthy millionaire millionaires
		sex sexy adult webcam webcams teens porn xxx instantly amazing incredible unlimited herbal congratulations confidentiality remittance
		beneficiary deceased inheritance lottery jackpot giveaway kostenlos gratis gewinn gewinnen gewinnspiel soldes premio`)
)

// Advertises reports whether a text is one of those who sell to everybody, by its
// words alone.
func Advertises(text string) bool {
	seen := map[string]bool{}
	weight := 0
	for _, s := range Sentences(text) {
		words := split(s.Text)
		if strongAdverts.has(words) {
			return true
		}
		for _, w := range words {
			one := strings.TrimSuffix(w.text, "s")
			if seen[one] || !trade.Has(w.text) && !peddling.Has(w.text) {
				continue
			}
			seen[one] = true
			weight++
			if peddling.Has(w.text) {
				weight++
			}
		}
		if weight >= adverts {
			return true
		}
	}
	return false
}
