package chat

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
)

const (
	defaultLimit = 10
	maxFound     = 100
	maxPage      = 1000
)

const columns = "m.id, m.conversation, m.at, m.author, m.name, m.trust, m.text, m.deliberation, m.proposal"

func (m *Message) columns() []any {
	return []any{&m.ID, &m.Conversation, store.Time(&m.At), &m.Author, &m.Name, &m.Trust, &m.Text, &m.Deliberation, &m.Proposal}
}

// Conversations returns up to limit (1 to 1,000; 0 is 10) conversations, those
// spoken in last first. Before is the LastID to go on after; 0 begins with the
// newest.
func (l *Log) Conversations(ctx context.Context, before int64, limit int) ([]Conversation, error) {
	limit, err := page(limit)
	if err != nil {
		return nil, fmt.Errorf("chat: conversations: %w", err)
	}
	all, err := store.All(ctx, l.db, func(c *Conversation) []any {
		return []any{&c.ID, &c.Title, store.Time(&c.Created), store.Time(&c.Updated), &c.Messages, &c.Last, &c.LastID}
	}, `SELECT id, title, created, updated, messages, last, last_id FROM chat_conversations
		WHERE last_id < ? ORDER BY last_id DESC LIMIT ?`, beginning(before), limit)
	if err != nil {
		return nil, fmt.Errorf("chat: conversations: %w", err)
	}
	return all, nil
}

// Messages returns up to limit (1 to 1,000; 0 is 10) messages of a
// conversation, the newest first. Before is the ID to go on after; 0 begins
// with the newest. An error wraps ErrNotFound where there is no such
// conversation.
func (l *Log) Messages(ctx context.Context, conversation string, before int64, limit int) ([]Message, error) {
	limit, err := page(limit)
	if err != nil {
		return nil, fmt.Errorf("chat: messages: %w", err)
	}
	conversation = named(conversation)
	var all []Message
	_, there, err := store.One(ctx, l.db, store.Value[int], "SELECT 1 FROM chat_conversations WHERE id = ?", conversation)
	if err == nil && !there {
		err = ErrNotFound
	}
	if err == nil {
		all, err = l.messages(ctx, "m.conversation = ? AND m.id < ? ORDER BY m.id DESC LIMIT ?", conversation, beginning(before), limit)
	}
	if err != nil {
		return nil, fmt.Errorf("chat: messages of %q: %w", cut(conversation), err)
	}
	return all, nil
}

// After returns up to limit (1 to 1,000; 0 is 10) messages with an ID above id,
// in the order in which they were stored, those of the mind included.
func (l *Log) After(ctx context.Context, id int64, limit int) ([]Message, error) {
	limit, err := page(limit)
	if err != nil {
		return nil, fmt.Errorf("chat: after: %w", err)
	}
	all, err := l.messages(ctx, "m.id > ? ORDER BY m.id LIMIT ?", id, limit)
	if err != nil {
		return nil, fmt.Errorf("chat: after %d: %w", id, err)
	}
	return all, nil
}

// Began says who began conversations, and so chose their names: the author and
// the agent's name of the first message. A conversation that is not there, or
// whose first message is no longer kept, is left out.
func (l *Log) Began(ctx context.Context, conversations ...string) (map[string]Message, error) {
	began := map[string]Message{}
	type message struct {
		Message
		first bool
	}
	for _, conversation := range slices.Compact(slices.Sorted(slices.Values(conversations))) {
		m, ok, err := store.One(ctx, l.db, func(m *message) []any { return []any{&m.Author, &m.Name, &m.first} },
			`SELECT m.author, m.name, m.at = c.created FROM chat_messages m JOIN chat_conversations c ON c.id = m.conversation
			WHERE m.conversation = ? ORDER BY m.id LIMIT 1`, conversation)
		if err != nil {
			return nil, fmt.Errorf("chat: who began: %w", err)
		}
		if ok && m.first {
			began[conversation] = m.Message
		}
	}
	return began, nil
}

// Search returns the messages that fit the words best, best first. Without a
// word in q.Words nothing is found. An error of the query wraps ErrInvalid.
func (l *Log) Search(ctx context.Context, q Query) ([]Found, error) {
	if q.Limit < 0 || q.Limit > maxFound {
		return nil, fmt.Errorf("chat: search: %w: the limit is %d, and may be 1 to %d", ErrInvalid, q.Limit, maxFound)
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	if l.ranked.Whole() {
		// Words that say little are in the table alone.
		if found, err := l.recalled(ctx, q); err != nil || len(found) > 0 {
			if err != nil {
				err = fmt.Errorf("chat: search: %w", err)
			}
			return found, err
		}
	}
	expression, ok := fulltext.Match(q.Words)
	if !ok {
		return nil, nil
	}
	only, args := []string{}, []any{expression}
	if q.Conversation != "" {
		only, args = append(only, "conversation = ?"), append(args, named(q.Conversation))
	}
	if q.Author != "" {
		only, args = append(only, "author = ?"), append(args, q.Author)
	}
	if since := q.Since; since.After(time.Unix(0, 0)) {
		only, args = append(only, "at >= ?"), append(args, since.UnixNano())
	}
	ranked := "SELECT rowid AS id, bm25(chat_words) AS rank FROM chat_words WHERE chat_words MATCH ?"
	if len(only) > 0 {
		ranked += " AND EXISTS (SELECT 1 FROM chat_messages WHERE id = chat_words.rowid AND " + strings.Join(only, " AND ") + ")"
	}
	found, err := store.All(ctx, l.db, func(f *Found) []any { return append(f.columns(), &f.Score) }, "SELECT "+columns+", -best.rank FROM ("+ranked+" ORDER BY rank, rowid DESC LIMIT ?) AS best JOIN chat_messages m USING (id) ORDER BY best.rank, m.id DESC",
		append(args, q.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("chat: search: %w", err)
	}
	return found, nil
}

func (l *Log) messages(ctx context.Context, condition string, args ...any) ([]Message, error) {
	return store.All(ctx, l.db, (*Message).columns, "SELECT "+columns+" FROM chat_messages m WHERE "+condition, args...)
}

// named is a name as it is kept.
func named(given string) string { return strings.ToLower(fulltext.Line(given)) }

// beginning is the ID that a page stops short of.
func beginning(before int64) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}

func page(limit int) (int, error) {
	switch {
	case limit < 0 || limit > maxPage:
		return 0, fmt.Errorf("%w: the limit is %d, and may be 1 to %d", ErrInvalid, limit, maxPage)
	case limit == 0:
		return defaultLimit, nil
	}
	return limit, nil
}
