package daemon

import "context"

// NewSource returns a source whose options are amended.
func NewSource(s *Source, amend func(*Options)) *Source {
	s.amend = amend
	return s
}

// Reload reads the configuration as a hangup does, and takes it up.
func (s *Source) Reload(ctx context.Context, d *Daemon) (*Daemon, error) {
	s.next = s.read(ctx, d, true)
	return s.advance(ctx, d)
}

// Advance takes up the one that waits.
func (s *Source) Advance(ctx context.Context, d *Daemon) (*Daemon, error) { return s.advance(ctx, d) }

// Due looks whether the file is to be read again.
func (s *Source) Due() bool { return s.due() }
