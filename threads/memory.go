package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// MemoryReader gives the tools of memory what they show. Its methods may be called by
// any goroutine. It gives what is trusted or, where they are asked for, the words of
// agents alone; nothing of the quarantine.
type MemoryReader interface {
	// SearchMemory returns at most limit memories that have some of the words,
	// which are in lower case with spaces between them; the best first.
	SearchMemory(ctx context.Context, words string, agents bool, limit int) ([]Memory, error)
	// Memory returns the one with that id, and ErrNoMemory where there is none.
	Memory(ctx context.Context, id string) (Memory, error)
}

// Memory is one thing that is remembered. It has no reference, since it is no
// evidence.
type Memory struct {
	ID, Kind, Text string
	Trust          subconscious.Trust
	Created        time.Time
	Tags           []string
	// Agent is who wrote it; Doubt says why it is not to be taken for true, "" where
	// nothing is known against it.
	Agent, Doubt string
}

// ErrNoMemory is returned by a MemoryReader that knows no such memory.
var ErrNoMemory = errors.New("there is no such memory: it was forgotten, or is not trusted")

var errMemory = errors.New("the memory does not answer; do without it")

const (
	// foundUsual is how many memories a search shows where the model does not say.
	foundUsual = 5
	// foundMemoryText is how much of each a search shows, and memoryText how
	// much get_memory, in bytes.
	foundMemoryText, memoryText = 400, 4 << 10
	// memoryTags is how many tags are named, and maxMemoryID how long an id is.
	memoryTags, maxMemoryID = 8, 64
)

// noEvidence is what is said of memories.
const noEvidence = "What is remembered is no evidence and cannot be cited; it may be out of date."

// searchMemory searches what is remembered: what is trusted, or what agents wrote.
func searchMemory(r *Registry, name string, agents bool) tool {
	type arguments struct {
		Words string `json:"words" required:"true" about:"1 to 8 words"`
		Limit int    `json:"limit" minimum:"1" maximum:"10" about:"default 5"`
	}
	about := "Searches what is remembered: facts, preferences, decisions, solutions. A memory is no evidence."
	if agents {
		about = "Searches what agents wrote down of their work. It is their word alone, which nobody has confirmed, and no evidence."
	}
	return define(name, about,
		func(ctx context.Context, snapshot subconscious.Snapshot, a arguments) (prompts.Result, error) {
			limit := cmp.Or(a.Limit, foundUsual)
			excerpts, err := recall("words", a.Words, limit, errMemory,
				func(words string) ([]Memory, error) { return r.options.Memory.SearchMemory(ctx, words, agents, limit) },
				func(m Memory) (prompts.Excerpt, bool) {
					return r.memoryExcerpt(m, foundMemoryText, snapshot.At.Location()), recallable(m) && agents == (m.Trust == subconscious.Agent)
				})
			result := prompts.Result{More: "Ask for rarer words.", Excerpts: excerpts, Said: []string{noEvidence}}
			if len(excerpts) == 0 {
				result.Said = []string{"Nothing that is remembered has any of these words."}
			}
			return result, err
		})
}

// getMemory shows one memory whole.
func getMemory(r *Registry) tool {
	type arguments struct {
		ID string `json:"id" required:"true" about:"as search_memory gave it"`
	}
	return define(getMemoryTool, "Shows one memory whole.",
		func(ctx context.Context, snapshot subconscious.Snapshot, a arguments) (prompts.Result, error) {
			if !isWord(a.ID, maxMemoryID) {
				return prompts.Result{}, fmt.Errorf("id is %.40q, must be the id of a memory as search_memory gives it", a.ID)
			}
			m, err := r.options.Memory.Memory(ctx, a.ID)
			switch {
			case errors.Is(err, ErrNoMemory), err == nil && (!recallable(m) || m.Trust == subconscious.Agent || m.ID != a.ID):
				return prompts.Result{}, ErrNoMemory
			case err != nil:
				return prompts.Result{}, errMemory
			}
			return prompts.Result{Said: []string{noEvidence}, Excerpts: []prompts.Excerpt{r.memoryExcerpt(m, memoryText, snapshot.At.Location())}}, nil
		})
}

// recallable: whatever the reader says, an outsider's word is not recalled.
func recallable(m Memory) bool {
	switch m.Trust {
	case subconscious.Owner, subconscious.Machine, subconscious.Agent:
		return isWord(m.ID, maxMemoryID)
	}
	return false
}

// isWord: letters, digits, and what may stand between them in an id.
func isWord(text string, limit int) bool {
	if text == "" || len(text) > limit {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// memoryExcerpt is a memory as a model is shown it, without its secrets.
func (r *Registry) memoryExcerpt(m Memory, limit int, zone *time.Location) prompts.Excerpt {
	name := "memory " + m.ID
	if isWord(m.Kind, maxMemoryID) {
		name += ", " + m.Kind
	}
	if !m.Created.IsZero() {
		name += ", of " + m.Created.In(zone).Format("2006-01-02 Mon")
	}
	if isWord(m.Agent, maxMemoryID) {
		name += ", by " + m.Agent
	}
	if tags := strings.Join(m.Tags[:min(len(m.Tags), memoryTags)], " "); tags != "" {
		name += ", tags: " + r.clipped(tags, foundLine)
	}
	if m.Doubt != "" {
		name += "; " + m.Doubt
	}
	return prompts.Excerpt{Name: name, Trust: m.Trust, Text: r.clipped(m.Text, limit)}
}

// clipped is the beginning of a text, without its secrets: half a one is not
// known for one, so that more is looked at than is shown.
func (r *Registry) clipped(text string, limit int) string {
	more := len(text) > limit+secretRead
	if text = whole(r.options.Redact(subconscious.Head(text, limit+secretRead)), more); more {
		text += "…"
	}
	return subconscious.Clip(text, limit)
}
