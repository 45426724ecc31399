package notes

import (
	"context"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config is one folder of notes.
type Config struct {
	ID string `mapstructure:"id" about:"A short name, unique among the notes."`
	// Path is the folder, absolute.
	Path   string             `mapstructure:"path" path:"folder" about:"The folder, with all folders below it."`
	Ignore []string           `mapstructure:"ignore" about:"What to leave out, as in a .gitignore file."`
	Trust  subconscious.Trust `mapstructure:"trust" about:"Whose word the notes are: owner (the default), machine, agent or outsider."`
}

// Validate returns an error that names the key.
func (c Config) Validate() error {
	return folder.Config(c).Validate("/home/me/notes", subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider)
}

// Options are what a Sense needs besides its configuration.
type Options = folder.Options

// Sense looks at the notes of one folder.
type Sense = folder.Sense[entry]

// Name of the sense.
const Name = "notes"

// bounds of one folder of notes.
var bounds = folder.Bounds{Files: 20_000, Listed: 400_000, Depth: 32, Path: 1024}

// New returns the sense of one folder. The folder need not exist.
func New(c Config, options Options) (*Sense, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Trust == "" {
		c.Trust = subconscious.Owner
	}
	return folder.Follow(folder.Config(c), options, kind())
}

func kind() folder.Kind[entry] {
	return folder.Kind[entry]{
		Sense: Name, Noun: "notes", Bounds: bounds, Skip: skips, Key: rowKey, Hidden: isHidden,
		Decode: decode, Encode: (*entry).encode, Stat: func(e *entry) folder.Stat { return folder.Stat{Time: e.mtime, Size: e.size} },
		Read: read,
		Told: func(r *folder.Root, o subconscious.Observation) subconscious.Trust {
			return r.Trusts.OfTold(o.Attrs["file"], o.Attrs["from"])
		},
	}
}

// Probe looks at a folder of notes as the sense would.
func Probe(ctx context.Context, c Config) (folder.Probe, error) {
	return kind().Probe(ctx, folder.Config(c))
}
