package mailtest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

// view is a folder as a client knows it: what happened since it was told last
// is not in it yet, so that its sequence numbers stay what they were.
type view struct {
	folder   *folder
	readOnly bool
	messages []*message
	modseq   uint64 // of flags that the client was told
	expunges int
}

// one is a message of a view.
type one struct {
	*message
	seq    uint32
	flags  []imap.Flag // as they were when it was chosen, as modseq
	modseq uint64
}

func (v *view) at(i int) one {
	m := v.messages[i]
	return one{message: m, seq: uint32(i + 1), flags: m.flags, modseq: m.modseq}
}

// chosen are the messages of a set, in order, those that are gone left out.
func (v *view) chosen(set imap.NumSet) []one {
	var all []one
	take := func(from, to int) { // from is the first, to the one behind the last
		for i := max(from, 0); i < min(to, len(v.messages)); i++ {
			if !v.messages[i].gone {
				all = append(all, v.at(i))
			}
		}
	}
	if len(v.messages) == 0 {
		return nil
	}
	switch set := set.(type) {
	case imap.SeqSet:
		for _, r := range set {
			from, to := ordered(r.Start, r.Stop, uint32(len(v.messages)))
			take(int(from)-1, int(to))
		}
	case imap.UIDSet:
		for _, r := range set {
			from, to := ordered(r.Start, r.Stop, v.messages[len(v.messages)-1].uid)
			first, _ := find(v.messages, from)
			last, found := find(v.messages, to)
			if found {
				last++
			}
			take(first, last)
		}
	}
	slices.SortFunc(all, func(a, b one) int { return int(a.seq) - int(b.seq) })
	return slices.CompactFunc(all, func(a, b one) bool { return a.seq == b.seq })
}

// ordered are the ends of a range; 0 is "*", the last.
func ordered[N imap.UID | uint32](start, stop, last N) (from, to N) {
	if start == 0 {
		start = last
	}
	if stop == 0 {
		stop = last
	}
	return min(start, stop), max(start, stop)
}

// news is what a client is to be told.
type news struct {
	gone   []uint32 // sequence numbers, each as it is when those before it are gone
	exists uint32   // 0: as many as before
	flags  []one
}

// catchUp brings a view up to date. The lock is held.
func (v *view) catchUp() news {
	var n news
	f := v.folder
	if v.modseq == f.modseq {
		return n
	}
	before := len(v.messages)
	if v.expunges != f.expunges {
		for i, m := range v.messages {
			if m.gone {
				n.gone = append(n.gone, uint32(i+1-len(n.gone)))
			}
		}
	}
	kept := before - len(n.gone)
	v.messages = f.messages
	for i, m := range v.messages[:kept] {
		if m.modseq > v.modseq {
			n.flags = append(n.flags, v.at(i))
		}
	}
	if len(v.messages) != kept {
		n.exists = uint32(len(v.messages))
	}
	v.modseq, v.expunges = f.modseq, f.expunges
	return n
}

// Poll tells a client what happened, after one of its commands.
func (s *session) Poll(w *imapserver.UpdateWriter, allowExpunge bool) error {
	s.server.mu.Lock()
	if s.view == nil || !allowExpunge {
		s.server.mu.Unlock()
		return nil
	}
	n := s.view.catchUp()
	s.server.mu.Unlock()
	var errs []error
	for _, seq := range n.gone {
		errs = append(errs, w.WriteExpunge(seq))
	}
	if n.exists > 0 {
		errs = append(errs, w.WriteNumMessages(n.exists))
	}
	for _, m := range n.flags {
		if s.condst {
			s.wire.addModSeq(m.modseq)
		}
		errs = append(errs, w.WriteMessageFlags(m.seq, m.uid, m.flags))
	}
	return errors.Join(errs...)
}

// Idle tells a client what happens, while it happens.
func (s *session) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
	for {
		if s.server.hangs(News) == nil {
			if err := s.Poll(w, true); err != nil {
				return err
			}
		}
		select {
		case <-s.wake:
		case <-stop:
			return nil
		case <-s.wire.closed:
			return nil
		}
	}
}

// addHighestLine tells HIGHESTMODSEQ, which the library cannot.
func (w *wire) addHighestLine(n uint64) {
	_ = w.send(fmt.Appendf(nil, "* OK [HIGHESTMODSEQ %d] Highest\r\n", n)) // what follows would fail too
}
