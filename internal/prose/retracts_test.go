package prose

import (
	"strings"
	"testing"
)

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
			Non serve più, grazie.
			Esquece, o vizinho emprestou.
			Já não é preciso, obrigada.`,
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
			Ainda não está resolvido.`,
	} {
		for line := range strings.Lines(texts) {
			if text := strings.TrimSpace(line); Retracts(text) != want {
				t.Errorf("%q: %v", text, !want)
			}
		}
	}
}
