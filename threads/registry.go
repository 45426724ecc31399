package threads

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// MaxToolCalls is how often a thread may use its tools at a tick.
const MaxToolCalls = 4

// Root is a folder that tools may read in.
type Root struct {
	// ID is how its files are named before a model: "notes/todo.md".
	ID string
	// Instance is the configured id of the sense that looks at it, by which
	// titles name its files; empty where it is the ID.
	Instance string
	// Path is absolute.
	Path string
	// Trust says whose word its files are; empty is the owner's for notes, and
	// an outsider's for anything else.
	Trust subconscious.Trust
	// Notes: search_notes looks through it.
	Notes bool
	// Ref names the observation that stands for a file, by its path below the root
	// with slashes, so that what a tool showed can be cited; nil where files
	// are not cited.
	Ref func(file string) (subconscious.Ref, bool)
}

// SenseLine is the health of a sense in words.
type SenseLine struct {
	Name, State, Words string
	Since              time.Time
}

// RegistryOptions are what a Registry needs.
type RegistryOptions struct {
	// Roots that read_file and search_notes may look into; none: they find
	// nothing.
	Roots []Root
	// Within are folders that are not read by themselves. Like a root they lower
	// the trust of what lies in them where they lie in a root.
	Within []Root
	// Excluded are absolute folders that are never read: the daemon's own.
	Excluded []string
	// Secret reports whether a path looks like a secret, by its name alone; nil
	// means that none does.
	Secret func(path string) bool
	// Senses says how the senses are; nil where it is not known.
	Senses func() []SenseLine
	// Redact takes secrets out of what is read; nil leaves it.
	Redact func(string) string
	// Mail reads the person's mail; nil: read_mail is not offered.
	Mail MailReader
	// Memory and Conversations are what is remembered and what was said; nil:
	// their tools are not offered.
	Memory        MemoryReader
	Conversations ConversationReader
	// Deadline of one call; 0 means 2 s. MailDeadline is that of read_mail; 0
	// means 8 s.
	Deadline, MailDeadline time.Duration
}

// Registry is the read tools of all threads and of the deliberation. Its methods may be called by any
// goroutine.
type Registry struct {
	options RegistryOptions
	tools   []tool

	gate gate
}

// DefaultToolDeadline is how long one call of a tool may take.
const DefaultToolDeadline = 2 * time.Second

// NewRegistry returns the tools over these roots. A root is opened when it is
// read, so that one that is not there yet is no error.
func NewRegistry(options RegistryOptions) (*Registry, error) {
	var problems []error
	seen := map[string]bool{}
	for _, root := range options.Roots {
		if root.ID == "" || strings.ContainsAny(root.ID, "/\\") || seen[root.ID] {
			problems = append(problems, fmt.Errorf("root %q: its id must be a word of its own", root.ID))
		}
		if !filepath.IsAbs(root.Path) {
			problems = append(problems, fmt.Errorf("root %q: %q must be an absolute folder", root.ID, root.Path))
		}
		seen[root.ID] = true
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("tools: %w", errors.Join(problems...))
	}
	options.Deadline = cmp.Or(options.Deadline, DefaultToolDeadline)
	options.MailDeadline = cmp.Or(options.MailDeadline, DefaultMailDeadline)
	options.Roots = slices.Clone(options.Roots)
	for i := range options.Roots {
		options.Roots[i].Instance = cmp.Or(options.Roots[i].Instance, options.Roots[i].ID)
		if options.Roots[i].Trust == "" && options.Roots[i].Notes {
			options.Roots[i].Trust = subconscious.Owner
		}
	}
	options.Within, options.Excluded = slices.Clone(options.Within), slices.Clone(options.Excluded)
	if options.Secret == nil {
		options.Secret = func(string) bool { return false }
	}
	if options.Redact == nil {
		options.Redact = func(text string) string { return text }
	}
	r := &Registry{options: options}
	r.tools = []tool{readFile(r), listEvents(), health(r), searchNotes(r)}
	if options.Mail != nil {
		r.tools = append(r.tools, readMail(r))
	}
	if options.Memory != nil {
		r.tools = append(r.tools, searchMemory(r, searchMemoryTool, false), searchMemory(r, searchAgentsTool, true), getMemory(r))
	}
	if options.Conversations != nil {
		r.tools = append(r.tools, searchConversations(r))
	}
	r.tools = append(r.tools, readSubconscious())
	return r, nil
}

// Names returns the names of the tools that a thread has.
func (r *Registry) Names(thread subconscious.ThreadName) []string {
	var names []string
	if r == nil {
		return nil
	}
	for _, t := range r.tools {
		if slices.Contains(natureOf(thread).tools, t.name) {
			names = append(names, t.name)
		}
	}
	return names
}
