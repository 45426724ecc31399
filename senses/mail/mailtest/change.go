package mailtest

import (
	"errors"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

func readOnly() error {
	return refused(imap.ResponseCodeNoPerm, "The folder is open for reading alone")
}

// Store changes flags.
func (s *session) Store(w *imapserver.FetchWriter, set imap.NumSet, change *imap.StoreFlags, _ *imap.StoreOptions) error {
	changed, err := s.store(set, change)
	if err != nil {
		return err
	}
	s.server.tell()
	if change.Silent {
		return nil
	}
	for _, m := range changed {
		if s.condst {
			s.wire.addModSeq(m.modseq)
		}
		if err := m.write(w, &imap.FetchOptions{UID: true, Flags: true}, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) store(set imap.NumSet, change *imap.StoreFlags) ([]one, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.wrote("STORE", s.view.folder.name)
	if s.view.readOnly {
		return nil, readOnly()
	}
	all := s.view.chosen(set)
	for i, m := range all {
		var flags []imap.Flag
		switch change.Op {
		case imap.StoreFlagsSet:
			flags = change.Flags
		case imap.StoreFlagsAdd:
			flags = slices.Concat(m.flags, change.Flags)
		case imap.StoreFlagsDel:
			for _, f := range m.flags {
				if !slices.ContainsFunc(change.Flags, func(g imap.Flag) bool { return strings.EqualFold(string(f), string(g)) }) {
					flags = append(flags, f)
				}
			}
		}
		s.view.folder.setFlags(m.message, flags)
		all[i].flags, all[i].modseq = m.message.flags, m.message.modseq
	}
	return all, nil
}

// Expunge removes what is marked as deleted. CLOSE calls it too, where it does
// nothing to a folder that is open for reading.
func (s *session) Expunge(_ *imapserver.ExpungeWriter, only *imap.UIDSet) error {
	s.server.mu.Lock()
	if s.wire.verb == "CLOSE" && s.view.readOnly {
		s.server.mu.Unlock()
		return nil
	}
	s.wrote(s.wire.verb, s.view.folder.name)
	if s.view.readOnly {
		s.server.mu.Unlock()
		return readOnly()
	}
	var uids []imap.UID
	for _, m := range s.view.messages {
		if !m.gone && m.has(imap.FlagDeleted) && (only == nil || only.Contains(m.uid)) {
			uids = append(uids, m.uid)
		}
	}
	s.view.folder.remove(uids)
	s.server.mu.Unlock()
	s.server.tell() // the client learns of it as of any other change
	return nil
}

// Copy copies messages into another folder.
func (s *session) Copy(set imap.NumSet, to string) (*imap.CopyData, error) {
	s.server.mu.Lock()
	s.wrote("COPY", s.view.folder.name)
	data, _, err := s.copy(set, to)
	s.server.mu.Unlock()
	s.server.tell()
	return data, err
}

// Move moves messages into another folder.
func (s *session) Move(w *imapserver.MoveWriter, set imap.NumSet, to string) error {
	s.server.mu.Lock()
	s.wrote("MOVE", s.view.folder.name)
	data, uids, err := (*imap.CopyData)(nil), []imap.UID(nil), readOnly()
	if !s.view.readOnly {
		data, uids, err = s.copy(set, to)
		s.view.folder.remove(uids)
	}
	s.server.mu.Unlock()
	if err != nil {
		return err
	}
	s.server.tell()
	if data == nil {
		return nil
	}
	return w.WriteCopyData(data)
}

// copy copies messages and returns their UIDs. The lock is held.
func (s *session) copy(set imap.NumSet, to string) (*imap.CopyData, []imap.UID, error) {
	f, err := s.lookUp(to)
	if err != nil {
		return nil, nil, refused(imap.ResponseCodeTryCreate, "There is no such folder")
	}
	if f == s.view.folder {
		return nil, nil, errors.New("a folder is not copied into itself")
	}
	var uids []imap.UID
	data := &imap.CopyData{UIDValidity: f.validity}
	for _, m := range s.view.chosen(set) {
		uids = append(uids, m.uid)
		data.SourceUIDs.AddNum(m.uid)
		data.DestUIDs.AddNum(f.add(m.copyOf()))
	}
	if len(uids) == 0 || !s.server.options.has(imap.CapUIDPlus) {
		data = nil
	}
	return data, uids, nil
}
