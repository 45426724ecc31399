package mailtest

import (
	"bytes"
	"cmp"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-sasl"
)

// session is one client's. The server's lock guards folder and tracker: a
// connection that is cut ends while Idle still runs.
type session struct {
	server  *Server
	wire    *wire
	box     *Box    // nil: nobody signed in
	folder  *folder // that is open, else nil
	tracker *imapserver.SessionTracker
}

var (
	_ imapserver.SessionMove = (*session)(nil)
	_ imapserver.SessionSASL = (*session)(nil)
)

// session greets a client.
func (s *Server) session(c *imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
	w := c.NetConn().(*wire)
	if err := w.hang(Greeting); err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.refuses(Busy) {
		return nil, nil, &imap.Error{Type: imap.StatusResponseTypeBye, Code: imap.ResponseCodeUnavailable, Text: "Too many connections, try again later"}
	}
	w.session = &session{server: s, wire: w}
	return w.session, &imapserver.GreetingData{}, nil
}

func no(code imap.ResponseCode, text string) error {
	return &imap.Error{Type: imap.StatusResponseTypeNo, Code: code, Text: text}
}

// refuse keeps that a client tried to change something, and refuses it.
func (s *session) refuse(folder string) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if b := s.box; len(b.writes) < 1000 {
		b.writes = append(b.writes, Write{Command: s.wire.verb, Folder: folder})
	}
	return no(imap.ResponseCodeNoPerm, "This mailbox is for reading alone")
}

// What clients change is refused, CLOSE too, which expunges.

func (s *session) Create(name string, _ *imap.CreateOptions) error    { return s.refuse(name) }
func (s *session) Delete(name string) error                           { return s.refuse(name) }
func (s *session) Rename(name, _ string, _ *imap.RenameOptions) error { return s.refuse(name) }
func (s *session) Subscribe(name string) error                        { return s.refuse(name) }
func (s *session) Unsubscribe(name string) error                      { return s.refuse(name) }
func (s *session) Append(name string, _ imap.LiteralReader, _ *imap.AppendOptions) (*imap.AppendData, error) {
	return nil, s.refuse(name)
}
func (s *session) Expunge(*imapserver.ExpungeWriter, *imap.UIDSet) error {
	return s.refuse(s.folder.name)
}
func (s *session) Store(*imapserver.FetchWriter, imap.NumSet, *imap.StoreFlags, *imap.StoreOptions) error {
	return s.refuse(s.folder.name)
}
func (s *session) Copy(imap.NumSet, string) (*imap.CopyData, error) {
	return nil, s.refuse(s.folder.name)
}
func (s *session) Move(*imapserver.MoveWriter, imap.NumSet, string) error {
	return s.refuse(s.folder.name)
}

// Status is asked by no reader of ours.
func (s *session) Status(string, *imap.StatusOptions) (*imap.StatusData, error) {
	return nil, errors.New("this server knows no STATUS")
}

// Close is called at the end of a connection.
func (s *session) Close() error { return s.Unselect() }

// Unselect closes the folder that is open.
func (s *session) Unselect() error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.tracker != nil {
		s.tracker.Close()
	}
	s.folder, s.tracker = nil, nil
	return nil
}

