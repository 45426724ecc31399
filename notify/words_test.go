package notify_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
)

func TestWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		c := channel("phone", &r)
		hide := func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }
		b := running(t, notify.Options{Channels: []notify.Channel{c}, Redact: hide})
		for n, test := range []struct{ title, text, want string }{
			{" The\tbackup\r\nfailed ", "Nothing\x00was\x1b[2J saved\u2028at\u00a0all", "The backup failed|Nothing was [2J saved at all"},
			{"Grüße 👩‍👩‍👧", "\u202eevil\u2066 \ufeffx\U000e0041", "Grüße 👩‍👩‍👧|evil x"},
			{"a\xffb", "", "a\ufffdb|"},
			{"the password hunter2", "hun\u202eter2 and hunter2", "the password [secret]|[secret] and [secret]"},
			{strings.Repeat("word ", 60), "no room", strings.TrimSpace(strings.Repeat("word ", 47)) + "…|"},
			{strings.Repeat("x", 100), strings.Repeat("é", 200), strings.Repeat("x", 100) + "|" + strings.Repeat("é", 139) + "…"},
			{strings.Repeat("y", 238), "cut", strings.Repeat("y", 238) + "|"},
			{strings.Repeat("z", 1<<20), "", strings.Repeat("z", 239) + "…|"},
		} {
			p := incident(test.title[:1] + string(rune('a'+n)))
			p.Title, p.Text = test.title, test.text
			b.post(t, p)
			synctest.Wait()
			m := r.Messages()[n]
			if got := m.Title + "|" + m.Text; got != test.want {
				t.Errorf("%.80q, %.80q:\n got %q\nwant %q", test.title, test.text, got, test.want)
			}
			list := b.recent(t)
			if stored := list[len(list)-1]; strings.Contains(stored.Title+stored.Text, "hunter2") {
				t.Errorf("stored: %+v", stored)
			}
		}
	})
}

// Words that say that a channel is refused may hold what it was refused with.
func TestErrorsAreRedacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r notifytest.Recorder
		r.Script(&notify.Error{Trouble: notify.Refused, Text: "the key hunter2\nis wrong", Next: "Replace\x1b hunter2"})
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)},
			Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }})
		b.post(t, incident("a"))
		synctest.Wait()
		if d, s := b.only(t), b.status(t, "phone"); d.Error != "the key [secret] is wrong" || d.Next != "Replace [secret]" || s.Error != d.Error || s.Next != d.Next {
			t.Errorf("%+v, %+v", d, s)
		}
	})
}

// Whatever is posted, what a channel is handed is plain and short, and says no more than it may.
func TestNeverTooLong(t *testing.T) {
	db := database(t, store.Memory)
	var full, title, none notifytest.Recorder
	channels := []notify.Channel{channel("full", &full), channel("title", &title), channel("none", &none)}
	channels[1].Content, channels[2].Content = notify.ContentTitle, notify.ContentNone
	b := running(t, notify.Options{DB: db, Channels: channels})
	sent := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := incident(rapid.StringN(1, 20, 60).Draw(rt, "key") + string(rune(sent)))
		p.Title, p.Text = "t"+rapid.String().Draw(rt, "title")+strings.Repeat("é ", rapid.IntRange(0, 150).Draw(rt, "more")), rapid.String().Draw(rt, "text")
		p.Key, p.Urgent = "k"+p.Key, true
		b.post(t, p)
		sent++
		m := last(t, &full, sent)
		far, hidden := last(t, &title, sent), last(t, &none, sent)
		if utf8.RuneCountInString(m.Title+m.Text) > 240 || strings.ContainsFunc(m.Title+m.Text, unicode.IsControl) || !utf8.ValidString(m.Title+m.Text) {
			rt.Fatalf("%q, %q", m.Title, m.Text)
		}
		if far.Text != "" || far.Title != m.Title || hidden.Title != "There is something to look at" || hidden.Text != "i-backup-1a0" {
			rt.Fatalf("%+v, %+v", far, hidden)
		}
	})
}

func last(t *testing.T, r *notifytest.Recorder, n int) notify.Message {
	t.Helper()
	list, err := r.Wait(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return list[n-1]
}
