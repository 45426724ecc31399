package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/store"
)

// proposal is a post that asks the person to decide on one.
func proposal(key, id string) notify.Post {
	p := incident(key)
	p.Kind, p.Proposal, p.Answers = notify.KindProposal, id, []notify.Answer{notify.AnswerLater, notify.AnswerReject}
	return p
}

func TestProposalIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var phone, hidden notifytest.Recorder
		var got replies
		none := channel("hidden", &hidden)
		none.Content = notify.ContentNone
		b := running(t, notify.Options{Channels: []notify.Channel{channel("phone", &phone), none}, Answered: got.answered})
		alone := proposal("b", "p-2")
		alone.Incident = ""
		b.post(t, proposal("a", "p-1"), alone)
		synctest.Wait()
		messages := phone.Messages()
		if m := messages[0]; m.Kind != notify.KindProposal || m.Proposal != "p-1" || len(m.Buttons) != 2 || m.Buttons[0].Label != "Later" || m.Buttons[1].Label != "Reject" {
			t.Errorf("it was sent as %+v", m)
		}
		for _, m := range []notify.Message{messages[0], messages[1]} {
			// Pressed twice, it counts once.
			for range 2 {
				if err := phone.Press(t.Context(), m.Buttons[1].Token); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := phone.Press(t.Context(), messages[0].Buttons[0].Token); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		want := []notify.Reply{
			{Answer: notify.AnswerReject, Incident: "i-backup-1a0", Proposal: "p-1", Channel: "phone", At: now},
			{Answer: notify.AnswerReject, Proposal: "p-2", Channel: "phone", At: now},
			{Answer: notify.AnswerLater, Incident: "i-backup-1a0", Proposal: "p-1", Channel: "phone", At: now},
		}
		if diff := cmp.Diff(want, got.list); diff != "" {
			t.Error(diff)
		}
		if m := hidden.Messages()[0]; m.Title+"|"+m.Text != "There is something to decide at home|p-1" {
			t.Errorf("without content: %+v", m)
		}
		if list := b.recent(t); !slices.ContainsFunc(list, func(d notify.Delivery) bool { return d.Proposal == "p-2" && d.Kind == notify.KindProposal }) {
			t.Errorf("on record: %+v", list)
		}
	})
}

// TestAnswersFitTheirMessage: what asks to decide cannot be answered as what
// tells, nor the other way round.
func TestAnswersFitTheirMessage(t *testing.T) {
	var r notifytest.Recorder
	b := opened(t, notify.Options{Channels: []notify.Channel{channel("phone", &r)}})
	for name, change := range map[string]func(*notify.Post){
		"no proposal":                func(p *notify.Post) { p.Proposal = "" },
		"a proposal of an incident":  func(p *notify.Post) { p.Kind, p.Answers = notify.KindIncident, nil },
		"a proposal of a digest":     func(p *notify.Post) { p.Kind, p.Answers = notify.KindDigest, nil },
		"a long id":                  func(p *notify.Post) { p.Proposal = strings.Repeat("p", 129) },
		"an id that is no line":      func(p *notify.Post) { p.Proposal = "p-1\x00p-2" },
		"useful":                     func(p *notify.Post) { p.Answers = []notify.Answer{notify.AnswerUseful} },
		"dismiss beside reject":      func(p *notify.Post) { p.Answers = []notify.Answer{notify.AnswerReject, notify.AnswerDismiss} },
		"approve":                    func(p *notify.Post) { p.Answers = []notify.Answer{"approve"} },
		"approve, written otherwise": func(p *notify.Post) { p.Answers = []notify.Answer{"Approve"} },
		"yes":                        func(p *notify.Post) { p.Answers = []notify.Answer{notify.AnswerLater, "yes"} },
		"reject of an incident": func(p *notify.Post) {
			p.Kind, p.Proposal, p.Answers = notify.KindIncident, "", []notify.Answer{notify.AnswerReject}
		},
		"later of a digest": func(p *notify.Post) {
			p.Kind, p.Proposal, p.Answers = notify.KindDigest, "", []notify.Answer{notify.AnswerLater}
		},
	} {
		p := proposal(name, "p-1")
		change(&p)
		b.refuses(t, name, p)
	}
}

