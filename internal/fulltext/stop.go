package fulltext

import (
	"strings"
	"sync"
)

// stopWords are the commonest words of a few languages, which say nothing of
// what a text is about.
var stopWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		a about after all also am an and any are as at be been before being but by can could did do does doing for from
		had has have he her here him his how i if in into is it its just me more most my no nor not of on once only or
		other our out over own she should so some such than that the their them then there these they this those through
		to too under until up very was we were what when where which while who whom why will with would you your
		aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer es für hat ich
		ihr im in ist ja mit nach nicht noch nur oder sie sich sind so über um und uns vom von vor war was wer wie wir
		wird zu zum zur
		au aux avec ce ces dans de des du elle en est et il ils je la le les leur lui mais ne nous on ou où par pas pour
		que qui sa se ses son sont sur un une vous
		al como con del desde el ella en entre era es esta este fue ha hay la las le lo los más me mi muy no nos o para
		pero por que se si sin sobre su sus también un una y ya yo`) {
		set[word] = true
	}
	return set
})
