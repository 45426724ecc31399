package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/subconsciousd/subconsciousd/senses/conversation"
)

// transcripts looks whether the folders of transcripts can be read.
func (e *examination) transcripts(ctx context.Context) {
	if e.Config == nil {
		return
	}
	for _, c := range e.Config.Senses.Conversation {
		name := c.ID + " transcripts"
		ctx, done := context.WithTimeout(ctx, walkWithin)
		p, err := conversation.Probe(ctx, c)
		done()
		n, closed := p.Files, p.Closed
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.add(Degraded, name, "not there: "+c.Path, "make it, or correct senses.conversation")
		case err != nil:
			e.add(Degraded, name, c.Path+" cannot be read", "let the daemon's user read it, or correct senses.conversation")
		case closed != "":
			e.add(Degraded, name, closed+" cannot be read", "let the daemon's user read it, or leave it out with ignore")
		case n == 0:
			e.add(Note, name, c.Path+" has none: files that end in .jsonl or .md", "correct senses.conversation, unless they are yet to come")
		case n > conversation.MaxTranscripts:
			e.add(Degraded, name, fmt.Sprintf("%s has more than %d", c.Path, conversation.MaxTranscripts), "leave old ones out with ignore")
		default:
			e.add(OK, name, fmt.Sprintf("%d in %s", n, c.Path), "")
		}
	}
}
