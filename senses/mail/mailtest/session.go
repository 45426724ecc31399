package mailtest

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

// session is one client's.
type session struct {
	server *Server
	wire   *wire
	wake   chan struct{} // there may be news
	who    *account      // nil: nobody signed in; guarded by the server's lock, as view
	view   *view         // of the folder that is open, else nil
	condst bool          // the client knows mod-sequences
}

var (
	_ imapserver.SessionMove      = (*session)(nil)
	_ imapserver.SessionNamespace = (*session)(nil)
	_ imapserver.SessionSASL      = (*session)(nil)
)

// session greets a client.
func (s *Server) session(c *imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
	w := c.NetConn().(*wire)
	if err := w.wait(s.hangs(Greeting)); err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.refuses(Busy) {
		return nil, nil, &imap.Error{Type: imap.StatusResponseTypeBye, Code: imap.ResponseCodeUnavailable, Text: "Too many connections, try again later"}
	}
	w.session = &session{server: s, wire: w, wake: make(chan struct{}, 1)}
	return w.session, &imapserver.GreetingData{}, nil
}

func refused(code imap.ResponseCode, text string) error {
	return &imap.Error{Type: imap.StatusResponseTypeNo, Code: code, Text: text}
}

func (s *session) user() *account {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.who
}

// Close is called at the end of a connection.
func (s *session) Close() error { return s.Unselect() }

// lookUp is a folder that a client named. The lock is held.
func (s *session) lookUp(name string) (*folder, error) {
	f := s.who.box.folders[key(name)]
	if f == nil {
		return nil, refused(imap.ResponseCodeNonExistent, "There is no such folder")
	}
	return f, nil
}

// wrote keeps that a client tried to change something. The lock is held.
func (s *session) wrote(command, folder string) {
	if b := s.who.box; len(b.writes) < maxWrites {
		b.writes = append(b.writes, Write{Command: command, Folder: folder})
	}
}

// Select opens a folder.
func (s *session) Select(name string, options *imap.SelectOptions) (*imap.SelectData, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	f, err := s.lookUp(name)
	if !options.ReadOnly {
		s.wrote("SELECT", name)
	}
	if err != nil {
		return nil, err
	}
	if s.server.options.has(imap.CapCondStore) {
		s.condst = s.condst || s.wire.asked.condstore
		s.wire.addHighestLine(f.modseq)
	}
	s.view = &view{folder: f, readOnly: options.ReadOnly, messages: f.messages, modseq: f.modseq, expunges: f.expunges}
	flags := permanent()
	data := &imap.SelectData{Flags: flags, NumMessages: uint32(len(f.messages)), UIDNext: f.next, UIDValidity: f.validity}
	if !options.ReadOnly {
		data.PermanentFlags = append(flags, imap.FlagWildcard)
	}
	return data, nil
}

// Unselect closes the folder that is open.
func (s *session) Unselect() error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.view = nil
	return nil
}

// Create makes a folder.
func (s *session) Create(name string, options *imap.CreateOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.wrote("CREATE", name)
	if s.who.box.folders[key(name)] != nil {
		return refused(imap.ResponseCodeAlreadyExists, "There is such a folder already")
	}
	s.who.box.create(strings.TrimSuffix(name, string(delimiter)), options.SpecialUse...)
	return nil
}

// Delete removes a folder.
func (s *session) Delete(name string) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.wrote("DELETE", name)
	f, err := s.lookUp(name)
	if err != nil {
		return err
	}
	if f.name == "INBOX" {
		return refused(imap.ResponseCodeCannot, "INBOX cannot be deleted")
	}
	delete(s.who.box.folders, f.name)
	s.server.cutViews(f)
	return nil
}

// Rename gives a folder another name.
func (s *session) Rename(name, to string, _ *imap.RenameOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.wrote("RENAME", name)
	f, err := s.lookUp(name)
	if err != nil {
		return err
	}
	if f.name == "INBOX" || s.who.box.folders[key(to)] != nil {
		return refused(imap.ResponseCodeCannot, "It cannot be renamed so")
	}
	delete(s.who.box.folders, f.name)
	f.name = to
	s.who.box.folders[to] = f
	return nil
}

// Subscribe changes nothing: all folders are subscribed to.
func (s *session) Subscribe(name string) error { return s.subscription("SUBSCRIBE", name) }

