package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Add writes a message in a transaction of its own and returns it as it is
// stored. A conversation that is not there begins with it. With a key that this
// author and name used before, nothing is written and that message returned.
//
// Errors wrap ErrInvalid, or ErrFull; nothing was written then.
func (l *Log) Add(ctx context.Context, m Message) (posted Message, err error) {
	err = l.db.Write(ctx, func(tx *store.Tx) (err error) {
		posted, err = l.post(ctx, tx, m)
		return err
	})
	if err != nil {
		return Message{}, fmt.Errorf("chat: post: %w", err)
	}
	return posted, nil
}

// Post writes a message in the caller's transaction, as Add does. After an
// error that wraps ErrInvalid or ErrFull the transaction can go on.
func (l *Log) Post(ctx context.Context, tx *store.Tx, m Message) (Message, error) {
	posted, err := l.post(ctx, tx, m)
	if err != nil {
		return Message{}, fmt.Errorf("chat: post: %w", err)
	}
	return posted, nil
}

func (l *Log) post(ctx context.Context, tx *store.Tx, m Message) (Message, error) {
	clean, err := l.prepare(m)
	if err != nil {
		return Message{}, err
	}
	if clean.Key != "" {
		known, ok, err := store.One(ctx, tx, (*Message).columns, "SELECT "+columns+" FROM chat_messages m WHERE author = ? AND name = ? AND key = ?",
			clean.Author, clean.Name, clean.Key)
		if ok || err != nil {
			return known, err
		}
	}
	if err := l.open(ctx, tx, clean); err != nil {
		return Message{}, err
	}
	if clean.ID, err = tx.Insert(ctx, "chat_messages", "conversation, at, author, name, trust, text, key, deliberation, proposal", clean.Conversation,
		clean.At.UnixNano(), clean.Author, clean.Name, clean.Trust, clean.Text, clean.Key, clean.Deliberation, clean.Proposal); err != nil {
		return Message{}, err
	}
	if err := tx.Exec(ctx, "INSERT INTO chat_words (rowid, text) VALUES (?, ?)", clean.ID, fulltext.Split(clean.Text)); err != nil {
		return Message{}, err
	}
	indexed := clean
	tx.After(func() {
		if l.ranked.Covers(indexed.ID) {
			l.ranked.add(indexed)
		}
	})
	_, err = tx.ExecContext(ctx, "UPDATE chat_conversations SET messages = messages + 1, last = ?, last_id = ?, updated = max(updated, ?) WHERE id = ?",
		subconscious.Summary(clean.Text), clean.ID, clean.At.UnixNano(), clean.Conversation)
	clean.Key = ""
	return clean, err
}

// open makes room for the message, and its conversation where it is not there.
func (l *Log) open(ctx context.Context, tx *store.Tx, m Message) error {
	var messages, conversations, there int
	if err := tx.QueryRowContext(ctx, `SELECT messages, conversations, (SELECT count(*) FROM chat_conversations WHERE id = ?)
		FROM chat_counts`, m.Conversation).Scan(&messages, &conversations, &there); err != nil {
		return err
	}
	if limit := l.share(l.options.MaxMessages, m.Author); messages >= limit {
		return fmt.Errorf("%w: %d messages are kept", ErrFull, limit)
	}
	if there > 0 {
		return nil
	}
	if limit := l.share(l.options.MaxConversations, m.Author); conversations >= limit {
		return fmt.Errorf("%w: %d conversations are kept; go on in one of them", ErrFull, limit)
	}
	return tx.Exec(ctx, "INSERT INTO chat_conversations (id, title, created, updated, messages, last, last_id) VALUES (?, ?, ?, ?, 0, '', 0)",
		m.Conversation, subconscious.Summary(m.Text), m.At.UnixNano(), m.At.UnixNano())
}

// share is how much of limit an author may fill: the last tenth is the
// person's, whom nobody else can keep from speaking.
func (l *Log) share(limit int, author Author) int {
	if author == Person {
		return limit
	}
	return limit - limit/10
}

// sweepAtOnce bounds how many messages one transaction erases.
const sweepAtOnce = 500

// Sweep erases the messages that are older than is kept, and conversations that
// nothing is left of, and returns how many messages went. It lets others write
// in between.
func (l *Log) Sweep(ctx context.Context, at time.Time) (swept int, err error) {
	for {
		var gone int
		err := l.db.Write(ctx, func(tx *store.Tx) (err error) {
			gone, err = l.sweep(ctx, tx, at.Add(-l.options.Kept))
			return err
		})
		if err != nil {
			return swept, fmt.Errorf("chat: sweep: %w", err)
		}
		if swept += gone; gone < sweepAtOnce {
			return swept, nil
		}
	}
}

// sweep erases up to sweepAtOnce messages that were said before a time.
func (l *Log) sweep(ctx context.Context, tx *store.Tx, before time.Time) (int, error) {
	old, err := store.All(ctx, tx, func(m *Message) []any { return []any{&m.ID, &m.Conversation} },
		"SELECT id, conversation FROM chat_messages WHERE at < ? ORDER BY at LIMIT ?", before.UnixNano(), sweepAtOnce)
	if err != nil {
		return 0, err
	}
	tx.After(func() {
		for _, m := range old {
			l.ranked.Remove(m.ID)
		}
	})
	from := map[string]int{} // how many go of each conversation
	for _, m := range old {
		from[m.Conversation]++
		if err := tx.Exec(ctx, "DELETE FROM chat_words WHERE rowid = ?", m.ID); err != nil {
			return 0, err
		}
		if err := tx.Exec(ctx, "DELETE FROM chat_messages WHERE id = ?", m.ID); err != nil {
			return 0, err
		}
	}
	for conversation, gone := range from {
		if err := shorten(ctx, tx, conversation, gone); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

// shorten brings a conversation in step after some of its messages have gone.
func shorten(ctx context.Context, tx *store.Tx, conversation string, gone int) error {
	if err := tx.Exec(ctx, "UPDATE chat_conversations SET messages = messages - ? WHERE id = ?", gone, conversation); err != nil {
		return err
	}
	if err := tx.Exec(ctx, "DELETE FROM chat_conversations WHERE id = ? AND messages = 0", conversation); err != nil {
		return err
	}
	last, ok, err := store.One(ctx, tx, (*Message).columns, "SELECT "+columns+" FROM chat_messages m WHERE conversation = ? ORDER BY id DESC LIMIT 1", conversation)
	if err != nil || !ok {
		return err
	}
	return tx.Exec(ctx, "UPDATE chat_conversations SET last = ?, last_id = ? WHERE id = ?", subconscious.Summary(last.Text), last.ID, conversation)
}
