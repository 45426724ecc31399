package mind

import (
	"context"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Habits returns what the person's acts say of letters, by name.
func (s *Store) Habits(ctx context.Context) (map[string]subconscious.Habit, error) {
	rows, err := all(ctx, s, "habits", store.JSONValue[subconscious.Habit], "SELECT body FROM mind_habits")
	habits := make(map[string]subconscious.Habit, len(rows))
	for _, habit := range rows {
		habits[habit.Name] = habit
	}
	return habits, err
}

// ResetHabits forgets the habit of that name, or all where it is "". It must not
// run while a tick does.
func (s *Store) ResetHabits(ctx context.Context, name string) error {
	return s.write(ctx, "reset habits", func(tx *store.Tx) error {
		return tx.Exec(ctx, "DELETE FROM mind_habits WHERE ?1 = '' OR name = ?1", name)
	})
}

func putHabits(ctx context.Context, tx *store.Tx, habits []subconscious.Habit) error {
	for _, habit := range habits {
		if err := tx.Exec(ctx, `INSERT INTO mind_habits (name, day, body) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET day = excluded.day, body = excluded.body`, habit.Name, habit.Day, store.JSON(habit)); err != nil {
			return err
		}
	}
	return nil
}
