package calendar

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// largeCalendar has 10,000 events: single ones over five years, and a series
// in ten, with the properties that programs write.
func largeCalendar() string {
	var events strings.Builder
	for i := range 10_000 {
		start := noon.AddDate(0, 0, -1800+i%1850).Format("20060102")
		lines := fmt.Sprintf("DTSTAMP:20261101T000000Z\r\nDTSTART;TZID=Europe/Berlin:%sT%02d0000\r\nDURATION:PT1H\r\nSUMMARY:Sample event %d\r\n"+
			"LOCATION:Room %d\r\nDESCRIPTION:Some words about sample event %d\\nand a second line.\r\nORGANIZER;CN=Sample:mailto:organiser@example.com\r\n"+
			"ATTENDEE;CN=Owner;PARTSTAT=ACCEPTED:mailto:owner@example.com\r\nSTATUS:CONFIRMED\r\nTRANSP:OPAQUE", start, 8+i%10, i, i%40, i)
		if i%10 == 0 {
			lines += "\r\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE"
		}
		events.WriteString(eventOf(fmt.Sprintf("event-%d@example.org", i), lines))
	}
	return calendarOf(events.String())
}

func benchSense(b *testing.B, text string) (*Sense, string) {
	path := filepath.Join(b.TempDir(), "sample.ics")
	replaceFile(b, path, text)
	old := noon.Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		b.Fatal(err)
	}
	sense, err := New(Config{ID: "sample", ICS: path}, Options{Zone: func() *time.Location { return time.UTC }})
	if err != nil {
		b.Fatal(err)
	}
	return sense, path
}

func BenchmarkFirstLook10000Events(b *testing.B) {
	text := largeCalendar()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		sense, _ := benchSense(b, text)
		b.StartTimer()
		batch, err := sense.Collect(context.Background(), noon, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(batch.Sets[0].Items)), "standing")
	}
}

func BenchmarkUnchangedTick10000Events(b *testing.B) {
	sense, _ := benchSense(b, largeCalendar())
	batch, err := sense.Collect(context.Background(), noon, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if again, err := sense.Collect(context.Background(), noon, batch.Cursor); err != nil || again.Sets != nil {
			b.Fatal(err, "or an unchanged file was read again")
		}
	}
}

func BenchmarkOneChangedEventOf10000(b *testing.B) {
	text := largeCalendar()
	sense, path := benchSense(b, text)
	batch, err := sense.Collect(context.Background(), noon, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	cursor, n := batch.Cursor, 0
	for b.Loop() {
		b.StopTimer()
		n++
		old := noon.Add(-time.Hour - time.Duration(n)*time.Second)
		replaceFile(b, path, strings.Replace(text, "SUMMARY:Sample event 0\r\n", fmt.Sprintf("SUMMARY:Changed %d\r\n", n), 1))
		if err := os.Chtimes(path, old, old); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		batch, err := sense.Collect(context.Background(), noon, cursor)
		if err != nil || len(batch.Sets) != 1 {
			b.Fatal(err, "or no set")
		}
		cursor = batch.Cursor
	}
}

// BenchmarkHostileFile: 3,000 rules that the library would follow to the year
// 9999.
func BenchmarkHostileFile(b *testing.B) {
	var events strings.Builder
	for i := range 3000 {
		events.WriteString(eventOf(fmt.Sprintf("costly-%d@example.org", i), "DTSTART:20261122T090000Z\r\nRRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=60"))
	}
	text := []byte(calendarOf(events.String()))
	for b.Loop() {
		found, err := expand(context.Background(), split(text), around())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(found.steps), "steps")
	}
}

// BenchmarkAccount expands what is kept of 10,000 events.
func BenchmarkAccount(b *testing.B) {
	c := Collection{Name: "c"}
	for i := range 10_000 {
		start := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, i%1200)
		rule := ""
		if i%20 == 0 {
			rule = "\r\nRRULE:FREQ=WEEKLY"
		}
		uid := fmt.Sprintf("n%d@example.org", i)
		c.Changed = append(c.Changed, Item{Name: uid, Data: []byte(calendarOf(eventOf(uid, "DTSTART;TZID=Europe/Berlin:"+start.Format("20060102T150405")+"\r\nSUMMARY:Event\r\nDESCRIPTION:"+strings.Repeat("words ", 40)+rule)))})
	}
	kept := shelf{}
	kept.take(Found{Collections: []Collection{c}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := expand(b.Context(), kept.split(), around()); err != nil {
			b.Fatal(err)
		}
	}
}
