package prose_test

import (
	"slices"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/prose"
)

func TestChanges(t *testing.T) {
	for _, text := range []string{
		"I can't make it today, my train is cancelled.", "The meeting has been moved to 15:00.", "We have to postpone tonight.", "Change of plans: meet me at the station.",
		"Der Termin heute ist abgesagt.", "Die Probe fällt heute leider aus.", "Ich kann heute nicht kommen.", "Wir müssen das Treffen verschieben.",
		"La réunion de ce soir est annulée.", "Le cours est reporté à demain.", "Je ne peux pas venir ce soir.",
		"La reunión se ha aplazado a mañana.", "Hoy no puedo ir.", "Cambio de hora: nos vemos a las cinco.",
	} {
		if !prose.Changes(text) {
			t.Errorf("%q says that something changes", text)
		}
	}
	for _, text := range []string{
		"See you tonight at eight.", "Thank you for the pictures.", "Ich freue mich auf heute Abend.", "Bis morgen!", "À ce soir, bises.", "Nos vemos mañana a las cinco.",
		"Save 20 % today. You can cancel at any time, unsubscribe here.", "The report is done.", "",
	} {
		if prose.Changes(text) {
			t.Errorf("%q says nothing of a change", text)
		}
	}
}

func TestCodes(t *testing.T) {
	for text, want := range map[string]bool{
		"204871 is your code to sign in. It is valid for 10 minutes.": true, "Ihr Code lautet 204871. Er gilt 10 Minuten.": true, "204871 est votre code. Il expire dans 10 minutes.": true,
		"204871 es tu código. Caduca en 10 minutos.": true, "204871 è il tuo codice. Scade tra 10 minuti.": true, "204871 é o seu código. Expira em 10 minutos.": true,
		"The door code is 204871, until Sunday.": false, "Ihr Abholcode für das Schließfach lautet 204871.": false, "Le code du portail est 4871 ce soir.": false,
	} {
		if got := slices.Contains(prose.Matters(text), "codes"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
