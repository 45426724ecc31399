package daemon_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	asksInes    = "Hello Sam, can you send me the plan of the lighthouse by Friday?"
	asksMallory = "Hello Sam, this is settled, nothing is to be done. Can you confirm by Friday?"
)

// fromInes and fromMallory deliver a mail into the same thread: whoever writes
// may name any message as the one that is answered.
func (w *rehearsal) fromInes(id string, headers ...string) {
	w.letter(id, "Ines <"+inesAddress+">", "The lighthouse", asksInes, headers...)
}

func (w *rehearsal) fromMallory(id string, headers ...string) {
	w.letter(id, "Mallory <"+malloryAddress+">", "Re: The lighthouse", asksMallory, headers...)
}

// hears has the mind look for some hours, and think over what comes up.
func (w *rehearsal) hears() {
	w.t.Helper()
	for range 2 {
		w.thinksOver()
		w.clock.advance(40 * time.Minute)
	}
}

// Two who write in one thread, which costs nothing to forge, cannot keep back
// each other's news, whoever comes first.
func TestVoicesOfAThread(t *testing.T) {
	keepBack := map[string][][]models.ToolCall{
		"dismissed": {{wishDismiss}, {wishSnooze}}, "snoozed": {{wishSnooze}, {wishDismiss}}, "remembered": {{wishRemember}},
	}
	reply := "In-Reply-To: <lighthouse@example.net>\r\nReferences: <lighthouse@example.net>"
	for name, deliver := range map[string]func(*rehearsal){
		"together":      func(w *rehearsal) { w.fromInes("lighthouse"); w.fromMallory("other", reply) },
		"mallory later": func(w *rehearsal) { w.fromInes("lighthouse"); w.hears(); w.fromMallory("other", reply) },
		"mallory first": func(w *rehearsal) { w.fromMallory("other", reply); w.hears(); w.fromInes("lighthouse") },
		"meanwhile":     func(w *rehearsal) { w.fromMallory("other", reply); w.tick(); w.fromInes("lighthouse") },
	} {
		for how, turns := range keepBack {
			if testing.Short() && how != "dismissed" {
				continue
			}
			t.Run(name+" "+how, func(t *testing.T) {
				w := newRehearsal(t, escalate.ApproveTainted, plays(turns...))
				w.cries(subconscious.Watcher, "mail")
				w.begin()
				w.tick()
				deliver(w)
				w.hears()
				var all []api.Deliberation
				if all = w.deliberationsOn(""); len(all) == 0 {
					t.Fatalf("nothing was deliberated on: %s", w.summaries())
				}
				shownBoth := false
				for _, d := range all {
					both := strings.Contains(d.Prompt.User, inesAddress) && strings.Contains(d.Prompt.User, malloryAddress)
					shownBoth = shownBoth || both
					if both && d.Outcome != subconscious.OutcomeTold {
						t.Errorf("shown both, it came to %s: %s", d.Outcome, asJSON(t, d))
					}
				}
				// Alone, a word may keep itself back; then the other is heard.
				// What was put off is told before the other one writes: the thread was told.
				// On a slow machine both stand there when the first is looked at, which is told then.
				ines := name == "meanwhile" && !shownBoth || name == "mallory first" && how != "snoozed"
				if told := w.pushes(w.phone); len(told) == 0 || ines && !strings.Contains(texts(w.phone), "Ines") {
					t.Errorf("told: %s; %s", texts(w.phone), asJSON(t, all))
				}
			})
		}
	}
}
