package memory

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Imported counts what came of an import.
type Imported struct {
	Stored int `json:"stored"`
	// Seen are there already with the same text.
	Seen int `json:"seen"`
	// Conflicts are there already with another text, which stays.
	Conflicts int `json:"conflicts"`
	Refused   int `json:"refused"`
	// Forgotten were forgotten by the person, and are not brought back.
	Forgotten int `json:"forgotten"`
	// Problems name the lines that were not taken, at most 100 of them, and why.
	Problems []string `json:"problems,omitempty"`
}

// The bounds of what is imported.
const (
	maxLine     = 64 << 10
	maxLines    = 1_000_000
	maxProblems = 100
)

var recordID = lazy.Regexp(`^m-[a-z2-7]{10}$`)

// Import reads what Export wrote as jsonl, in transactions of several records each. What
// is no export, or one of another version, is an error that wraps ErrInvalid; a line that
// cannot be taken is one of the Problems, and the others are taken.
func (s *Store) Import(ctx context.Context, r io.Reader) (Imported, error) {
	in := importing{s: s, lines: bufio.NewReaderSize(r, maxLine), stored: map[string]bool{}, acts: map[int64]int64{}}
	err := in.head()
	for more := err == nil; more && err == nil; {
		more, err = in.batch(ctx)
	}
	if err != nil {
		return in.Imported, fmt.Errorf("memory: import: %w", err)
	}
	return in.Imported, nil
}

type importing struct {
	Imported
	s     *Store
	lines *bufio.Reader
	n     int // of the last line that was read
	// next is a record that was read, and belongs to the next batch.
	next *exported
	// stored are the records that this import has written, and acts their acts here.
	stored map[string]bool
	acts   map[int64]int64
}

func (in *importing) head() error {
	line, err := in.line()
	var head exported
	if err != nil || json.Unmarshal(line, &head) != nil || head.Format == 0 {
		return fmt.Errorf("%w: it is no export of this memory; take a file that `memory export --format jsonl` wrote", ErrInvalid)
	}
	if head.Format != exportFormat {
		return fmt.Errorf("%w: it is of format %d, and this program reads %d; import it with the version that wrote it", ErrInvalid, head.Format, exportFormat)
	}
	return nil
}

var errLong = fmt.Errorf("it has more than %d bytes", maxLine)

// line returns the next line, which is valid until the next call; io.EOF behind the last.
func (in *importing) line() ([]byte, error) {
	if in.n++; in.n > maxLines {
		return nil, fmt.Errorf("%w: it has more than %d lines; those before are taken", ErrInvalid, maxLines)
	}
	line, err := in.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.lines.ReadSlice('\n')
		}
		if err == nil || err == io.EOF {
			err = errLong
		}
		return nil, err
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	return line, err
}

// refuse counts a line that is not taken.
func (in *importing) refuse(count *int, line int, why error) {
	*count++
	if len(in.Problems) < maxProblems {
		in.Problems = append(in.Problems, fmt.Sprintf("line %d: %s", line, subconscious.Clip(why.Error(), 300)))
	}
}

