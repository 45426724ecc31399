package mailtest

import (
	"bufio"
	"bytes"
	"errors"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-message/textproto"
)

// Fetch reads messages.
func (s *session) Fetch(w *imapserver.FetchWriter, set imap.NumSet, options *imap.FetchOptions) error {
	if len(options.BinarySection)+len(options.BinarySectionSize) > 0 {
		return &imap.Error{Type: imap.StatusResponseTypeBad, Text: "There is no BINARY here"}
	}
	asked := s.wire.asked
	s.condst = s.condst || asked.condstore
	marks := false
	for _, section := range options.BodySection {
		marks = marks || !section.Peek
	}
	for _, m := range s.selected(set, marks, asked.changedSince) {
		if asked.modseq {
			s.wire.addModSeq(m.modseq)
		}
		if err := m.write(w, options, marks); err != nil {
			return err
		}
	}
	return nil
}

// selected are the messages to answer with. What is read without peek is marked
// as read.
func (s *session) selected(set imap.NumSet, marks bool, since uint64) []one {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	var all []one
	for _, m := range s.view.chosen(set) {
		if m.modseq <= since {
			continue
		}
		if marks && !s.view.readOnly {
			s.view.folder.setFlags(m.message, append([]imap.Flag{imap.FlagSeen}, m.flags...))
			m.flags, m.modseq = m.message.flags, m.message.modseq
		}
		all = append(all, m)
	}
	if marks {
		s.wrote("FETCH", s.view.folder.name)
	}
	return all
}

// write answers with one message.
func (m one) write(w *imapserver.FetchWriter, options *imap.FetchOptions, marked bool) error {
	var raw []byte
	if options.RFC822Size || options.Envelope || options.BodyStructure != nil || len(options.BodySection) > 0 {
		raw = m.body()
	}
	r := w.CreateMessage(m.seq)
	if options.UID {
		r.WriteUID(m.uid)
	}
	if options.Flags || marked {
		r.WriteFlags(m.flags)
	}
	if options.InternalDate {
		r.WriteInternalDate(m.at)
	}
	if options.RFC822Size {
		r.WriteRFC822Size(int64(len(raw)))
	}
	if options.Envelope {
		header, _ := textproto.ReadHeader(bufio.NewReader(bytes.NewReader(raw))) // as much as can be read
		r.WriteEnvelope(imapserver.ExtractEnvelope(header))
	}
	if options.BodyStructure != nil {
		r.WriteBodyStructure(imapserver.ExtractBodyStructure(bytes.NewReader(raw)))
	}
	var errs []error
	for _, asked := range options.BodySection {
		b := section(raw, asked)
		out := r.WriteBodySection(asked, int64(len(b)))
		_, err := out.Write(b)
		errs = append(errs, err, out.Close())
	}
	return errors.Join(append(errs, r.Close())...)
}

// section is a part of a message. Where no more than the whole, its header or
// its text is asked for it is cut out as it stands, however broken it is.
func section(raw []byte, s *imap.FetchItemBodySection) []byte {
	if len(s.Part) > 0 || len(s.HeaderFields)+len(s.HeaderFieldsNot) > 0 {
		return imapserver.ExtractBodySection(bytes.NewReader(raw), s)
	}
	end := len(raw) // of the header
	if at := bytes.Index(raw, []byte("\r\n\r\n")); at >= 0 {
		end = at + 4
	} else if at := bytes.Index(raw, []byte("\n\n")); at >= 0 {
		end = at + 2
	}
	switch s.Specifier {
	case imap.PartSpecifierHeader:
		raw = raw[:end]
	case imap.PartSpecifierText:
		raw = raw[end:]
	}
	if p := s.Partial; p != nil {
		from := min(p.Offset, int64(len(raw)))
		raw = raw[from : from+min(p.Size, int64(len(raw))-from)]
	}
	return raw
}
