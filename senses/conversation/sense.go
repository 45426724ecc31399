// Package conversation is the sense that follows what the person and the agents
// who work for them say to each other: in the mind's own log of conversations,
// and in a folder of transcripts that agents write (JSON lines and markdown).
//
// Only what the person says is taken for a fact. What an agent says to the
// person is reported with the agent's trust, and what the daemon said itself
// never is. In the log the person's words are the owner's. A transcript is a
// file that any program may write: its words have the trust of an agent, and
// the person's in it are the owner's only where the configuration says so.
//
// Kind "promise" stands: what the person undertook, in English, German, French
// or Spanish ("I'll send the plan by Friday", "TODO: …"). Its identity is the
// conversation and a hash of its own words. It stands until 7 days after its
// date, or for 30 days without one; until the person says in the same
// conversation that it is done, naming it ("Sent the plan."); or until its
// transcript is deleted. Severity is 1 with a date and 0 without. A relative
// date is resolved once, against the time at which it was said. Attributes:
// form (promise, todo, reminder, deadline or duty), date_text and state (open).
//
// Kind "question" stands: an agent asks the person something. Its identity is
// the conversation and the message. It stands until the person writes in that
// conversation again, for 14 days at most, and 8 of a conversation at once. Its
// attribute words is what they weigh (see prose.Weigh).
//
// Kind "message" is momentary: what the person said, and what an agent said to
// the person at the end of its turn. What is reported as a promise or a question
// is not reported as a message as well.
//
// All have the attributes conversation, author (person or agent) and, where it
// is known, name; and the link "conversation:ID".
//
// On the first collect nothing is told but promises with a date to come that were
// made in the last 14 days; nor is what is older in a transcript that is found
// later. Of the log the last hour before the very first collect is new.
//
// A transcript that is renamed, rotated, cut, or copied is known again by its
// beginning and by its messages, which count once: by an identity or a time of
// their own where the file gives one, else by their words. A copy that was
// changed before anybody looked, of messages without either, is told as new.
//
// Quotes, code and comments in a message are not read, nor is a message or a
// transcript with the daemon's mark. Rows are kept of each conversation that has
// something open, and of each transcript how far it was read and hashes of its
// last messages; see senses.Row. Files are read through os.Root and symlinks
// are not followed. The daemon makes one sense of the log, and one of each
// configured folder.
package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// Name is the name of the sense.
	Name = "conversation"
	// LogID is the instance of the mind's own log, which is always there.
	LogID = "chat"
)

// Author is who said something.
type Author string

const (
	Person Author = "person"
	Agent  Author = "agent"
	// Mind is the daemon itself, whose words are never reported.
	Mind Author = "mind"
)

// Message is one message of the mind's own log.
type Message struct {
	// ID grows with each message of the log.
	ID           int64
	Conversation string
	// Own: the person began the conversation, so that its name is theirs.
	Own    bool
	Author Author
	// Name is the agent's, "" where it is not known.
	Name string
	At   time.Time
	Text string
}

// Log is the mind's own log of conversations.
type Log interface {
	// After returns at most limit messages with a greater ID, in the order of
	// their IDs. Fewer than limit mean that there are no more.
	After(ctx context.Context, id int64, limit int) ([]Message, error)
}

// Config is one folder of transcripts.
type Config struct {
	ID string `mapstructure:"id" about:"A short name, unique among the folders; chat is that of the mind's own."`
	// Path is the folder, absolute.
	Path   string   `mapstructure:"path" path:"folder" about:"The folder, with all folders below it."`
	Ignore []string `mapstructure:"ignore" about:"What to leave out, as in a .gitignore file."`
	// Trust says whose word it is what the transcripts give as the person's: ""
	// means agent, since any program may write there. With owner it is the
	// person's own. What agents say has an agent's trust at most.
	Trust subconscious.Trust `mapstructure:"trust" about:"Whose word it is what the transcripts give as yours: agent (the default, since any program may write there), owner or outsider."`
}

// Validate returns an error that names the key.
func (c Config) Validate() error {
	err := folder.Config(c).Validate("/home/me/transcripts", subconscious.Owner, subconscious.Agent, subconscious.Outsider)
	if c.ID == LogID {
		err = errors.Join(fmt.Errorf("id: %q is that of the mind's own conversations; choose another", c.ID), err)
	}
	return err
}

// Options are what a sense needs besides its configuration; the log needs Rows
// and Logger alone.
type Options = folder.Options

// Sense looks at one folder of transcripts.
type Sense = folder.Sense[entry]

// MaxTranscripts is how many a folder may hold.
const MaxTranscripts = 5000

// New returns the sense of one folder of transcripts. The folder need not exist.
func New(c Config, options Options) (*Sense, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Trust = cmp.Or(c.Trust, subconscious.Agent)
	return folder.Follow(folder.Config(c), options, kind())
}

// Probe looks at a folder of transcripts as the sense would.
func Probe(ctx context.Context, c Config) (folder.Probe, error) {
	return kind().Probe(ctx, folder.Config(c))
}

func kind() folder.Kind[entry] {
	return folder.Kind[entry]{
		Sense: Name, Noun: "transcripts", Skip: skips, Whole: true, Read: read,
		Bounds: folder.Bounds{Files: MaxTranscripts, Listed: 200_000, Depth: 16, Path: 1024},
		Key:    fileKey, Hidden: func(string) bool { return true },
		Decode: func(row []byte, _ bool) (*entry, error) { return decodeEntry(row) },
		Encode: func(e *entry) []byte {
			row, _ := json.Marshal(e) // of plain values, which cannot fail
			return row
		},
		Stat: func(e *entry) folder.Stat { return folder.Stat{Time: e.MTime, Size: e.Size} },
	}
}
