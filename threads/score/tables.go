package score

import _ "embed"

// File is what is known of a change of a file, or of many at once.
type File struct {
	// Secret: it looks like one. Config: it decides what a machine does. Enters: it
	// decides who may log in, or what they may do there.
	Secret, Config, Enters bool
	// Files are how many changed at once, 0 for a single one, and Deleted how many of
	// them are gone.
	Files, Deleted int
	// Usual: the same happened often of late.
	Usual bool
}

// Connection is what is known of observations that have something in common.
type Connection struct {
	// Link: a link joins them, or a word that names one thing.
	Link bool
	// Shared is how much they share of rare words: for each 1 where it is long or
	// names one thing, and 1 where both say it of themselves.
	Shared int
	// Soon: one of them is within three days. Open: one of them is to be done.
	// Known: somebody the person writes to wrote one.
	Soon, Open, Known bool
}

// Message is what is known of a message of an agent's.
type Message struct {
	// Mind: it was written to the person and not into a session. Told: as a note.
	// Asks: it waits for an answer. Unknown: nobody vouches for its writer.
	Mind, Told, Asks, Unknown bool
	// Words is by how much its words speak for it, as prose.Weigh says.
	Words int
}

//go:embed files.txt
var filesText string

//go:embed connections.txt
var connectionsText string

//go:embed messages.txt
var messagesText string

// Files, Connections and Messages are how these are judged.
var (
	Files = table(filesText, nil, []Feature[File]{
		{"secret", 1, "it looks like a secret", func(f File) int { return is(f.Secret) }},
		{"config", 1, "it decides what a machine does", func(f File) int { return is(f.Config && !f.Enters) }},
		{"enters", 1, "it decides who may log in, or do what", func(f File) int { return is(f.Enters) }},
		{"many", 1, "many files changed at once", func(f File) int { return is(f.Files > 0) }},
		{"lost", 1, "most of them are gone", func(f File) int { return is(f.Deleted >= 20 && f.Deleted*2 >= f.Files) }},
		{"usual", -1, "it happens often", func(f File) int { return is(f.Usual) }},
	})
	Connections = table(connectionsText, nil, []Feature[Connection]{
		{"link", 1, "a number or an address joins them", func(c Connection) int { return is(c.Link) }},
		{"shared", 1, "they share more than a word", func(c Connection) int { return grade(c.Shared, 3, 4) }},
		{"soon", 1, "one of them is within three days", func(c Connection) int { return is(c.Soon) }},
		{"open", 1, "one of them is to be done", func(c Connection) int { return is(c.Open) }},
		{"known", 1, "somebody you write to wrote one of them", func(c Connection) int { return is(c.Known) }},
	})
	Messages = table(messagesText, nil, []Feature[Message]{
		{"mind", 1, "it was said to you here", func(m Message) int { return is(m.Mind) }},
		{"told", 1, "an agent noted it for you", func(m Message) int { return is(m.Told) }},
		{"asks", 1, "an agent waits for your answer", func(m Message) int { return is(m.Asks) }},
		{"unknown", -1, "nobody vouches for who wrote it", func(m Message) int { return is(m.Unknown) }},
		{"words", 1, "its words are of something that does not wait", func(m Message) int { return grade(m.Words, 30, 60, 90) }},
	})
)
