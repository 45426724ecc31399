package eval

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// mailFinding is one that the daemon accepted.
type mailFinding struct {
	thread  subconscious.ThreadName
	at      time.Time
	finding subconscious.Finding
}

// deliverCorpus plays the days over which a corpus comes through a whole daemon.
func deliverCorpus(ctx context.Context, c *corpus, options mailOptions) (f mailFigures, err error) {
	start, end := c.span(options.days)
	d := &day{
		path: options.path, name: "corpus", zone: time.UTC, start: start, end: end, addresses: options.addresses,
		quiet: escalate.DefaultRules().Quiet, posts: c.posts(start, end),
	}
	f = mailFigures{Parts: c.parts, Addresses: options.addresses, From: start, Days: options.days, Messages: len(c.messages), Bytes: c.bytes, NoMail: c.unread}
	f.read(c)
	world, err := openDay(ctx, d, models.PresetReflex)
	if err != nil {
		return f, err
	}
	defer func() {
		if closed := world.close(ctx); err == nil {
			err = closed
		}
	}()
	p, found := newDayPlayer(world), []mailFinding{}
	p.after = func(ctx context.Context, report api.TickReport) error {
		merged, err := world.mind.Merged(ctx, report.Tick)
		if err != nil {
			return err
		}
		for _, a := range merged.Changes.Accepted {
			found = append(found, mailFinding{a.Thread, report.At, a.Finding})
		}
		if slices.ContainsFunc(report.Senses, func(s api.SenseReport) bool { return s.Kind == "mail" && s.Error != "" }) {
			f.Blind++
		}
		return nil
	}
	began := time.Now()
	for at := d.start; at.Before(d.end); at = at.Add(daySlot) {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		if err := p.slot(ctx, at); err != nil {
			return f, fmt.Errorf("at %s: %w", at.Format(time.DateTime), err)
		}
	}
	f.Ticks, f.TickMS = p.played.ticks, float64(time.Since(began).Milliseconds())/float64(max(1, p.played.ticks))
	f.RSS, f.RSSPeak = residentMB()
	if err := world.mind.Stop(context.WithoutCancel(ctx)); err != nil {
		return f, err
	}
	seen, err := recordedMail(ctx, filepath.Join(world.dir, "state", "mind.db"))
	if err != nil {
		return f, err
	}
	f.sort(c, seen)
	f.rules(found)
	f.told(p.played)
	f.draw(c, seen, found, options)
	f.reaches()
	return f, nil
}

// recordedMail is what the daemon recorded of mail: of each observation every kind
// that it ever was.
func recordedMail(ctx context.Context, path string) (map[string]map[string]bool, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return nil, fmt.Errorf("read what was recorded: %w", err)
	}
	defer db.Close() // nothing was written
	rows, err := db.QueryContext(ctx, `SELECT observation FROM ledger_changes`)
	if err != nil {
		return nil, fmt.Errorf("read what was recorded: %w", err)
	}
	defer rows.Close()
	seen := map[string]map[string]bool{}
	for rows.Next() {
		var text []byte
		var o subconscious.Observation
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("read what was recorded: %w", err)
		}
		if err := json.Unmarshal(text, &o); err != nil {
			return nil, fmt.Errorf("read what was recorded: %w", err)
		}
		if o.Sense != "mail" {
			continue
		}
		if seen[o.ID] == nil {
			seen[o.ID] = map[string]bool{}
		}
		seen[o.ID][string(o.Kind)] = true
	}
	return seen, rows.Err()
}
