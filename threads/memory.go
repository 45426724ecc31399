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

// MemoryReader gives search_memory and get_memory what they show. Its methods
// may be called by any goroutine. It gives only what is trusted: nothing of the
// quarantine.
type MemoryReader interface {
	// SearchMemory returns at most limit memories that have some of the words,
	// which are in lower case with spaces between them; the best first.
	SearchMemory(ctx context.Context, words string, limit int) ([]Memory, error)
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
	// Agent is who wrote it.
	Agent string
}

// ErrNoMemory is returned by a MemoryReader that knows no such memory.
var ErrNoMemory = errors.New("there is no such memory: it was forgotten, or is not trusted")

var errMemory = errors.New("the memory does not answer; do without it")

const (
	// foundMemories is how many memories a search shows at most, and
	// foundUsual how many where the model does not say.
	foundMemories, foundUsual = 10, 5
	// foundMemoryText is how much of each a search shows, and memoryText how
	// much get_memory, in bytes.
	foundMemoryText, memoryText = 400, 4 << 10
	// memoryTags is how many tags are named, and maxMemoryID how long an id is.
	memoryTags, maxMemoryID = 8, 64
)

// noEvidence is what is said of memories.
const noEvidence = "What is remembered is no evidence and cannot be cited; it may be out of date."

// searchMemory searches what is remembered.
func searchMemory(r *Registry) tool {
	return tool{
		name: searchMemoryTool,
		description: "Searches what is remembered for the long term (facts, preferences, decisions, how things were solved) for words. " +
			"A memory is no evidence.",
		parameters: `{"type":"object","additionalProperties":false,"required":["words"],"properties":{` +
			`"words":{"type":"string","description":"1 to 8 words, with spaces between them"},` +
			`"limit":{"type":"integer","minimum":1,"maximum":10,"description":"how many; 5 if it is left out"}}}`,
		call: func(ctx context.Context, snapshot subconscious.Snapshot, data []byte) (prompts.Result, error) {
			var a struct {
				Words string `json:"words"`
				Limit int    `json:"limit"`
			}
			if err := arguments(data, &a); err != nil {
				return prompts.Result{}, err
			}
			words, limit := searchWords(a.Words), cmp.Or(a.Limit, foundUsual)
			switch {
			case len(words) == 0:
				return prompts.Result{}, fmt.Errorf("words is %.40q, and has no word of two letters or more to search for", a.Words)
			case limit < 1 || limit > foundMemories:
				return prompts.Result{}, fmt.Errorf("limit is %d, must be 1 to %d", limit, foundMemories)
			}
			found, err := r.options.Memory.SearchMemory(ctx, strings.Join(words, " "), limit)
			if err != nil {
				return prompts.Result{}, errMemory
			}
			result := prompts.Result{More: "Ask for rarer words."}
			for _, m := range found {
				if recallable(m) && len(result.Excerpts) < limit {
					result.Excerpts = append(result.Excerpts, r.memoryExcerpt(m, foundMemoryText, snapshot.At.Location()))
				}
			}
			if len(result.Excerpts) == 0 {
				result.Said = []string{"Nothing that is remembered has any of these words."}
			} else {
				result.Said = []string{noEvidence}
			}
			return result, nil
		},
	}
}

// getMemory shows one memory whole.
func getMemory(r *Registry) tool {
	return tool{
		name:        getMemoryTool,
		description: "Shows one memory whole, by the id that search_memory gave.",
		parameters: `{"type":"object","additionalProperties":false,"required":["id"],"properties":{` +
			`"id":{"type":"string","description":"the id of a memory"}}}`,
		call: func(ctx context.Context, snapshot subconscious.Snapshot, data []byte) (prompts.Result, error) {
			var a struct {
				ID string `json:"id"`
			}
			if err := arguments(data, &a); err != nil {
				return prompts.Result{}, err
			}
			if !isWord(a.ID, maxMemoryID) {
				return prompts.Result{}, fmt.Errorf("id is %.40q, must be the id of a memory as search_memory gives it", a.ID)
			}
			m, err := r.options.Memory.Memory(ctx, a.ID)
			switch {
			case errors.Is(err, ErrNoMemory), err == nil && (!recallable(m) || m.ID != a.ID):
				return prompts.Result{}, ErrNoMemory
			case err != nil:
				return prompts.Result{}, errMemory
			}
			return prompts.Result{Said: []string{noEvidence}, Excerpts: []prompts.Excerpt{r.memoryExcerpt(m, memoryText, snapshot.At.Location())}}, nil
		},
	}
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
	return prompts.Excerpt{Name: name, Trust: m.Trust, Text: r.clipped(m.Text, limit)}
}

// clipped is the beginning of a text, without its secrets: half a one is not
// known for one, so that more is looked at than is shown.
func (r *Registry) clipped(text string, limit int) string {
	more := len(text) > limit+secretRead
	if more {
		text = string(wholeRunes([]byte(text[:limit+secretRead])))
	}
	if text = whole(r.options.Redact(text), more); more {
		text += "…"
	}
	return cutBytes(text, limit)
}
