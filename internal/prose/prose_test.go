package prose_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func now(t testing.TB) time.Time {
	t.Helper()
	zone := testutil.Zone(t, "Europe/Berlin")
	return time.Date(2026, 11, 18, 10, 0, 0, 0, zone)
}

func TestSentences(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"two on a line", "We met. It rained.", "We met.|It rained."},
		{"one over two lines", "This is a sentence that an editor has broken at its margin, and it\ngoes on here.", "This is a sentence that an editor has broken at its margin, and it goes on here."},
		{"short lines are their own", "Hi Anna\nHow are you?\nPaul", "Hi Anna|How are you?|Paul"},
		{"an empty line parts", "Hi Anna,\n\ncan you come?", "Hi Anna,|can you come?"},
		{"bullets part", "We need\n- milk and\n- bread", "We need|milk and|bread"},
		{"numbers part", "1. send the form\n2) pay the fee", "send the form|pay the fee"},
		{"a date is no number of a list", "We meet on\n\n3. März um 10 Uhr", "We meet on|3. März um 10 Uhr"},
		{"what is quoted is left out", "Yes.\n> Can you come?\nTP> And you?\nSee you.", "Yes.|See you."},
		{"a signature ends it", "Yes.\n-- \nPaul Miller", "Yes."},
		{"so does an original", "Yes.\n-----Original Message-----\nFrom: Anna", "Yes."},
		{"dots that end nothing", "Dr. Miller has 3.5 GB, i.e. enough. Good.", "Dr. Miller has 3.5 GB, i.e. enough.|Good."},
		{"a dot behind a time", "Call Ann at 10:30. Pay Bob on 3. March.", "Call Ann at 10:30.|Pay Bob on 3. March."},
		{"a dot before I", "See page 7. I will, etc. I do.", "See page 7.|I will, etc.|I do."},
		{"carriage returns", "One.\r\nTwo.\r\n", "One.|Two."},
		{"nothing", "", ""},
	} {
		var got []string
		for _, s := range prose.Sentences(c.text) {
			got = append(got, s.Text)
			if in := strings.Join(strings.Fields(c.text[s.Start:s.End]), " "); in != s.Text {
				t.Errorf("%s: %q stands at %q", c.name, s.Text, in)
			}
			if n := strings.Count(c.text[:s.Start], "\n"); n != s.Line {
				t.Errorf("%s: %q is said to begin in line %d, not %d", c.name, s.Text, s.Line, n)
			}
			if n := strings.Count(c.text[:s.End], "\n"); n != s.Last {
				t.Errorf("%s: %q is said to end in line %d, not %d", c.name, s.Text, s.Last, n)
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", c.name, strings.Join(got, "|"), c.want)
		}
	}
}

