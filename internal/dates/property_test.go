package dates_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/internal/dates"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestFindAgainstNow(t *testing.T) {
	berlin := testutil.Zone(t, "Europe/Berlin")
	at := func(s string) time.Time {
		when, err := time.ParseInLocation("2006-01-02 15:04", s, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, c := range []struct{ name, now, text, want string }{
		{"the day itself, before six", "2026-11-20 17:59", "by Friday", "2026-11-20 18:00"},
		{"the day itself, at six", "2026-11-20 18:00", "by Friday", "2026-11-20 18:00"},
		{"the day itself, after six", "2026-11-20 18:01", "by Friday", "2026-11-27 18:00"},
		{"with a time still ahead", "2026-11-20 18:01", "Friday at 20:00", "2026-11-20 20:00"},
		{"next on the day itself", "2026-11-20 09:00", "nächsten Freitag", "2026-11-27 18:00"},
		{"next week's, seen on a Sunday", "2026-11-22 09:00", "next Monday", "2026-11-23 18:00"},
		{"a time that has passed", "2026-11-20 16:00", "at 15:00", "2026-11-21 15:00"},
		{"today, said in the evening", "2026-11-20 20:00", "tonight", "2026-11-20 23:59"},
		{"instead of another day", "2026-11-20 15:00", "tonight by 7 instead of that", "2026-11-20 19:00"},
		{"sixty days back is this year", "2026-12-31 12:00", "Nov 1", "2026-11-01 18:00"},
		{"sixty-one days back is next year", "2026-12-31 12:00", "Oct 31", "2027-10-31 18:00"},
		{"end of the week on its Saturday", "2026-11-21 09:00", "end of the week", "2026-11-22 18:00"},
		{"a month from the 31st", "2026-01-31 09:00", "in one month", "2026-02-28 18:00"},
		{"the 31st in a short month", "2026-11-18 09:00", "by the 31st", "2026-12-31 18:00"},
		{"the 29th of February, in a common year", "2027-01-10 09:00", "29. Februar", "2027-02-28 18:00"},
		{"over the change to winter time", "2026-10-24 12:00", "tomorrow at 15:00", "2026-10-25 15:00"},
		{"over the change to summer time", "2026-03-28 12:00", "in 2 days", "2026-03-30 18:00"},
		{"an hour that does not exist", "2026-03-28 12:00", "tomorrow at 02:30", "2026-03-29 03:30"},
		{"hours over the change are hours", "2026-03-29 00:30", "in 3 hours", "2026-03-29 04:30"},
		{"end of the year in December", "2026-12-31 09:00", "end of the year", "2026-12-31 18:00"},
		{"before a Friday, said on one", "2026-11-20 10:00", "before Friday", "2026-11-26 18:00"},
		{"before a Friday, said on one in the evening", "2026-11-20 20:00", "vor Freitag", "2026-11-26 18:00"},
		{"before a Friday, said on the eve", "2026-11-19 10:00", "avant vendredi", "2026-11-19 18:00"},
		{"before a Friday, said late on the eve", "2026-11-19 19:30", "antes del viernes", "2026-11-19 23:59"},
		{"before a Friday with a time, said on one", "2026-11-20 10:00", "before Friday at 14:00", "2026-11-20 14:00"},
		{"before a time that has passed on a Friday", "2026-11-20 15:00", "before 14:00 on Friday", "2026-11-27 14:00"},
		{"before next Friday, said on a Friday", "2026-11-20 10:00", "before next Friday", "2026-11-26 18:00"},
		{"before tomorrow, said in the evening", "2026-11-20 20:00", "before tomorrow", "2026-11-20 23:59"},
		{"before today, said in the evening", "2026-11-20 20:00", "before today", "2026-11-20 23:59"},
		{"before a date, said late on the eve", "2026-09-22 21:00", "antes del 23/09/2026", "2026-09-22 23:59"},
		{"before a date of this day", "2026-09-23 09:00", "antes del 23/09/2026", "2026-09-22 18:00"},
		{"before the first of a month", "2026-11-20 10:00", "before 1 March", "2027-02-28 18:00"},
		{"before the first of January", "2026-11-20 10:00", "vor dem 1. Januar", "2026-12-31 18:00"},
		{"before the 24th, on the 24th", "2026-11-24 09:00", "before the 24th", "2026-12-23 18:00"},
		{"before the weekend, on its Saturday", "2026-11-21 09:00", "before the weekend", "2026-11-20 18:00"},
		{"before next week, on a Saturday", "2026-11-21 09:00", "before next week", "2026-11-22 18:00"},
		{"before noon, in the afternoon", "2026-11-20 13:00", "avant midi", "2026-11-21 12:00"},
		{"before a day behind the change to winter time", "2026-10-20 12:00", "before 26 October", "2026-10-25 18:00"},
		{"an offset of its own", "2026-11-20 09:00", "2026-11-27T23:30:00-08:00", "2026-11-28 08:30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := dates.Find(c.text, at(c.now))
			if len(found) != 1 {
				t.Fatalf("Find(%q) = %v, want one match", c.text, found)
			}
			if got := found[0].Due.Format("2006-01-02 15:04"); got != c.want {
				t.Errorf("Find(%q) at %s is due %s, want %s", c.text, c.now, got, c.want)
			}
		})
	}
}

