package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

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