func TestPromise(t *testing.T) {
	for _, c := range []struct {
		sentence string
		form     prose.Form
		day      string
	}{
		{"I'll send the report by Friday.", prose.Vow, "2026-11-20"},
		{"I will call them.", prose.Vow, ""},
		{"I need to renew the passport by 1 December.", prose.Duty, "2026-12-01"},
		{"Ich schicke dir die Unterlagen bis Montag.", prose.Vow, "2026-11-23"},
		{"Ich werde das morgen erledigen.", prose.Vow, "2026-11-19"},
		{"Je vais t'envoyer le fichier demain.", prose.Vow, "2026-11-19"},
		{"Je vous rappellerai.", prose.Vow, ""},
		{"Voy a mandarte el informe mañana.", prose.Vow, "2026-11-19"},
		{"Te llamo mañana.", prose.Vow, "2026-11-19"},
		{"Je te l'envoie demain.", prose.Vow, "2026-11-19"},
		{"Ti porto il libro domani.", prose.Vow, "2026-11-19"},
		{"Mando-te isso amanhã.", prose.Vow, "2026-11-19"},
		{"I promised Ann to call.", prose.Vow, ""},
		{"told Ann I'd bring the invoices before Friday", prose.Vow, "2026-11-19"},
		{"I told the lady at the council that I will have the papers by Friday.", prose.Vow, "2026-11-20"},
		{"hab Ana gesagt, dass ich die Rechnungen bis Freitag bringe", prose.Vow, "2026-11-20"},
		{"Ich habe Ana gesagt, ich bring ihr die Rechnungen am Freitag.", prose.Vow, "2026-11-20"},
		{"J'ai dit à Ana que je lui apporte les factures vendredi.", prose.Vow, "2026-11-20"},
		{"dit à Ana que je passerai vendredi avant 14h", prose.Vow, "2026-11-20"},
		{"le dije a Ana la del ayuntamiento que le llevo las facturas ANTES DEL VIERNES 20 A LAS 14:00, que si no no entran", prose.Vow, "2026-11-20"},
		{"Le dije a Ana que voy a llevarle los papeles el viernes.", prose.Vow, "2026-11-20"},
		{"ho detto ad Ana che le porto le fatture entro venerdì", prose.Vow, "2026-11-20"},
		{"Ho detto a Gino che gli avrei portato le fatture venerdì.", prose.Vow, "2026-11-20"},
		{"disse à Ana que levo as faturas até sexta", prose.Vow, "2026-11-20"},
		{"Disse-lhe que vou entregar as faturas na sexta.", prose.Vow, "2026-11-20"},
		{"Vou entregar o relatório até sexta-feira.", prose.Vow, "2026-11-20"},
		{"TODO: water the plants", prose.Todo, ""},
		{"Deadline: 27 November", prose.Deadline, "2026-11-27"},
		{"Remind me to call the bank.", prose.Reminder, ""},
	} {
		p, ok := prose.Promise(c.sentence, now(t))
		if !ok || p.Form != c.form || dayOf(p.Dated, p.Date.Due) != c.day {
			t.Errorf("%q: %+v, %v; want the form %q and the day %q", c.sentence, p, ok, c.form, c.day)
		}
	}
	for _, sentence := range []string{
		"I will never understand that.", "Will I send it?", "He said I will send it.", "If it rains I will stay.", "I will be late.", "\"I will send it,\" she said.",
		"Ich werde krank.", "Ich schicke das nicht bis Freitag.", "Je ne vais pas venir.", "No te llamo mañana.", "Te llamo.", "Tom promised to come on Friday.",
		"He said he'd bring it by Friday.", "Tom told me he'd bring it by Friday.", "Tom said I'd bring it on Friday.", "I told Tom he must bring it by Friday.",
		"I told Tom that the shop closes on Friday.", "I told Tom I'd be late on Friday.", "I told Tom I'd bring it.", "Er hat gesagt, dass er es bis Freitag bringt.",
		"Hab Tom gesagt, dass ich bis Freitag im Urlaub bin.", "Hab Tom gesagt, dass ich Freitag nicht komme.", "Il a dit qu'il apporte les factures avant vendredi.",
		"J'ai dit à Paul que je ne viens pas vendredi.", "J'ai dit à Paul que le magasin ferme vendredi.", "Ana me dijo que me trae las facturas antes del viernes.",
		"Le dije a Ana que la moto está lista el viernes.", "Le dije que no llevo nada antes del viernes.", "Ha detto che porta le fatture entro venerdì.",
		"Ho detto a Gino che le foto sono pronte venerdì.", "Ho detto a Gino che non passo venerdì.", "Disse que leva as faturas até sexta.",
		"Disse que o carro fica pronto na sexta.", "Ele disse que levo azar até sexta.",
		"Lo bueno es mañana.", "Non ti porto il libro domani.", "No voy a pagar.", "We need to talk.", "", ".", "I",
	} {
		if p, ok := prose.Promise(sentence, now(t)); ok {
			t.Errorf("%q is read as a promise: %+v", sentence, p)
		}
	}
}

func TestOblige(t *testing.T) {
	for sentence, want := range map[string]prose.Form{
		"Call the bank on 3 March":        prose.Errand,
		"Notar: 10.03.2027 17:30":         prose.Visit,
		"We called the bank on 3 March":   "",
		"Maybe call the bank on 3 March":  "",
		"The invoice of 3 March was paid": "",
	} {
		o, ok := prose.Oblige(sentence)
		if ok != (want != "") || o.Form != want {
			t.Errorf("%q: %+v, %v; want %q", sentence, o, ok, want)
		}
	}
}