// Select opens a folder, for reading alone.
func (s *session) Select(name string, options *imap.SelectOptions) (*imap.SelectData, error) {
	if !options.ReadOnly {
		return nil, s.refuse(name)
	}
	s.server.mu.Lock()
	f := s.box.folder(name)
	if f == nil {
		s.server.mu.Unlock()
		return nil, no(imap.ResponseCodeNonExistent, "There is no such folder")
	}
	s.folder, s.tracker = f, f.tracker.NewSession()
	data := &imap.SelectData{NumMessages: uint32(len(f.messages)), UIDNext: f.next, UIDValidity: f.validity}
	highest := f.modseq
	s.server.mu.Unlock()
	if s.server.options.has(imap.CapCondStore) { // which the library cannot say
		if err := s.wire.send(fmt.Appendf(nil, "* OK [HIGHESTMODSEQ %d] Highest\r\n", highest)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// List lists folders.
func (s *session) List(w *imapserver.ListWriter, ref string, patterns []string, _ *imap.ListOptions) error {
	s.server.mu.Lock()
	var all []imap.ListData
	for _, name := range slices.Sorted(maps.Keys(s.box.folders)) {
		data := imap.ListData{Mailbox: name, Delim: '/'}
		if s.server.options.has(imap.CapSpecialUse) {
			data.Attrs = s.box.folders[name].attrs
		}
		if slices.ContainsFunc(patterns, func(pattern string) bool { return imapserver.MatchList(name, '/', ref, pattern) }) {
			all = append(all, data)
		}
	}
	s.server.mu.Unlock()
	for _, data := range all {
		if err := w.WriteList(&data); err != nil {
			return err
		}
	}
	return nil
}

// numbered is a message with the sequence number by which a client knows it.
type numbered struct {
	message
	seq uint32
}

// among are the messages of a set, in order, those left out that the client was
// not told of yet.
func (s *session) among(set imap.UIDSet) []numbered {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	all := s.folder.messages
	if len(all) == 0 {
		return nil
	}
	var found []numbered
	for _, r := range set {
		last := all[len(all)-1].uid // which is what 0, "*", stands for
		start, stop := cmp.Or(r.Start, last), cmp.Or(r.Stop, last)
		at, _ := slices.BinarySearchFunc(all, min(start, stop), byUID)
		for ; at < len(all) && all[at].uid <= max(start, stop); at++ {
			if seq := s.tracker.EncodeSeqNum(uint32(at + 1)); seq > 0 {
				found = append(found, numbered{all[at], seq})
			}
		}
	}
	return found
}

// Search finds messages by their UIDs and by the days on which they arrived.
func (s *session) Search(kind imapserver.NumKind, criteria *imap.SearchCriteria, _ *imap.SearchOptions) (*imap.SearchData, error) {
	if kind != imapserver.NumKindUID || len(criteria.UID) != 1 {
		return nil, errors.New("this server knows no SEARCH but that among UIDs")
	}
	var found imap.UIDSet
	data := &imap.SearchData{}
	for _, m := range s.among(criteria.UID[0]) {
		// Days, without regard to time and zone, as RFC 3501 has it.
		day := time.Date(m.at.Year(), m.at.Month(), m.at.Day(), 0, 0, 0, 0, time.UTC)
		if !day.Before(criteria.Since) && (criteria.Before.IsZero() || day.Before(criteria.Before)) {
			found.AddNum(m.uid)
			data.Min, data.Max = cmp.Or(data.Min, uint32(m.uid)), uint32(m.uid)
			data.Count++
		}
	}
	data.All = found
	return data, nil
}

// Fetch reads messages.
func (s *session) Fetch(w *imapserver.FetchWriter, set imap.NumSet, options *imap.FetchOptions) error {
	uids, ok := set.(imap.UIDSet)
	if !ok || options.Envelope || options.BodyStructure != nil || len(options.BinarySection)+len(options.BinarySectionSize) > 0 {
		return errors.New("this server knows no FETCH but that of flags, dates, sizes and texts by UID")
	}
	for _, section := range options.BodySection {
		if !section.Peek {
			return s.refuse(s.folder.name) // it would mark the messages as read
		}
	}
	for _, m := range s.among(uids) {
		if err := m.write(w.CreateMessage(m.seq), options); err != nil {
			return err
		}
	}
	return nil
}

// write answers with one message.
func (m numbered) write(r *imapserver.FetchResponseWriter, options *imap.FetchOptions) error {
	var raw []byte
	if options.RFC822Size || len(options.BodySection) > 0 {
		raw = m.body()
	}
	r.WriteUID(m.uid)
	if options.Flags {
		r.WriteFlags(m.flags)
	}
	if options.InternalDate {
		r.WriteInternalDate(m.at)
	}
	if options.RFC822Size {
		r.WriteRFC822Size(int64(len(raw)))
	}
	var errs []error
	for _, asked := range options.BodySection {
		part := raw
		if asked.Specifier != imap.PartSpecifierNone || len(asked.Part) > 0 {
			part = imapserver.ExtractBodySection(bytes.NewReader(raw), asked)
		} else if p := asked.Partial; p != nil { // as it stands, however broken it is, which the library does not
			part = raw[min(p.Offset, int64(len(raw))):]
			part = part[:min(p.Size, int64(len(part)))]
		}
		out := r.WriteBodySection(asked, int64(len(part)))
		_, err := out.Write(part)
		errs = append(errs, err, out.Close())
	}
	return errors.Join(append(errs, r.Close())...)
}

// Poll tells a client what happened, after one of its commands.
func (s *session) Poll(w *imapserver.UpdateWriter, allowExpunge bool) error {
	s.server.mu.Lock()
	tracker := s.tracker
	s.server.mu.Unlock()
	if tracker == nil {
		return nil
	}
	return tracker.Poll(w, allowExpunge)
}

// Idle tells a client what happens, while it happens. The tracker's own would not
// tell what happened just before it.
func (s *session) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
	for {
		if err := s.Poll(w, true); err != nil {
			return err
		}
		select {
		case <-s.wire.news:
		case <-stop:
			return nil
		}
	}
}

const oauthBearer, xoauth2 = "OAUTHBEARER", "XOAUTH2"

// Login signs in with a password.
func (s *session) Login(name, password string) error {
	return s.signIn(name, func(u User) bool { return same(u.Password, password) })
}

func same(a, b string) bool { return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (s *session) signIn(name string, proves func(User) bool) error {
	if !s.wire.protected() {
		return no(imap.ResponseCodePrivacyRequired, "Start TLS first")
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.faults.refuses(Unavailable) {
		return no(imap.ResponseCodeUnavailable, "Signing in is not possible at present")
	}
	b := s.server.boxes[name]
	if s.server.faults.refuses(BadSignIn) || b == nil || !proves(b.user) {
		return imapserver.ErrAuthFailed
	}
	s.box = b
	return nil
}

// AuthenticateMechanisms are those that are offered.
func (s *session) AuthenticateMechanisms() []string {
	if !s.wire.protected() || s.box != nil {
		return nil
	}
	return s.server.options.Mechanisms
}

// Authenticate signs in by a mechanism.
func (s *session) Authenticate(mechanism string) (sasl.Server, error) {
	if !slices.Contains(s.AuthenticateMechanisms(), mechanism) {
		return nil, errors.New("this mechanism is not offered")
	}
	if mechanism == "PLAIN" {
		return sasl.NewPlainServer(func(_, name, password string) error { return s.Login(name, password) }), nil
	}
	return &bearer{session: s, user: map[string]string{oauthBearer: "n,a=", xoauth2: "user="}[mechanism]}, nil
}

// bearer is OAUTHBEARER (RFC 7628) and XOAUTH2, which differ in how they name
// the user.
type bearer struct {
	session *session
	user    string // what stands before the name
	failed  error
}

var _ sasl.Server = (*bearer)(nil)

// Next takes the client's word. Who is refused is sent why as a challenge, and
// has to answer it before the command fails.
func (b *bearer) Next(response []byte) ([]byte, bool, error) {
	switch {
	case b.failed != nil:
		return nil, true, b.failed
	case response == nil:
		return []byte{}, false, nil
	}
	var name, token string
	for _, field := range strings.Split(string(response), "\x01") {
		if rest, ok := strings.CutPrefix(field, b.user); ok {
			name = strings.TrimSuffix(rest, ",")
		}
		if rest, ok := strings.CutPrefix(field, "auth=Bearer "); ok {
			token = rest
		}
	}
	b.failed = b.session.signIn(name, func(u User) bool { return same(u.Token, token) })
	if b.failed != nil {
		return []byte(`{"status":"invalid_token","schemes":"bearer","scope":"https://mail.example.com/"}`), false, nil
	}
	return nil, true, nil
}
