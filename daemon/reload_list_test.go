package daemon_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
)

// A file that is saved by half, in the middle of the folders of a mail account, tells
// of nothing, ends nothing, and nothing is new when it is whole again.
func TestReloadOfHalfAList(t *testing.T) {
	const person, whole = "sam@example.com", `quiet_hours: {from: "00:00", to: "00:00"}
senses:
  mail:
    - id: home
      host: localhost
      port: 1
      security: none
      user: sam@example.com
      password_env: MAIL_PASSWORD
      idle: false
      folders:
        - INBOX
        - Projects
        - Lists
`
	w := newWorld(t)
	phone := phoned(w)
	server := mailServer(t, mailtest.User{Name: person, Password: "sample"})
	w.options.Env = func(name string) (string, bool) { return "sample", name == "MAIL_PASSWORD" }
	w.options.DialMail = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
	box := server.User(person)
	deliver := func(folder, id string) {
		at := start.Add(-time.Minute)
		box.Deliver(folder, []byte("From: Ines <ines@example.org>\r\nTo: "+person+"\r\nSubject: The plan "+id+"\r\nMessage-ID: <"+id+
			"@example.org>\r\nDate: "+at.Format(time.RFC1123Z)+"\r\n\r\nHello Sam, can you send me the plan by Friday?\r\n"), at)
	}
	for _, folder := range []string{"Projects", "Lists"} {
		box.Create(folder)
	}
	box.Create("Sent")
	r := w.reloads(whole)
	for _, folder := range []string{"INBOX", "Projects", "Lists"} {
		deliver(folder, folder)
	}
	changes := func() (all []string) {
		r.query(`SELECT ref || ' ' || json_extract(observation, '$.change') FROM ledger_changes WHERE ref LIKE 'mail:%' ORDER BY seq`, func(scan func(...any) error) error {
			var text string
			err := scan(&text)
			all = append(all, text)
			return err
		})
		return all
	}
	r.tick()
	r.tick()
	before, pushed := changes(), r.pushes(phone)
	if n := r.sense(mail.Name, "home").Standing; n != 3 || len(before) != 3 {
		t.Fatalf("%d stand: %q", n, before)
	}
	for _, cut := range []struct {
		text   string
		stands int
	}{
		{strings.TrimSuffix(whole, "        - Lists\n"), 2},
		{strings.TrimSuffix(whole, "sts\n") + "\n", 2}, // a folder that is not there
		{whole[:strings.Index(whole, "        - Projects")], 1},
		{whole[:strings.Index(whole, "      folders")], 1},
		{whole[:strings.Index(whole, "senses:")], 0},
	} {
		for _, text := range []string{cut.text, whole} {
			save(t, r.path, text)
			was := r.d
			r.become(r.source.Reload(t.Context(), r.d))
			if r.d == was {
				t.Fatalf("refused: %s", r.source.Status().Refused)
			}
			r.tick()
			r.tick()
			stands := 0
			for _, s := range r.status().Senses {
				if s.Kind == mail.Name {
					stands = s.Standing
				}
			}
			if want := map[bool]int{true: 3, false: cut.stands}[text == whole]; stands != want {
				t.Errorf("%d stand, want %d, under\n%s", stands, want, text)
			}
		}
	}
	if after, now := changes(), r.pushes(phone); !slices.Equal(after, before) || !slices.Equal(now, pushed) {
		t.Errorf("changes %q, and before %q; pushed %q, and before %q", after, before, now, pushed)
	}
}
