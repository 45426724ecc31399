package models

// Role names.
const (
	RoleWatcher      = "watcher"
	RoleLibrarian    = "librarian"
	RoleOracle       = "oracle"
	RoleDreamer      = "dreamer"
	RoleChat         = "chat"
	RoleFast         = "fast"
	RoleReasoning    = "reasoning"
	RoleExtraction   = "extraction"
	RoleSynthesis    = "synthesis"
	RoleDeliberation = "deliberation"
	RoleEmbedding    = "embedding"
)

// defaults are what a role is asked with where nobody says otherwise. Thinking
// comes on top of MaxTokens, which is what is left for the answer.
type defaults struct {
	id          string
	temperature float64
	maxTokens   int
	thinking    int
}

// roleDefaults has all roles, in the order in which they are shown.
var roleDefaults = [...]defaults{
	{RoleWatcher, 0.2, 1200, 0},
	{RoleLibrarian, 0.3, 1200, 0},
	{RoleOracle, 0.2, 1200, 0},
	{RoleDreamer, 0.9, 1200, 0},
	{RoleChat, 0.7, 2048, 0},
	{RoleFast, 0.2, 512, 0},
	{RoleReasoning, 0.2, 4096, 4096},
	{RoleExtraction, 0.2, 2048, 10000},
	{RoleSynthesis, 0.7, 2048, 4096},
	{RoleDeliberation, 0.2, 2048, 0},
	{RoleEmbedding, 0, 1, 0},
}

// RoleNames returns all roles, in the order in which they are shown.
func RoleNames() []string {
	names := make([]string, 0, len(roleDefaults))
	for _, r := range roleDefaults {
		names = append(names, r.id)
	}
	return names
}

// defaultsOf returns what a role is asked with; an unknown one as chat.
func defaultsOf(id string) defaults {
	chat := defaults{}
	for _, r := range roleDefaults {
		if r.id == id {
			return r
		}
		if r.id == RoleChat {
			chat = r
		}
	}
	return chat
}
