package account

import "github.com/emersion/go-imap/v2"

// Has reports whether the server says, behind the sign-in, that it can do
// something: imap.CapIdle, imap.CapCondStore.
func (s *Session) Has(what imap.Cap) bool { return s.conn != nil && s.conn.caps.Has(what) }
