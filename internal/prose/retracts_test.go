package prose

import (
	"strings"
	"testing"
)

// TestCorrects: in each language.
func TestCorrects(t *testing.T) {
	for want, texts := range map[bool]string{
		true: `make it 8, sorry
			Sorry, not 7 but half past
			doch erst um 20 Uhr
			Ich meinte 8.
			plutôt 20h
			mejor a las 9
			anzi, alle 20
			afinal às 20h`,
		false: `Dinner is at 7.
			The cake is ready at 8.
			Wir essen um 7.
			On mange à 19h.
			Cenamos a las 9.
			Ceniamo alle 20.
			Jantamos às 20h.`,
	} {
		for line := range strings.Lines(texts) {
			if text := strings.TrimSpace(line); Corrects(text) != want {
				t.Errorf("%q: %v", text, !want)
			}
		}
	}
}

// TestRetracts: words take back, and not that a text has none of weight.
func TestRetracts(t *testing.T) {
	for want, texts := range map[bool]string{
		true: `All done, my mother fetches her. Thank you!
			Never mind, got it sorted. Sorry!
			nvm, my laptop clock
			Ignore that, it was in her other coat.
			We don't need it any more.
			Hat sich erledigt.
			ok hat sich schon erledigt, war in der Tasche
			Brauchst du nicht mehr zu machen, danke!
			Entwarnung, er ist wieder da.
			laissez tomber pour le code
			C'est réglé, merci.
			On n'en a plus besoin.
			Nada, Bea tiene un bote.
			Ya no hace falta, gracias.
			niente lascia stare, l'ho trovata
			Erano in fondo alla borsa. Ignorate. Vado.
			erano in fondo alla borsa. ignorate. vado
			Non serve più, grazie.
			Esquece, o vizinho emprestou.
			Já não é preciso, obrigada.
			deixa, era o disjuntor. já roda
			Peço desculpa, era para a outra Graça. Ignore.
			war nur ein Ventil, ist schon wieder heile.`,
		false: `Ich brauche es wirklich.
			Es hat sich noch nicht erledigt.
			It is not sorted yet.
			Is it all sorted?
			All of us wait for you.
			Don't forget that we need it.
			Ce n'est pas réglé.
			Nada de eso, ven ya.
			Ya está fuera, sal.
			Niente di che, ma vieni.
			Ho bisogno di te subito.
			Ainda não está resolvido.
			Deixa a chave no vizinho.
			Ignore the first page.
			vieni. ignorate il cane. è buono`,
	} {
		for line := range strings.Lines(texts) {
			if text := strings.TrimSpace(line); Retracts(text) != want {
				t.Errorf("%q: %v", text, !want)
			}
		}
	}
}
