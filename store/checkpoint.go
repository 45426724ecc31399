package store

import "context"

// Checkpoint brings the write-ahead log into the file and empties it, so that
// nothing stays in it that has been overwritten since. It waits for readers for
// as long as any statement does; done is false where one of them was still in
// the way, and the log was not emptied.
func (db *DB) Checkpoint(ctx context.Context) (done bool, err error) {
	var busy, pages, moved int
	if err := db.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return false, db.wrap("checkpoint", err)
	}
	return busy == 0, nil
}
