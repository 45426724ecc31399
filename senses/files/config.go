package files

import (
	"time"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// DefaultMaxFiles is how many files below one root are followed.
	DefaultMaxFiles = 500_000
	// DefaultWait is how long one collect waits for a walk through the folders
	// before it leaves it to go on in the background.
	DefaultWait = time.Second

	maxIgnoreFile = 64 << 10
)

// Config is one watched folder.
type Config struct {
	ID string `mapstructure:"id" about:"A short name, unique among the files."`
	// Path is the folder, absolute.
	Path string `mapstructure:"path" path:"folder" about:"The folder, with all folders below it."`
	// Ignore are patterns in .gitignore syntax, relative to Path. They take
	// precedence over the built-in ones and over .gitignore files.
	Ignore []string           `mapstructure:"ignore" about:"What to leave out, as in a .gitignore file; .gitignore files in the folder count too."`
	Trust  subconscious.Trust `mapstructure:"trust" about:"Whose word the files are: owner, machine, agent or outsider (the default)."`
}

// Validate returns an error that names the key.
func (c Config) Validate() error {
	return folder.Config(c).Validate("/home/me/work", subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider)
}

// Options are what a Sense needs besides its configuration.
type Options struct {
	folder.Options
	// MaxFiles bounds the files that are followed; 0 means DefaultMaxFiles.
	MaxFiles int
	// Wait bounds how long a collect waits for a walk through the folders; 0
	// means DefaultWait.
	Wait time.Duration
}

// bounds of one folder of at most so many files.
func bounds(files int) folder.Bounds {
	return folder.Bounds{Files: files, Listed: max(4*files, 1<<20), Depth: 64, Path: 4096}
}
