package message

import (
	"strings"
	"testing"
)

// fresh is what the writer of a text wrote. Every line of it is a line of text.
func fresh(text string) string { return written(withoutQuotes(strings.Split(text, "\n"))) }

func TestFresh(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"all quoted", "> a\n> b", ""},
		{"a mark alone", ">\n>\na", "a"},
		{"initials", "JB> a\nc", "c"},
		{"an arrow", "A -> B\nx > y", "A -> B\nx > y"},
		{"no quotation introduced", "Then the judge wrote:\n\nguilty as charged", "Then the judge wrote:\n\nguilty as charged"},
		{"a name and a quotation", "[Jane]\n> a\nb", "b"},
		{"a name and none", "[Jane]\nb", "[Jane]\nb"},
		{"on a date I said", "On 3 May we meet.\nBring the slides.", "On 3 May we meet.\nBring the slides."},
		{"Outlook on phones", "Yes.\n\nGet Outlook for iOS<https://aka.ms/x>\n________________________________\nFrom: Jane <j@example.org>\nSent: Monday\nTo: Bob\n\nWhat?", "Yes."},
		{"bold labels", "Oui.\n\n*De :* Jane\n*Envoyé :* lundi\n*À :* Bob\n*Objet :* x\n\nQuoi ?", "Oui."},
		{"Spanish labels", "Sí.\n\nDe: Jane\nEnviado el: lunes\nPara: Bob\nAsunto: x\n\n¿Qué?", "Sí."},
		{"two labels that a person writes", "From: Berlin\nTo: Paris\nI take the train.", "From: Berlin\nTo: Paris\nI take the train."},
		{"German original", "Gut.\n\n-----Ursprüngliche Nachricht-----\nVon: x\n\nalt", "Gut."},
		{"French original", "Bien.\n\n-----Message d'origine-----\nDe : x\n\nvieux", "Bien."},
		{"Spanish original", "Bien.\n\n-----Mensaje original-----\nDe: x\n\nviejo", "Bien."},
		{"French forwarded", "Pour info.\n\n---------- Message transféré ---------\nDe : x", "Pour info."},
		{"Spanish forwarded", "Para tu información.\n\n---------- Mensaje reenviado ---------\nDe: x", "Para tu información."},
		{"a signature in the middle of much", "--\n" + strings.Repeat("line\n", 30), "--\n" + strings.TrimSuffix(strings.Repeat("line\n", 30), "\n")},
		{"two dashes and a space", "a\n-- \nJane\nExample Ltd", "a"},
		{"a card", "a\n\n----\nJane Doe <jane@example.org>\nhttps://example.org", "a"},
		{"a rule without a card", "a\n\n----\nb", "a\n\n----\nb"},
		{"a telephone number", "a\n====\nJane\nTel: +49 30 555 0100", "a"},
		{"phones", "a\n\nEnvoyé depuis mon téléphone Android", "a"},
		{"phones in Spanish", "a\n\nEnviado desde mi iPhone", "a"},
		{"phones in German", "a\n\nGesendet mit der GMX Mail App", "a"},
		{"no phone", "Sent with the parcel yesterday.", "Sent with the parcel yesterday."},
		{"a group's footer", "a\n\n--\nYou received this message because you are subscribed to the Google Groups \"x\" group.", "a"},
		{"a warning", "[EXTERNAL] This email originated from outside of the organization. Do not click.\n\na", "a"},
		{"a wrapped warning", "CAUTION: This email originated from outside of the\norganization. Do not click links unless you\nknow the sender.\nPlease pay by Friday.", "Please pay by Friday."},
		{"a disclaimer under the text, without an empty line", "Please pay by Friday, the sum is 120 Euro.\nThis e-mail is confidential and intended solely for you; if you got it in error, delete it.", "Please pay by Friday, the sum is 120 Euro.\nThis e-mail is confidential and intended solely for you; if you got it in error, delete it."},
		{"a section", "Invoice 4711\n\n----\nPay by 1 December: https://example.org/pay\nQuestions: help@example.org", "Invoice 4711\n\n----\nPay by 1 December: https://example.org/pay\nQuestions: help@example.org"},
		{"sections", "Invoice\n----------\nYour subscription renews on 1 December.", "Invoice\n----------\nYour subscription renews on 1 December."},
		{"a scanner's mark", "a\n\n---\nOutgoing mail is certified Virus Free.\nChecked by AVG anti-virus system (http://www.example.com).\nVersion: 6.0 / Virus Database: 218 - Release Date: 9/9/2002", "a"},
		{"Proton", "Yes.\n\n------- Original Message -------\nOn Friday, November 20th, 2026 at 17:03, Alex <alex@example.com> wrote:\n\n> Does it?\n\nAnd more.", "Yes.\n\nAnd more."},
		{"German by Gmail", "Ja.\n\nAm Fr., 20. Nov. 2026 um 17:03 Uhr schrieb Alex Example <\nalex@example.com>:\n\n> Passt es?", "Ja."},
		{"German on phones", "Ja.\n\nAlex Example <alex@example.com> schrieb am Fr., 20. Nov. 2026, 17:03:\n\nPasst es?", "Ja."},
		{"German with a date alone", "Ja.\n\nAlex Example schrieb am 20.11.2026 um 17:03:\n\nPasst es?", "Ja."},
		{"French with a date alone", "Oui.\n\nLe 20/11/2026 à 17:03, Alex Example a écrit :\n\nÇa va ?", "Oui."},
		{"Spanish with a date alone", "Sí.\n\nEl 20/11/26 a las 17:03, Alex escribió:\n\n¿Vale?", "Sí."},
		{"what somebody wrote, in passing", "Jana schrieb mir 3 Wünsche:\nBrot, Käse, Wein.", "Jana schrieb mir 3 Wünsche:\nBrot, Käse, Wein."},
		{"a confidential matter", "Please keep the figures confidential until Monday; I sent them to Bob and to the whole of the board yesterday.", "Please keep the figures confidential until Monday; I sent them to Bob and to the whole of the board yesterday."},
		{"unsubscribing", "a\n\nTo unsubscribe, visit https://example.org/u", "a"},
		{"unsubscribing in French", "a\n\nSe désabonner : https://example.org/u", "a"},
		{"unsubscribing in Spanish", "a\n\nPara darse de baja haga clic aquí", "a"},
		{"unsubscribing in German", "a\n\nNewsletter abbestellen: https://example.org/u", "a"},
		{"a wrapped quotation", "> this is a long quoted line that the program of the writer has\nwrapped\n> here\nb", "b"},
	}
	for _, c := range cases {
		if got := fresh(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		checkFresh(t, c.text, fresh(c.text))
	}
}