func TestFindIsBounded(t *testing.T) {
	text := strings.Repeat("by Friday, ", 1000)
	if n := len(dates.Find(text, time.Now())); n != dates.MaxMatches {
		t.Errorf("%d matches, want %d", n, dates.MaxMatches)
	}
}

// check reports what must hold of every result.
func check(t interface{ Fatalf(string, ...any) }, text string, now time.Time, found []dates.Match) {
	end := 0
	for _, m := range found {
		if m.Start < end || m.End <= m.Start || m.End > len(text) || text[m.Start:m.End] != m.Text {
			t.Fatalf("match %+v does not lie in order within %q", m, text)
		}
		end = m.End
		if m.Due.Location() != now.Location() {
			t.Fatalf("%q is due in %v, want %v", m.Text, m.Due.Location(), now.Location())
		}
		if m.DateOnly && m.Due.Hour() != dates.DueHour && m.Due.Hour() != 23 {
			t.Fatalf("%q names a day and is due at %v", m.Text, m.Due)
		}
	}
	if len(found) > dates.MaxMatches {
		t.Fatalf("%d matches", len(found))
	}
}

// TestFindDoesNotDependOnNow: now decides which day is meant, never whether
// one is.
func TestFindDoesNotDependOnNow(t *testing.T) {
	pieces := []string{
		"by", "bis", "d'ici", "para", "el", "le", "next", "nächsten", "Friday", "Freitag", "vendredi", "viernes", "tomorrow",
		"Morgen", "in", "3", "days", "zwei", "Wochen", "24.12.", "24.12.2026", "12/24/2026", "Dec", "24", "24.", "Dezember",
		"de", "diciembre", "at", "15:00", "3pm", "um", "15", "Uhr", "15h30", "a", "las", "EOD", "end of", "month", ".", ",", "\n",
		"before", "vor", "avant", "antes", "not", "noon", "midi", "bis", "weekend", "next week",
		"2026-11-27", "Feb", "29", "31", "am", "last", "version",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "pieces"), " ")
		one := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "one"), 0).UTC()
		two := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "two"), 0).UTC()
		a, b := dates.Find(text, one), dates.Find(text, two)
		check(t, text, one, a)
		if len(a) != len(b) {
			t.Fatalf("%q: %v at %v and %v at %v", text, a, one, b, two)
		}
		for i := range a {
			if a[i].Text != b[i].Text || a[i].Start != b[i].Start || a[i].DateOnly != b[i].DateOnly || a[i].Deadline != b[i].Deadline {
				t.Fatalf("%q: %+v and %+v", text, a[i], b[i])
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	seeds := []string{
		"I will send the report by Friday.", "bis zum 24.12. um 15 Uhr", "d'ici le 1er janvier à 15h30", "antes del 24/12/2026 a las 3 de la tarde",
		"before the 24th", "vor dem Wochenende, vor Mittag", "antes de las 3", "on or before Friday from 10:00 until 12:00",
		"2026-11-27T15:00:30.5+01:00", "99999999999999.12.", "Feb 30", "in 999 years", "\xff\xfe 24.\xff12.", "d''''''ici", "a a a a a a a a",
	}
	for _, s := range seeds {
		f.Add(s, int64(1795000000))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		now := time.Unix(unix%(1<<38), 0).UTC()
		found := dates.Find(text, now)
		check(t, text, now, found)
		if utf8.ValidString(text) {
			for _, m := range found {
				if !utf8.ValidString(m.Text) {
					t.Fatalf("%q is cut within a character", m.Text)
				}
			}
		}
	})
}

const prose = `We met on Monday and looked at the plan. I will send the report by Friday, and the invoice for 4,711.00 EUR
until the 24th of December. Version 1.2.3 goes out next week; the ratio of 16:9 stays. Ich schicke den Rest bis 24.12.
Je vais envoyer le rapport d'ici vendredi. Tengo que llamar antes del viernes a las 15:00. The rest is plain text
about nothing at all, which is what most notes are made of, line after line, without any date in it whatsoever. `

func BenchmarkFind(b *testing.B) {
	now := time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)
	b.SetBytes(int64(len(prose)))
	b.ReportAllocs()
	for b.Loop() {
		if len(dates.Find(prose, now)) == 0 {
			b.Fatal("nothing found")
		}
	}
}

func BenchmarkFindHostile(b *testing.B) {
	now := time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)
	text := strings.Repeat("by the ", 1<<17)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dates.Find(text, now)
	}
}
