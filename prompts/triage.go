package prompts

import (
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// triage is the name of its template.
const triage = "triage"

// triageText is how many bytes of text are shown of one mail.
const triageText = 600

// Letter is a mail that is to be judged.
type Letter struct {
	subconscious.Observation
	// Who says in our own words who writes.
	Who string
	// Brief: it is shown in one line.
	Brief bool
}

// Triage makes the prompt in which mails are judged by their numbers, from 1 on.
func (s *Set) Triage(at time.Time, letters []Letter) (Prompt, error) {
	system, err := execute(s.parsed[triage], systemPart, s.common())
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt of the triage: %w", err)
	}
	p, shown := s.common(), ""
	p.Now = now(at)
	for i, l := range letters {
		t, room := show(l.Observation, at.Location()), triageText
		if l.Brief {
			room = 0
		}
		t.head = fmt.Sprintf("%d. %s · %s", i+1, l.Who, t.form)
		shown += t.print(room)
	}
	frame(system, []framed{{"mails", shown, &p.New}})
	user, err := execute(s.parsed[triage], userPart, p)
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt of the triage: %w", err)
	}
	return Prompt{System: system, User: user, Hash: hash(system, user)}, nil
}