// TestNoChannelApproves: not even who holds the key that answers are signed with
// can say more over a channel than that a proposal is put off or rejected. Every
// code that a token can hold is tried, for every message, on every channel.
func TestNoChannelApproves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var phone, other notifytest.Recorder
		var got replies
		db := database(t, store.Memory)
		b := running(t, notify.Options{DB: db, Channels: []notify.Channel{channel("phone", &phone), channel("other", &other)}, Answered: got.answered})
		b.post(t, proposal("a", "p-1"), incident("b"))
		synctest.Wait()
		key := signedWith(t, db)
		taken := map[string][]notify.Answer{}
		for _, r := range []*notifytest.Recorder{&phone, &other} {
			for _, m := range r.Messages() {
				for code := range 256 {
					before := len(got.list)
					err := b.Take(t.Context(), resigned(t, key, m.Buttons[0].Token, byte(code)))
					if err != nil && !errors.Is(err, notify.ErrToken) {
						t.Fatal(err)
					}
					if err != nil {
						continue
					}
					reply := got.list[before]
					if reply.Proposal != m.Proposal || reply.Incident != m.Incident {
						t.Errorf("of %+v came %+v", m, reply)
					}
					taken[m.Proposal] = append(taken[m.Proposal], reply.Answer)
				}
			}
		}
		want := map[string][]notify.Answer{
			"p-1": {notify.AnswerLater, notify.AnswerReject, notify.AnswerLater, notify.AnswerReject},
			"":    {notify.AnswerUseful, notify.AnswerNotNow, notify.AnswerDismiss, notify.AnswerUseful, notify.AnswerNotNow, notify.AnswerDismiss},
		}
		if diff := cmp.Diff(want, taken); diff != "" {
			t.Error(diff)
		}
		for _, m := range append(phone.Messages(), other.Messages()...) {
			for _, button := range m.Buttons {
				if text := strings.ToLower(button.Label + " " + string(button.Answer)); strings.Contains(text, "approve") || strings.Contains(text, "yes") {
					t.Errorf("the button %+v", button)
				}
			}
		}
	})
}

// TestTokenIsOfOneProposal: a token cannot be made to speak of another proposal,
// though the row that it names is changed.
func TestTokenIsOfOneProposal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var phone notifytest.Recorder
		var got replies
		db := database(t, store.Memory)
		b := running(t, notify.Options{DB: db, Channels: []notify.Channel{channel("phone", &phone)}, Answered: got.answered})
		b.post(t, proposal("a", "p-1"))
		synctest.Wait()
		set := func(id string) {
			t.Helper()
			if err := db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.ExecContext(t.Context(), "UPDATE notify_outbox SET proposal = ?", id)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		token := phone.Messages()[0].Buttons[1].Token
		for _, id := range []string{"p-2", "", "p-1 "} {
			set(id)
			if err := b.Take(t.Context(), token); !errors.Is(err, notify.ErrToken) {
				t.Errorf("of %q: %v", id, err)
			}
		}
		set("p-1")
		if err := b.Take(t.Context(), token); err != nil || len(got.list) != 1 || got.list[0].Proposal != "p-1" {
			t.Errorf("%v: %+v", err, got.list)
		}
	})
}

// signedWith reads the key that answers are signed with.
func signedWith(t *testing.T, db *store.DB) (key []byte) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(context.Background(), "SELECT key FROM notify_key").Scan(&key)
	}); err != nil {
		t.Fatal(err)
	}
	return key
}

// resigned is a token with another code of an answer, rightly signed.
func resigned(t *testing.T, key []byte, token string, code byte) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	body := raw[:len(raw)-sha256.Size]
	body[1] = code
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("subconsciousd answer\x00"))
	mac.Write(body)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(body))
}
