package conversation

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/senses/folder"
)

const (
	// maxFile is how large a transcript in JSON lines may be, in bytes. One in
	// markdown may have foreign.MaxBytes.
	maxFile = 64 << 20
	// quietFor is how long a transcript must have been left alone for its last
	// message to be taken to be complete, and an agent's turn to be over.
	quietFor = 10 * time.Second
	// linesAtOnce is after how many lines it is looked whether to go on.
	linesAtOnce = 256
)

const errTooLarge = folder.Reason("too large: larger than 64 MiB, or in markdown than 1 MiB")

// transcript is a file as it was when it was opened.
type transcript struct {
	*os.File
	size, mtime int64
	written     time.Time
}

func openTranscript(disk *folder.Disk, rel string) (*transcript, error) {
	f, info, err := disk.File(rel)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile || !isLines(rel) && info.Size() > foreign.MaxBytes {
		return nil, errors.Join(errTooLarge, f.Close())
	}
	return &transcript{File: f, size: info.Size(), mtime: info.ModTime().UnixNano(), written: info.ModTime()}, nil
}

// reading is one transcript as it is read.
type reading struct {
	collect *collect
	file    *transcript
	entry   *entry
	talk    *talk
	written time.Time
	// anew: it is read from its beginning, and what is known of it is passed
	// over. fresh: nothing is known of it.
	anew, fresh bool
	// skipping: of what is read anew, nothing is told before the first message
	// that is known. met: there was one.
	skipping, met bool
	// left: there is more in it than could be told now.
	left bool

	seen  map[uint64]bool
	times map[string]int // how often the same words came, when read anew
	// turn is the last word of an agent, until it is known to be its last.
	turn *turn
}

type turn struct {
	said   foreign.Said
	offset int64
}

// quiet reports whether nobody is writing.
func (r *reading) quiet() bool {
	age := r.collect.At.Sub(r.written)
	return age >= quietFor || age < -time.Minute
}

// read reads what is new.
func (r *reading) read(ctx context.Context, lines bool) error {
	if r.anew || r.fresh {
		marked, err := r.marked()
		if err != nil {
			return err
		}
		if marked {
			for _, item := range r.talk.take(func(open) bool { return true }) {
				r.collect.hearing.gone(r.talk, item)
			}
			r.entry.Offset, r.entry.Head, r.entry.Tail = 0, 0, 0
			return nil
		}
	}
	r.seen = r.entry.seen()
	r.skipping = r.anew && r.entry.Dropped
	offset, err := r.through(ctx, lines)
	if err == nil && r.skipping && !r.met { // another conversation altogether
		r.skipping = false
		offset, err = r.through(ctx, lines)
	}
	if err != nil {
		return err
	}
	return r.entry.fix(r.file, offset)
}

// marked reports whether a file carries the daemon's mark or is no text.
func (r *reading) marked() (bool, error) {
	head := make([]byte, folder.MarkWithin)
	n, err := r.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the head: %w", err)
	}
	return folder.Marked(head[:n]), nil
}

// through reads the messages and returns how far it came.
func (r *reading) through(ctx context.Context, lines bool) (int64, error) {
	r.times, r.turn, r.left = map[string]int{}, nil, false
	if !lines {
		return r.file.size, r.markdown()
	}
	from := r.entry.Offset
	if r.anew {
		from = 0
	}
	offset, err := r.lines(ctx, from)
	if err != nil || r.turn == nil {
		return offset, err
	}
	if r.left || !r.quiet() {
		r.left, r.collect.Again = true, true
		return r.turn.offset, nil
	}
	r.endTurn()
	return offset, nil
}

// lines reads JSON lines from an offset on. A last line without its end is left,
// unless nobody is writing and it is whole.
func (r *reading) lines(ctx context.Context, offset int64) (int64, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, offset, r.file.size-offset), 64<<10)
	for n := 0; ; n++ {
		if r.collect.hearing.full() {
			r.left = true
			r.collect.later()
			return offset, nil
		}
		if n%linesAtOnce == 0 && ctx.Err() != nil {
			return offset, ctx.Err()
		}
		line, length, ended, err := readLine(in)
		if err != nil {
			return offset, fmt.Errorf("read a line: %w", err)
		}
		if length == 0 {
			return offset, nil
		}
		said, ok := foreign.ReadLine(line)
		if !ended && !(ok && r.quiet()) {
			if r.quiet() { // broken off: read again when it goes on
				return offset, nil
			}
			r.left, r.collect.Again = true, true
			return offset, nil
		}
		r.take(said, offset)
		offset += length
	}
}

// readLine reads one line and says how long it is with its end. Of one that is
// too long nothing is kept.
func readLine(in *bufio.Reader) (line []byte, length int64, ended bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if length += int64(len(part)); length <= foreign.MaxLine+1 {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, length, false, err
		}
		return line, length, err == nil, nil
	}
}

// markdown reads the messages of a markdown transcript.
func (r *reading) markdown() error {
	data, err := io.ReadAll(io.NewSectionReader(r.file, 0, r.file.size))
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	all := foreign.ReadTranscript(data)
	for i, said := range all {
		if r.collect.hearing.full() {
			r.left = true
			r.collect.later()
			return nil
		}
		if i+1 == len(all) && !r.quiet() {
			r.left, r.collect.Again = true, true
			return nil
		}
		r.take(said, 0)
	}
	r.endTurn()
	return nil
}

// take takes in one message. Of what an agent says its last word is told, before
// the person speaks or when all is at rest.
func (r *reading) take(said foreign.Said, offset int64) {
	switch said.By {
	case foreign.AnAgent:
		if r.turn = nil; !said.Calls && said.Text != "" {
			r.turn = &turn{said, offset}
		}
	case foreign.ThePerson:
		r.endTurn()
		r.tell(said)
	}
}

func (r *reading) endTurn() {
	if r.turn != nil {
		r.tell(r.turn.said)
		r.turn = nil
	}
}

// tell hands a message on, unless it is known.
func (r *reading) tell(said foreign.Said) {
	hash, own := r.identity(said)
	if r.seen[hash] {
		r.met, r.skipping = true, false
		return
	}
	if r.skipping {
		return
	}
	again := own && r.fresh && r.collect.Begun() && r.collect.known(hash)
	r.seen[hash] = true
	r.entry.see(hash)
	if !again {
		r.collect.hearing.hear(r.talk, r.heard(said, hash))
	}
}

// identity returns a message's. The same words without an identity of their own
// are another message each time they come.
func (r *reading) identity(said foreign.Said) (hash uint64, own bool) {
	if !r.anew {
		for n := 1; ; n++ {
			if hash, own = identity(said, n); own || !r.seen[hash] {
				return hash, own
			}
		}
	}
	words := string(said.By) + "\x00" + said.Text
	r.times[words]++
	return identity(said, r.times[words])
}
