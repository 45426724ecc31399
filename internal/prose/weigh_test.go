package prose_test

import (
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/prose"
)

// TestWeigh: of two letters about the same thing the one that does not wait weighs
// more.
func TestWeigh(t *testing.T) {
	for _, c := range [][2]string{
		{"The van won't start and the lamb is in it.", "The van started again, no worries, thanks for last night."},
		{"Water is coming through the ceiling, can you come now?", "Do you remember the year when water came through the ceiling? What a week that was!"},
		{"Die Probe fällt heute aus, bitte sag den anderen Bescheid.", "Die Probe am Donnerstag war wunderbar, danke für die Fotos!"},
		{"Lea hat 39,4 und weint, kannst du sie abholen?", "Lea geht es wieder gut, danke dir, liebe Grüße."},
		{"Le train est supprimé, je suis coincé à la gare, tu peux venir ?", "Merci encore pour dimanche, les photos du voyage sont magnifiques !"},
		{"Se ha ido la luz en el taller y el congelador está apagado.", "Gracias por las fotos del viaje, qué bonito todo."},
		{"Il furgone non parte e devo consegnare entro le 8.", "Grazie ancora per domenica, le foto sono bellissime!"},
		{"A carrinha não pega e tenho a entrega às 8h.", "Obrigado pelas fotografias, que bela festa!"},
	} {
		if now, idle := prose.Weigh("", c[0]), prose.Weigh("", c[1]); now <= idle || now < 20 || idle > 20 {
			t.Errorf("%q weighs %d, and %q %d", c[0], now, c[1], idle)
		}
	}
	if got := prose.Weigh("", "Рейс отменён."); got != 0 {
		t.Errorf("words that were never learnt weigh %d", got)
	}
}

// TestWeighed: a time of day is one word, an answer's subject has no prefix, and each
// two words in a row count.
func TestWeighed(t *testing.T) {
	got := prose.Weighed("Re: AW: Café", "I won't be there before 18:30, or 7pm: l'eau monte. 12 l!")
	want := []string{"cafe", "i", "cafe i", "wont", "i wont", "be", "wont be", "there", "be there", "before", "there before", "@", "before @", "or", "@ or", "or @", "l", "@ l", "eau", "l eau", "monte", "eau monte", "0", "monte 0", "0 l", "!", "l !"}
	if !slices.Equal(got, want) {
		t.Errorf("weighed %q", got)
	}
}

func TestCodes(t *testing.T) {
	for text, want := range map[string]bool{
		"204871 is your code to sign in. It is valid for 10 minutes.": true, "Ihr Code lautet 204871. Er gilt 10 Minuten.": true, "204871 est votre code. Il expire dans 10 minutes.": true,
		"204871 es tu código. Caduca en 10 minutos.": true, "204871 è il tuo codice. Scade tra 10 minuti.": true, "204871 é o seu código. Expira em 10 minutos.": true,
		"The door code is 204871, until Sunday.": false, "Ihr Abholcode für das Schließfach lautet 204871.": false, "Le code du portail est 4871 ce soir.": false,
	} {
		if got := prose.Of(text, time.Time{}).Codes(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
