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

// HandOver hands over a mind of which some of the steps to stop it hang for as long as
// they may.
func HandOver(ctx context.Context, hang int) error {
	d := &Daemon{estate: &estate{}}
	for range hang {
		d.later("hang", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
	}
	return d.handOver(ctx)
}
