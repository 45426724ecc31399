package prose_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/prose"
)

// all is what is read of one text.
type all struct {
	sentences  []prose.Sentence
	asks       []prose.Ask
	limits     []prose.Limit
	weight     int
	advertises bool
	promises   []prose.Promised
}

func read(text string, now time.Time) all {
	r := all{
		sentences: prose.Sentences(text), asks: prose.Asks(text, now), limits: prose.Of(text, now).Limits(),
		weight: prose.Weigh("", text), advertises: prose.Of(text, now).Advertises(),
	}
	for _, s := range r.sentences {
		if p, ok := prose.Promise(s.Text, now); ok {
			r.promises = append(r.promises, p)
		}
	}
	return r
}

// check reports what must hold of every reading.
func check(t interface{ Fatalf(string, ...any) }, text string, now time.Time) {
	r := read(text, now)
	if again := read(text, now); !reflect.DeepEqual(r, again) {
		t.Fatalf("%q is read as %+v, and then as %+v", text, r, again)
	}
	lies := func(what, words string, start, end int) {
		if start < 0 || end < start || end > len(text) {
			t.Fatalf("%s %d:%d does not lie in the %d bytes of %q", what, start, end, len(text), text)
		}
		if words == "" || len(words) > 2*prose.MaxSentence+1 {
			t.Fatalf("%s has %d bytes of words", what, len(words))
		}
		if utf8.ValidString(text) && !utf8.ValidString(words) {
			t.Fatalf("%s %q is cut within a character", what, words)
		}
		begin := words[:strings.IndexAny(words+" ", " \t")]
		if !strings.HasPrefix(text[start:], begin) && len(words) <= prose.MaxSentence {
			t.Fatalf("%s %q begins with %q in the text", what, words, text[start:end])
		}
	}
	dated := func(what, words string, m dates.Match) {
		if m.Start < 0 || m.End > len(words) || words[m.Start:m.End] != m.Text || m.Due.IsZero() {
			t.Fatalf("%s %q is of the date %+v", what, words, m)
		}
	}
	last := -1
	for _, s := range r.sentences {
		lies("sentence", s.Text, s.Start, s.End)
		if s.Start < last || s.Line > s.Last {
			t.Fatalf("sentence %+v does not follow on the one before", s)
		}
		last = s.Start
	}
	if len(r.asks) > 16 || len(r.limits) > 8 {
		t.Fatalf("%d asks, %d limits", len(r.asks), len(r.limits))
	}
	for _, a := range r.asks {
		lies("ask", a.Words, a.Start, a.End)
		if a.Dated {
			dated("ask", a.Words, a.Date)
		}
		if a.Form != prose.Request && a.Form != prose.Question {
			t.Fatalf("ask %+v has no form", a)
		}
	}
	for _, l := range r.limits {
		lies("limit", l.Words, l.Start, l.End)
		dated("limit", l.Words, l.Date)
	}
}

// pieces are what the grammars look for, so that chance finds readings.
var pieces = []string{
	"could you", "please", "send me", "let me know", "if", "whether", "you", "your", "when", "?", ".", "!", ",", ":", "\n", "\n\n", "> ", "- ", "-- \n", "by Friday", "due",
	"on 24 November at 10:30", "appointment", "is", "confirmed", "expires", "domain", "kannst", "du", "mir", "bitte", "schicken", "Ihr Termin", "am 24.11.2026", "um 10:30 Uhr",
	"fällig", "zahlbar bis", "30.11.2026", "pourriez-vous", "m'envoyer", "avant", "vendredi", "à régler", "rendez-vous", "¿podrías", "enviarme", "antes del", "viernes", "vence el",
	"su cita", "urgent", "asap", "dringend", "I will", "ich werde", "je vais", "voy a", "\"", "(", "click here", "offer", "1.", "é", "\xff", "\u0301", "=",
}

func TestReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(t, "pieces"), " ")
		check(t, text, time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0).UTC())
	})
}

func FuzzReadings(f *testing.F) {
	seeds := []string{
		"Hi Anna,\n\ncould you send me the report by\nFriday? Thanks!\n-- \nPaul", "> Could you?\nYes.", "- please pay by 30.11.\n- bitte\n", "1. März um 10:30: Ihr Termin",
		"Zahlbar bis:\n30.11.2026\n", "Appointment:\n\n24.11.2026 10:30", "\xff\xfe bitte \x00 schicken Sie mir \u0301", strings.Repeat("could you ", 300) + "?",
		strings.Repeat("please let me know when ", 100), "TODO: buy milk by Friday\nI'll send it tomorrow", "?????", "\"could you\" \"“", "a\r\nb\r\n\r\nc",
	}
	for _, path := range []string{"testdata/asks.txtar", "testdata/limits.txtar"} {
		for _, p := range readLabelled(f, path).parts {
			var lines []string
			for _, l := range p.lines {
				lines = append(lines, l.text)
			}
			seeds = append(seeds, strings.Join(lines, "\n"))
		}
	}
	for _, s := range seeds {
		f.Add(s, int64(1795000000))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		check(t, text, time.Unix(unix%(1<<38), 0).UTC())
	})
}

// BenchmarkHostile reads texts of 64 KiB that are made to take long.
func BenchmarkHostile(b *testing.B) {
	now := time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)
	for name, piece := range map[string]string{
		"requests": "could you please ", "gaps": "is ... would be [ it ", "lines": "please let me know\n", "labels": "due:\n", "dates": "due by Friday, ", "dots": "a.", "ends": "a. ",
		"asks": "Could you send me the report by Friday? ", "words": "i would appreciate ", "bullets": "- a\n", "appointments": "Your appointment is on 24 November at 10:30. ",
		"long line": "x", "marks": "? ", "quotes": "\"“ ", "accents": "é\u0301 ",
	} {
		text := strings.Repeat(piece, prose.MaxText/len(piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				prose.Asks(text, now)
				prose.Of(text, now).Limits()
				prose.Weigh("", text)
			}
		})
	}
}