func TestBodies(t *testing.T) {
	cases := []struct {
		name, raw, text string
		files           string
	}{
		{"no body", "From: a@example.org", "", ""},
		{"an empty multipart", mailOf("multipart/mixed; boundary=b", ""), "", ""},
		{"a boundary in quotes", mailOf(`multipart/mixed; boundary="a b:c"`, "--a b:c\n\nx\n--a b:c--"), "x", ""},
		{"a boundary that was lost", mailOf("multipart/mixed", "--b\nContent-Type: text/plain\n\nx\n--b--"), "x", ""},
		{"a boundary that is another's beginning", mailOf("multipart/mixed; boundary=b", "--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\nx\n--bb--\n--b\n\ny\n--b--"), "x\n\ny", ""},
		{"an inner part without an end", mailOf("multipart/mixed; boundary=b", "--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nx\n--b\n\ny\n--b--"), "x\n\ny", ""},
		{"a type without a subtype", mailOf("text", "x"), "x", ""},
		{"HTML that says it is plain", mailOf("text/plain", "<html><p>x</p></html>"), "x", ""},
		{"the charset within HTML", mailOf("text/html", "<meta charset=\"windows-1251\"><p>\xcf\xf0\xe8\xe2\xe5\xf2"), "Привет", ""},
		{"AMP first", mailOf("multipart/alternative; boundary=b", "--b\nContent-Type: text/x-amp-html\n\n<amp>\n--b\nContent-Type: text/html\n\n<p>x\n--b--"), "x", ""},
		{"HTML alone of two", mailOf("multipart/alternative; boundary=b", "--b\nContent-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>x\n--b--"), "x", ""},
		{"a text as a file", mailOf("multipart/mixed; boundary=b", "--b\n\nx\n--b\nContent-Type: text/plain; name=notes.txt\n\ny\n--b--"), "x", "notes.txt"},
		{"a file in the old way", mailOf("text/plain", "x\nbegin 644 a.bin\n#0V%T\n`\nend\ny"), "x\ny", "a.bin"},
		{"begin and end as words", mailOf("text/plain", "begin 100 times\nit will\nend"), "begin 100 times\nit will\nend", ""},
		{"a name in the old way", mailOf("multipart/mixed; boundary=b", "--b\nContent-Type: application/pdf; name*0*=utf-8''%C3%BC; name*1=.pdf\n\nx\n--b--"), "", "ü.pdf"},
		{"a name that is a path", mailOf(`application/pdf; name="C:\\x\\y.pdf"`, "x"), "", "y.pdf"},
		{"a digest", mailOf("multipart/digest; boundary=b", "--b\n\nFrom: b@example.org\nSubject: s\n\nx\n--b--"), forwardLine + "\nFrom: b@example.org\nSubject: s\n\nx", ""},
		{"encrypted", mailOf("multipart/encrypted; boundary=b", "--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream; name=encrypted.asc\n\nx\n--b--"), "", "encrypted.asc"},
	}
	for _, c := range cases {
		m := mustParse(t, c.raw)
		check(t, m)
		if m.Text != c.text || strings.Join(m.Attachments, ", ") != c.files {
			t.Errorf("%s: text %q, files %q, want %q, %q", c.name, m.Text, m.Attachments, c.text, c.files)
		}
	}
}
