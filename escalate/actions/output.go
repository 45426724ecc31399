package actions

import (
	"sync"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// overlap is how much more of an output is looked at than is kept, so that a
// secret at its end is seen as a whole.
const overlap = 16 << 10

// capture keeps the beginning of what is written to it, and counts the rest.
type capture struct {
	mu   sync.Mutex
	kept []byte
	most int
	all  int64
}

// Write never fails: a program is not ended for what it says.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all += int64(len(p))
	c.kept = append(c.kept, p[:min(len(p), c.most-len(c.kept))]...)
	return len(p), nil
}

// text is what was kept, plain and redacted, at most so many bytes, and how many
// bytes were left out.
func (c *capture) text(most int, redact func(string) string) (text string, leftOut int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := redact(subconscious.Visible(string(c.kept), true))
	text = subconscious.Head(whole, most)
	return text, int64(len(whole)-len(text)) + c.all - int64(len(c.kept))
}
