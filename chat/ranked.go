package chat

import (
	"context"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/internal/recall"
	"github.com/subconsciousd/subconsciousd/store"
)

// ranked are the messages as they are ranked, in memory. They are read in by Rank, and
// follow each commit; until they are in, the table of full text answers.
type ranked struct {
	*recall.Index
	recall.Reading
}

func (r *ranked) add(m Message) { r.Add(passage(m)) }

func passage(m Message) recall.Passage {
	p := recall.Passage{ID: m.ID, Session: m.Conversation, Place: int(m.ID), Text: m.Text, Said: m.At, Labels: Query{Author: m.Author}.labels()}
	if m.Author == Agent {
		p.Speaker = m.Name
	}
	return p
}

func (q Query) labels() []string {
	if q.Author == "" {
		return nil
	}
	return []string{"author:" + string(q.Author)}
}

// Rank reads all messages in, so that Search ranks them; until then it answers by full
// text alone. It is called once, beside whatever else is done.
func (l *Log) Rank(ctx context.Context) error {
	err := l.ranked.All(func(behind int64, most int, took func(int64, int)) error {
		return l.db.Write(ctx, func(tx *store.Tx) error {
			messages, err := store.All(ctx, tx, (*Message).columns, "SELECT "+columns+" FROM chat_messages m WHERE m.id > ? ORDER BY m.id LIMIT ?", behind, most)
			tx.After(func() {
				last, passages := behind, make([]recall.Passage, len(messages))
				for i, m := range messages {
					last, passages[i] = m.ID, passage(m)
				}
				l.ranked.Add(passages...)
				took(last, len(messages))
			})
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("chat: rank: %w", err)
	}
	return nil
}

// recalled are the messages that the ranking finds.
func (l *Log) recalled(ctx context.Context, q Query) (found []Found, err error) {
	asked := recall.Question{Text: q.Words, Limit: q.Limit, Now: l.options.Now(), With: q.labels(), Session: named(q.Conversation), Since: q.Since}
	hits := l.ranked.Search(asked)
	read, err := l.messages(ctx, "m.id IN (SELECT value FROM json_each(?))", store.JSON(recall.IDs(hits)))
	for _, hit := range hits {
		if i := slices.IndexFunc(read, func(m Message) bool { return m.ID == hit.ID }); i >= 0 { // it was not swept meanwhile
			found = append(found, Found{Message: read[i], Score: hit.Score, Beside: hit.Own == 0})
		}
	}
	return found, err
}