// Unsubscribe changes nothing: all folders are subscribed to.
func (s *session) Unsubscribe(name string) error { return s.subscription("UNSUBSCRIBE", name) }

func (s *session) subscription(command, name string) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.wrote(command, name)
	_, err := s.lookUp(name)
	return err
}

// List lists folders.
func (s *session) List(w *imapserver.ListWriter, ref string, patterns []string, options *imap.ListOptions) error {
	if len(patterns) == 0 {
		return w.WriteList(&imap.ListData{Attrs: []imap.MailboxAttr{imap.MailboxAttrNoSelect}, Delim: delimiter})
	}
	for _, data := range s.listed(ref, patterns, options) {
		if err := w.WriteList(&data); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) listed(ref string, patterns []string, options *imap.ListOptions) []imap.ListData {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	var all []imap.ListData
	folders := s.who.box.folders
	special := s.server.options.has(imap.CapSpecialUse)
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		matches := func(pattern string) bool { return imapserver.MatchList(name, delimiter, ref, pattern) }
		if !slices.ContainsFunc(patterns, matches) || options.SelectSpecialUse && (!special || len(folders[name].attrs) == 0) {
			continue
		}
		data := imap.ListData{Mailbox: name, Delim: delimiter}
		if special {
			data.Attrs = slices.Clone(folders[name].attrs)
		}
		if options.ReturnSubscribed {
			data.Attrs = append(data.Attrs, imap.MailboxAttrSubscribed)
		}
		if options.ReturnChildren {
			data.Attrs = append(data.Attrs, children(folders, name))
		}
		if options.ReturnStatus != nil {
			data.Status = folders[name].status(name, options.ReturnStatus)
		}
		all = append(all, data)
	}
	return all
}

func children(folders map[string]*folder, name string) imap.MailboxAttr {
	for other := range folders {
		if strings.HasPrefix(other, name+string(delimiter)) {
			return imap.MailboxAttrHasChildren
		}
	}
	return imap.MailboxAttrHasNoChildren
}

// Namespace is the personal one alone.
func (s *session) Namespace() (*imap.NamespaceData, error) {
	return &imap.NamespaceData{Personal: []imap.NamespaceDescriptor{{Delim: delimiter}}}, nil
}

// Status is what is known of a folder without opening it.
func (s *session) Status(name string, options *imap.StatusOptions) (*imap.StatusData, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	f, err := s.lookUp(name)
	if err != nil {
		return nil, err
	}
	if s.wire.asked.highest {
		s.condst = true
		s.wire.addHighest(f.modseq)
	}
	return f.status(name, options), nil
}

func (f *folder) status(name string, options *imap.StatusOptions) *imap.StatusData {
	data := &imap.StatusData{Mailbox: name, UIDNext: f.next, UIDValidity: f.validity}
	var size int64
	var unseen, deleted, none uint32
	for _, m := range f.messages {
		if !m.has(imap.FlagSeen) {
			unseen++
		}
		if m.has(imap.FlagDeleted) {
			deleted++
		}
		if options.Size {
			size += f.sizeOf(m)
		}
	}
	number := uint32(len(f.messages))
	data.NumMessages, data.NumUnseen, data.NumDeleted, data.NumRecent = &number, &unseen, &deleted, &none
	data.Size, data.DeletedStorage = &size, new(int64)
	return data
}

// sizeOf is the size of a message. The lock is held.
func (f *folder) sizeOf(m *message) int64 {
	if m.size == 0 {
		m.size = int64(len(m.body()))
	}
	return m.size
}

// Append puts a client's message into a folder.
func (s *session) Append(name string, r imap.LiteralReader, options *imap.AppendOptions) (*imap.AppendData, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	data, err := s.append(name, raw, options)
	if err == nil {
		s.server.tell()
	}
	return data, err
}

func (s *session) append(name string, raw []byte, options *imap.AppendOptions) (*imap.AppendData, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.wrote("APPEND", name)
	f, err := s.lookUp(name)
	if err != nil {
		return nil, refused(imap.ResponseCodeTryCreate, "There is no such folder")
	}
	at := options.Time
	if at.IsZero() {
		at = s.server.now()
	}
	uid := f.add(&message{at: at, flags: canonical(options.Flags), raw: raw, size: int64(len(raw))})
	if !s.server.options.has(imap.CapUIDPlus) {
		return nil, nil
	}
	return &imap.AppendData{UIDValidity: f.validity, UID: uid}, nil
}
