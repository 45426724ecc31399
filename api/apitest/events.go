package apitest

import (
	"context"

	"github.com/subconsciousd/subconsciousd/api"
)

// Happen adds an event, and wakes who waits for it.
func (m *Mind) Happen(kind api.EventKind, of string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Happened = append(m.Happened, api.Event{ID: m.Forgotten + int64(len(m.Happened)) + 1, At: at, Kind: kind, Of: of})
	if m.happens != nil {
		close(m.happens)
		m.happens = nil
	}
}

// Events returns those of Happened.
func (m *Mind) Events(ctx context.Context, after int64, limit int) (api.EventPage, error) {
	for {
		page, happens := m.events(after, limit)
		if len(page.Events) > 0 || page.Lost || after == api.Newest {
			return page, nil
		}
		select {
		case <-happens:
		case <-ctx.Done():
			return page, nil
		}
	}
}

func (m *Mind) events(after int64, limit int) (api.EventPage, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.happens == nil {
		m.happens = make(chan struct{})
	}
	page := api.EventPage{After: after, Last: m.Forgotten + int64(len(m.Happened))}
	if page.Lost = after != api.Newest && (after > page.Last || after < m.Forgotten); page.Lost || after == api.Newest {
		page.After = page.Last
		if after == 0 {
			page.After = m.Forgotten
		}
	}
	left := m.Happened[page.After-m.Forgotten:]
	page.Events = append(page.Events, left[:min(limit, len(left))]...)
	return page, m.happens
}