// letters are whole messages, and what is asked in them.
var letters = []struct {
	name, text string
	asks       []string
}{
	{"a colleague", `Hi Anna,

thanks for the figures, they look good. Two things: could you send me the
signed contract by Friday? And do you know whether the landlord has answered?

I will book the room tomorrow. Let me know if you have any questions.

Best,
Paul
-- 
Paul Miller, Example Ltd.
Would you like to know more? Visit www.example.com`,
		[]string{"And do you know whether the landlord has answered?", "Two things: could you send me the signed contract by Friday?"}},
	{"an answer with quotations", `On Monday Anna wrote:
> Could you send me the report?
> When can you come?

I have sent it. See you on Friday!`, nil},
	{"a letter of business with words of trade", `Dear Ms Miller,

thank you for your offer. Our customers ask for a better price, and we would
like to grant them a discount. Could you confirm the prices by 30 November?

Kind regards`, []string{"Could you confirm the prices by 30 November?"}},
	{"ein Amt", `Sehr geehrte Frau Müller,

für die Bearbeitung Ihres Antrags benötigen wir noch Ihre Geburtsurkunde.
Bitte senden Sie uns eine Kopie bis zum 30.11.2026 zu. Bei Fragen wenden Sie
sich bitte an uns.

Mit freundlichen Grüßen`, []string{"Bitte senden Sie uns eine Kopie bis zum 30.11.2026 zu.", "für die Bearbeitung Ihres Antrags benötigen wir noch Ihre Geburtsurkunde."}},
	{"une voisine", `Bonjour Paul,

nous partons samedi. Pourrais-tu arroser les plantes ? Merci beaucoup !

Bises`, []string{"Pourrais-tu arroser les plantes ?"}},
	{"una colega", `Hola Ana:

Te mando el informe. ¿Podrías revisarlo antes del viernes? Avísame cuando
termines. No dudes en llamarme.

Un abrazo`, []string{"¿Podrías revisarlo antes del viernes?", "Avísame cuando termines."}},
	{"an advertisement", `Are you tired of high prices? Do you want to save? Can you afford to wait?

Please reply today and order now! Could you use more money? To unsubscribe,
click here.`, nil},
	{"a newsletter", `This week in the garden. What can you plant in November? Tulips.
Please send us your pictures, we may publish them.

You receive this because you subscribed. To unsubscribe, click here.`, nil},
}

func TestLetters(t *testing.T) {
	for _, l := range letters {
		asks := map[string]bool{}
		for _, a := range prose.Asks(l.text, now(t)) {
			asks[a.Words] = true
			if in := strings.Join(strings.Fields(l.text[a.Start:a.End]), " "); in != a.Words {
				t.Errorf("%s: %q stands at %q", l.name, a.Words, in)
			}
		}
		for _, want := range l.asks {
			if !asks[want] {
				t.Errorf("%s: %q is not found", l.name, want)
			}
			delete(asks, want)
		}
		for words := range asks {
			t.Errorf("%s: %q is no ask", l.name, words)
		}
	}
}

// TestBounds: however much a text asks, so much is returned.
func TestBounds(t *testing.T) {
	for what, got := range map[string]int{
		"asks":      len(prose.Asks(strings.Repeat("Could you send me the report?\n", 1000), now(t))) - 16,
		"limits":    len(prose.Of(strings.Repeat("Payment due 30 November.\n", 1000), now(t)).Limits()) - 8,
		"sentences": len(prose.Sentences(strings.Repeat("It rained. ", 5000))) - 2000,
		"beyond":    len(prose.Asks(strings.Repeat("x", prose.MaxText)+"\nCould you come?", now(t))),
	} {
		if got != 0 {
			t.Errorf("%s: %d more than there may be", what, got)
		}
	}
}

func TestFinishes(t *testing.T) {
	for text, want := range map[string]bool{
		"Sent the plan.": true, "I called the plumber.": true, "I've just paid the rent": true, "We have booked the hall!": true,
		"Ich habe die Miete bezahlt.": true, "Hab den Brief abgeschickt!": true, "J'ai payé le loyer.": true, "J’ai déjà appelé le plombier": true,
		"Ya he pagado el alquiler.": true, "He llamado al fontanero.": true,
		"I will call the plumber.": false, "I have to call the plumber.": false, "Ich habe die Miete nicht bezahlt.": false, "I asked nobody": false,
		"Ich habe die Miete noch nicht.": false, "He called the plumber.": false, "I have not paid the rent.": false, "Did I call?": false, "": false,
	} {
		if got := prose.Finishes(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