// read returns the next line that says something; nil behind the last.
func (in *importing) read() (*exported, error) {
	if next := in.next; next != nil {
		in.next = nil
		return next, nil
	}
	for {
		line, err := in.line()
		switch {
		case err == io.EOF:
			return nil, nil
		case errors.Is(err, errLong):
			in.refuse(&in.Refused, in.n, err)
			continue
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		e := exported{line: in.n}
		if json.Unmarshal(line, &e) != nil || e.Record == nil && e.Event == nil && e.Conflict == nil {
			in.refuse(&in.Refused, in.n, errors.New("it is no line of an export"))
			continue
		}
		return &e, nil
	}
}

// batch takes records, and what belongs to them, in one transaction.
func (in *importing) batch(ctx context.Context) (more bool, err error) {
	var all []exported
	for records := 0; len(all) < 4*atOnce; {
		e, err := in.read()
		if err != nil {
			return false, err
		}
		if more = e != nil; !more {
			break
		}
		if e.Record != nil {
			if records++; records > atOnce {
				in.next = e
				break
			}
		}
		all = append(all, *e)
	}
	return more, in.s.db.Write(ctx, func(tx *store.Tx) error {
		for _, e := range all {
			var err error
			switch {
			case e.Record != nil:
				err = in.record(ctx, tx, e)
			case e.Event != nil:
				err = in.event(ctx, tx, e)
			default:
				err = tx.Exec(ctx, "INSERT OR IGNORE INTO memory_conflicts (older, newer, at) SELECT ?1, ?2, ?3 WHERE "+
					"EXISTS (SELECT 1 FROM memory_records WHERE id = ?1) AND EXISTS (SELECT 1 FROM memory_records WHERE id = ?2)", e.Conflict.Older, e.Conflict.Newer, e.Conflict.At.UnixNano())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (in *importing) record(ctx context.Context, tx *store.Tx, e exported) error {
	r, err := in.s.restored(*e.Record)
	if err != nil {
		in.refuse(&in.Refused, e.line, err)
		return nil
	}
	if len(in.s.options.Tombstones.of(r)) > 0 {
		in.Forgotten++
		return in.s.count(ctx, tx, WasForgotten)
	}
	there, err := byID(ctx, tx, r.ID)
	if errors.Is(err, ErrNotFound) && r.Status == Active {
		there, err = in.s.says(ctx, tx, row{Record: r})
	}
	switch {
	case err == nil && bytes.Equal(hashOf(there.Text), hashOf(r.Text)):
		in.Seen++
		return nil
	case err == nil:
		in.refuse(&in.Conflicts, e.line, fmt.Errorf("%s is there already, and says something else, which stays", r.ID))
		return nil
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if r.Status == Active {
		if err := in.s.room(ctx, tx, in.s.act(string(Person)), r); errors.Is(err, ErrFull) {
			in.refuse(&in.Refused, e.line, err)
			return nil
		} else if err != nil {
			return err
		}
	}
	kept := r.asKept()
	n, err := tx.Insert(ctx, "memory_records", columnNames+", hash", append(kept.columns(), hashOf(r.Text))...)
	if err != nil {
		return err
	}
	in.Stored++
	in.stored[r.ID] = true
	return in.s.index(ctx, tx, row{r, n})
}

// event takes a change of a record that this import has written.
func (in *importing) event(ctx context.Context, tx *store.Tx, e exported) error {
	h, before := *e.Event, ""
	if !in.stored[h.ID] {
		return nil
	}
	err := cmp.Or(dated(h.At), fits("name", h.By, MaxName), fits("name", h.What, 2*MaxPath)) // it may say what was found
	if err == nil && h.Before != nil {
		var was Record
		if was, err = in.s.restored(*h.Before); err == nil && was.ID != h.ID {
			err = fmt.Errorf("%w: it is the history of another record", ErrInvalid)
		}
		if err == nil && len(in.s.options.Tombstones.of(was)) > 0 {
			in.Forgotten++
			return nil
		}
		if err == nil {
			var text driver.Value
			text, err = store.JSON(was).Value()
			before, _ = text.(string)
		}
	}
	if err != nil {
		in.refuse(&in.Refused, e.line, err)
		return nil
	}
	act := &act{n: in.acts[e.Act], at: h.At, by: h.By}
	err = in.s.tell(ctx, tx, act, h.What, h.ID, before)
	in.acts[e.Act] = act.n
	return err
}

// restored is a record as it is to be there again: checked like one that is written, with
// all that the store has given it.
func (s *Store) restored(given Record) (Record, error) {
	r, err := s.prepare(given.asKept())
	if err != nil {
		return Record{}, err
	}
	r.ID, r.Version, r.Lane, r.Status, r.SupersededBy = given.ID, given.Version, given.Lane, given.Status, given.SupersededBy
	r.Confidence, r.Validity, r.Checked, r.Created, r.Updated = given.Confidence, given.Validity, given.Checked.UTC(), given.Created.UTC(), given.Updated.UTC()
	r.LastSeen, r.SeenCount, r.Used, r.LastUsed = given.LastSeen.UTC(), given.SeenCount, given.Used, given.LastUsed.UTC()
	for _, id := range append([]string{r.ID, r.Supersedes, r.SupersededBy}, r.Derived...) {
		if id != "" && !recordID().MatchString(id) || r.ID == "" {
			return Record{}, fmt.Errorf("%w: %.70q is no id of a record", ErrInvalid, id)
		}
	}
	trusted := r.Trust == subconscious.Owner || r.Trust == subconscious.Machine
	switch {
	case (r.Lane == Trusted) != trusted, r.Lane == Agents && r.Trust != subconscious.Agent, !slices.Contains(Lanes(), r.Lane):
		return Record{}, fmt.Errorf("%w: what %.20q says does not belong to the lane %.20q", ErrInvalid, r.Trust, r.Lane)
	case !slices.Contains([]Status{Active, Superseded, Archived}, r.Status):
		return Record{}, fmt.Errorf("%w: there is no status %.20q", ErrInvalid, r.Status)
	case !slices.Contains([]Validity{Unknown, Holds, Changed, Missing}, r.Validity):
		return Record{}, fmt.Errorf("%w: there is no validity %.20q", ErrInvalid, r.Validity)
	case r.Version < 1, r.SeenCount < 0, r.Used < 0, max(r.Version, r.SeenCount, r.Used) > 1<<40, !(r.Confidence >= 0 && r.Confidence <= 1):
		return Record{}, fmt.Errorf("%w: its version, its confidence or what is counted of it cannot be", ErrInvalid)
	}
	if o := r.Origin; o != nil {
		err = cmp.Or(fits("adapter", o.Adapter, MaxName), fits("path", o.Path, MaxPath), fits("lines", o.Lines, MaxName), fits("hash", o.Hash, 2*MaxName))
	}
	return r, cmp.Or(err, dated(r.Checked, r.Created, r.Updated, r.LastSeen, r.LastUsed))
}

// fits refuses a name that is too long, or not plain.
func fits(what, name string, most int) error {
	if len(name) > most || fulltext.Line(name) != name {
		return fmt.Errorf("%w: the %s is longer than %d bytes, or not on one line", ErrInvalid, what, most)
	}
	return nil
}

// dated refuses times that are not kept.
func dated(times ...time.Time) error {
	for _, t := range times {
		if year := t.Year(); !t.IsZero() && (year < 1970 || year > 2100) {
			return fmt.Errorf("%w: it has a time in the year %d, and times from 1970 to 2100 are kept", ErrInvalid, year)
		}
	}
	return nil
}
