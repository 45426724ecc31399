package memory

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
)

// exportFormat is what the first line of an export says of it.
const exportFormat = 1

// atOnce is how many records are read, or written, in one transaction.
const atOnce = 500

// exported is a line of an export as jsonl: the head, a record, a change of the record
// before it, or a conflict.
type exported struct {
	Mark     string    `json:"mark"`
	Format   int       `json:"format,omitempty"`
	Record   *Record   `json:"record,omitempty"`
	Event    *Happened `json:"event,omitempty"`
	Act      int64     `json:"act,omitempty"` // of the event
	Conflict *conflict `json:"conflict,omitempty"`
	line     int       // its number, where it was read
}

type conflict struct {
	Older string    `json:"older"`
	Newer string    `json:"newer"`
	At    time.Time `json:"at"`
}

// Export writes all records, whatever their lane and status, under our mark: as "md" to
// be read and compared, by id; or as "jsonl", which Import reads back, with the history, in
// the order in which they were written. Another format wraps ErrInvalid.
func (s *Store) Export(ctx context.Context, w io.Writer, format string) (err error) {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false) // the mark is to stand in it
	line := func(e exported) error {
		e.Mark = Mark + " -->"
		return lines.Encode(e)
	}
	switch format {
	case "md":
		if _, err = fmt.Fprintf(out, "%s export -->\n\n# What is remembered\n", Mark); err == nil {
			err = s.each(ctx, "id", func(r row) error { return r.markdown(out) })
		}
	case "jsonl":
		if err = line(exported{Format: exportFormat}); err == nil {
			err = s.each(ctx, "n", func(r row) error {
				if err := line(exported{Record: &r.Record}); err != nil {
					return err
				}
				events, err := store.All(ctx, s.db, func(e *exported) []any {
					e.Event = &Happened{}
					return append([]any{&e.Act}, e.Event.columns()...)
				}, "SELECT act, "+eventColumns+" FROM memory_events WHERE id = ? ORDER BY seq", r.ID)
				for _, e := range events {
					if err == nil {
						err = line(e)
					}
				}
				return err
			})
		}
		var conflicts []conflict
		if err == nil {
			conflicts, err = store.All(ctx, s.db, (*conflict).columns, "SELECT older, newer, at FROM memory_conflicts ORDER BY older, newer")
		}
		for _, c := range conflicts {
			if err == nil {
				err = line(exported{Conflict: &c})
			}
		}
	default:
		return fmt.Errorf("memory: export: %w: there is no format %.20q; take md or jsonl", ErrInvalid, format)
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("memory: export: %w", err)
	}
	return nil
}

func (c *conflict) columns() []any { return []any{&c.Older, &c.Newer, store.Time(&c.At)} }

// each calls do for each record, in the order of a column that is another in each; a
// slow reader keeps nobody from writing.
func (s *Store) each(ctx context.Context, by string, do func(row) error) error {
	for after := any(""); ; {
		condition := "?1 = ''"
		if after != "" {
			condition = "r." + by + " > ?1"
		}
		next, err := rows(ctx, s.db, condition+" ORDER BY r."+by+" LIMIT ?2", after, atOnce)
		if err != nil {
			return err
		}
		for _, r := range next {
			if err := do(r); err != nil {
				return err
			}
			if after = r.n; by == "id" {
				after = r.ID
			}
		}
		if len(next) < atOnce {
			return nil
		}
	}
}

// markdown writes a record as a passage under its own heading.
func (r row) markdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s: %s\n\n%s %s version %d -->\n\n", r.ID, r.Title, Mark, r.ID, r.Version)
	of := func(name string, values ...string) {
		if value := fulltext.Line(strings.Join(values, ", ")); value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, value)
		}
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	var cited []string
	for _, c := range r.Citations {
		cited = append(cited, c.String())
	}
	of("kind", string(r.Kind))
	of("lane", r.State())
	of("tags", r.Tags...)
	of("topic", r.Topic)
	of("project", r.About.Project)
	of("by", r.By())
	of("said", at(r.Said))
	of("written", at(r.Created))
	of("cites", cited...)
	of("made from", r.Derived...)
	of("superseded by", r.SupersededBy)
	if !r.Extracted {
		of("summary", r.Summary)
	}
	fmt.Fprintf(&b, "\n> %s\n", strings.ReplaceAll(r.Text, "\n", "\n> "))
	_, err := io.WriteString(out, b.String())
	return err
}
