package prose_test

import (
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
