package daemon_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
)

// letterbox is a world with a mailbox, in which each letter is weighed by rules.
type letterbox struct {
	*world
	box    *mailtest.Box
	weighs map[string]string // by its ID: importance, and what weighed most
	n      int
}

const (
	reader, writer, other = "sam@example.com", "Anna Kuhn <anna@choir.example>", "Ben <ben@band.example>"
	plain, pressing       = "can you bring the notes of the second piece today?", "the hall is locked and nobody has the key. We sing at 18:30 today, can you come now?"
)

func newLetterbox(t *testing.T) *letterbox {
	server := mailServer(t, mailtest.User{Name: reader, Password: "sample"})
	w := &letterbox{world: newWorld(t), box: server.User(reader), weighs: map[string]string{}}
	w.box.Deliver("Sent", []byte("From: "+reader+"\r\nTo: tom@example.net\r\nMessage-ID: <old@example.com>\r\nDate: "+start.Format(time.RFC1123Z)+"\r\n\r\nHello.\r\n"), start, imap.FlagSeen)
	off := false
	w.options.Config.Senses.Mail = []mail.Config{{ID: "home", Host: "localhost", Security: account.None, User: reader, Idle: &off,
		AuthservID: "mx.example.com", Password: secret.Ref{Env: "MAIL_PASSWORD"}}}
	w.options.Env = func(string) (string, bool) { return "sample", true }
	w.options.DialMail = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
	w.options.OnSnapshot = func(s subconscious.Snapshot) {
		for _, f := range reflex.Weigh(s, subconscious.Watcher) {
			_, id, _ := strings.Cut(f.Evidence[0], "/")
			w.weighs[id] = fmt.Sprint(f.Importance, ": ", f.EscalateReason)
		}
	}
	return w
}

// comes delivers a letter, and returns what it weighs.
func (w *letterbox) comes(proof, from, text string) (uid imap.UID, id, weighs string) {
	w.t.Helper()
	w.n++
	id, at := fmt.Sprintf("l%d@choir.example", w.n), w.clock.Now()
	uid = w.box.Deliver("INBOX", []byte("Authentication-Results: mx.example.com; dmarc="+proof+"\r\nFrom: "+from+"\r\nTo: "+reader+
		"\r\nSubject: The choir\r\nMessage-ID: <"+id+">\r\nDate: "+at.Format(time.RFC1123Z)+"\r\n\r\nHello Sam,\r\n\r\n"+text+"\r\n"), at)
	clear(w.weighs)
	w.tick()
	if len(w.weighs) != 1 {
		w.t.Fatalf("%d letters are weighed", len(w.weighs))
	}
	for _, weighs = range w.weighs {
	}
	return uid, id, weighs
}

func (w *letterbox) answers(id string) {
	at := w.clock.Now()
	w.box.Deliver("Sent", fmt.Appendf(nil, "From: %s\r\nTo: %s\r\nSubject: Re: The choir\r\nMessage-ID: <re-%s>\r\nIn-Reply-To: <%s>\r\nDate: %s\r\n\r\nI will.\r\n",
		reader, writer, id, id, at.Format(time.RFC1123Z)), at, imap.FlagSeen)
	w.tick()
}

// learnt is what was learnt of a name.
func (w *letterbox) learnt(name string) float64 {
	w.t.Helper()
	calibration, err := w.d.Calibration(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if len(calibration.Scores) > 0 {
		w.t.Errorf("letters are learnt of twice: %+v", calibration.Scores)
	}
	for _, habit := range calibration.Letters {
		if habit.Name == name {
			return habit.Moves
		}
	}
	return 0
}

// TestAnsweredLettersMoveTheScore: what the person does with letters of a sender moves
// the score of the next one, across a restart; not that of one that does not come from
// there, nor of any after it was reset.
func TestAnsweredLettersMoveTheScore(t *testing.T) {
	const learnt = "you answer or read such letters soon"
	w := newLetterbox(t)
	w.begin()
	w.ticks(2)
	for range 9 {
		uid, _, _ := w.comes("pass", other, plain)
		w.box.Expunge("INBOX", uid)
		w.tick()
		_, id, weighs := w.comes("pass", writer, plain)
		if w.n == 2 && strings.Contains(weighs, learnt) {
			t.Errorf("at first: %s", weighs)
		}
		w.answers(id)
	}
	w.restart()
	if moves := w.learnt("anna@choir.example"); moves < 0.5 || moves != w.learnt("@choir.example") {
		t.Errorf("it moves by %v", moves)
	}
	_, _, weighs := w.comes("pass", writer, plain)
	if !strings.Contains(weighs, learnt) {
		t.Errorf("after answers: %s", weighs)
	}
	if _, _, forged := w.comes("fail", writer, plain); strings.Contains(forged, learnt) {
		t.Errorf("of who does not come from there: %s", forged)
	}
	for _, name := range []string{"anna@choir.example", "@choir.example"} {
		if _, err := w.d.ResetCalibration(t.Context(), api.CalibrationRequest{Letters: name}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, after := w.comes("pass", writer, plain); strings.Contains(after, learnt) || after[0] > weighs[0] {
		t.Errorf("after a reset %s, before it %s", after, weighs)
	}
}

// TestToldLettersTeachByAnswersAlone: that a letter is read which the person was told
// of teaches nothing; a button does, and an answer.
func TestToldLettersTeachByAnswersAlone(t *testing.T) {
	w := newLetterbox(t)
	phone := phoned(w.world)
	w.options.Config.Escalation.PushFrom = 0.3
	w.begin()
	w.ticks(2)
	uid, id, _ := w.comes("pass", writer, pressing)
	w.pushed(phone, "it came", "choir")
	incident := w.inbox()[0].ID
	w.box.SetFlags("INBOX", uid, imap.FlagSeen)
	w.tick()
	if moves := w.learnt("anna@choir.example"); moves != 0 {
		t.Errorf("read after a push, it moves by %v", moves)
	}
	buttons := phone.Messages()[0].Buttons
	i := slices.IndexFunc(buttons, func(b notify.Button) bool { return b.Answer == notify.AnswerNotUseful })
	if i < 0 {
		t.Fatalf("the buttons are %+v", buttons)
	}
	if err := w.d.Outbox().Take(t.Context(), buttons[i].Token); err != nil {
		t.Fatal(err)
	}
	w.tick()
	not := w.learnt("anna@choir.example")
	if not >= 0 {
		t.Errorf("after \"not this\" it moves by %v", not)
	}
	w.answers(id)
	answered := w.learnt("anna@choir.example")
	if answered <= not {
		t.Errorf("after an answer it moves by %v, before by %v", answered, not)
	}
	w.command(subconscious.Command{Kind: subconscious.CommandDismiss, Forever: true, IncidentID: incident})
	w.tick()
	if moves := w.learnt("anna@choir.example"); moves >= answered {
		t.Errorf("muted, it moves by %v, before by %v", moves, answered)
	}
}
