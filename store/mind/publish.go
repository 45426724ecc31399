package mind

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/renameio/v2"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
)

// DocumentName is the file name of the published document.
const DocumentName = "subconscious.json"

// Publisher writes the committed document to its file. Whoever reads the file
// sees one committed version whole. What somebody else put in its place is
// never overwritten, before it was adopted or set aside.
type Publisher struct {
	dir, path string
	store     *Store
	logger    *slog.Logger

	mu sync.Mutex
	// last is the hash of what this publisher wrote last: the file is nearly
	// always that, and then the database need not be asked.
	last [sha256.Size]byte
	// seen is the file that was looked at last, and aside the one that was set
	// aside and is still in its place.
	seen, aside fs.FileInfo
}

// NewPublisher returns the publisher for the state folder dir. A nil logger is
// silent.
func NewPublisher(dir string, store *Store, logger *slog.Logger) *Publisher {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Publisher{dir: dir, path: filepath.Join(dir, DocumentName), store: store, logger: logger}
}

// Publish writes doc, which was committed as the Published of tick, the newest
// one. It writes a temporary file in the same folder, syncs it, renames it and
// syncs the folder; with an error the last file is still there. A foreign file is
// one, with CodeEdited. written is false where the file already had these bytes.
func (p *Publisher) Publish(ctx context.Context, tick int64, doc []byte) (written bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	newest, hash, err := p.store.newestPublished(ctx)
	if err != nil {
		return false, fmt.Errorf("mind: publish tick %d: %w", tick, err)
	}
	if sum := sha256.Sum256(doc); newest != tick || !bytes.Equal(hash, sum[:]) {
		return false, fmt.Errorf("mind: publish tick %d: it is not the newest committed document, that of tick %d", tick, newest)
	}
	written, err = p.publish(ctx, doc)
	if err != nil {
		return written, fmt.Errorf("mind: publish tick %d: %w", tick, explain(p.path, err))
	}
	return written, nil
}

// Recover publishes the newest committed document again where a crash left
// none or an older one, and removes temporary files. It is called once, under
// the lock, before the first tick.
func (p *Publisher) Recover(ctx context.Context) (written bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.removeTemporary(); err != nil {
		return false, fmt.Errorf("mind: recover the document: %w", explain(p.path, err))
	}
	doc, ok, err := p.store.newestDocument(ctx)
	if err != nil || !ok {
		return false, err
	}
	written, err = p.publish(ctx, doc)
	if err != nil {
		return written, fmt.Errorf("mind: recover the document: %w", explain(p.path, err))
	}
	return written, nil
}

func (p *Publisher) publish(ctx context.Context, doc []byte) (written bool, err error) {
	there, err := readPlace(p.path)
	if err != nil || bytes.Equal(there.Content, doc) {
		p.seen = there.Info
		return false, err
	}
	temporary, err := p.write(doc)
	if err != nil {
		return false, err
	}
	defer func() {
		if written {
			err = errors.Join(err, temporary.Close())
		} else {
			err = errors.Join(err, temporary.Cleanup())
		}
	}()
	// Looked at again as late as possible: an edit made meanwhile is for the next
	// tick, not overwritten.
	if _, foreign, err := p.look(ctx); err != nil {
		return written, err
	} else if foreign {
		return written, &store.Error{Code: store.CodeEdited, Path: p.path, Text: p.path + " was changed by somebody meanwhile, and is not overwritten",
			Next: "Nothing is to be done: the next tick takes over what was changed, and publishes"}
	}
	if err := failpoint.Hit("publish.rename"); err != nil {
		return written, err
	}
	if err := os.Rename(temporary.Name(), p.path); err != nil {
		return written, err
	}
	written = true
	p.last, p.aside = sha256.Sum256(doc), nil
	if p.seen, err = os.Lstat(p.path); err == nil {
		err = failpoint.Hit("publish.renamed")
	}
	if err == nil {
		err = store.SyncFolder(p.dir)
	}
	if err == nil && p.store.adopted(ctx) != "" {
		err = p.store.SetMeta(ctx, metaAdopted, "") // who puts it back means it
	}
	return written, err
}

// write returns a temporary file with doc in it, on disk.
func (p *Publisher) write(doc []byte) (*renameio.PendingFile, error) {
	temporary, err := renameio.NewPendingFile(p.path, renameio.WithTempDir(p.dir), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return nil, err
	}
	_, err = temporary.Write(doc)
	if err == nil {
		err = failpoint.Hit("publish.written")
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, temporary.Cleanup())
	}
	return temporary, nil
}

// removeTemporary removes what crashes left. renameio names its files with a
// dot, the name and a number.
func (p *Publisher) removeTemporary() error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		number, ok := strings.CutPrefix(entry.Name(), "."+DocumentName)
		if ok && number != "" && strings.Trim(number, "0123456789") == "" && entry.Type().IsRegular() {
			if err := os.Remove(filepath.Join(p.dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// newestPublished returns the newest tick that has a document, and its hash; 0
// where there is none.
func (s *Store) newestPublished(ctx context.Context) (tick int64, hash []byte, err error) {
	newest, _, err := store.One(ctx, s.db, func(r *row) []any { return []any{&r.Tick, &r.hash} },
		"SELECT tick, hash FROM mind_ticks WHERE hash IS NOT NULL ORDER BY tick DESC LIMIT 1")
	return newest.Tick, newest.hash, err
}

func (s *Store) newestDocument(ctx context.Context) (doc []byte, ok bool, err error) {
	tick, _, err := s.newestPublished(ctx)
	if err != nil || tick == 0 {
		return nil, false, err
	}
	return s.Document(ctx, tick)
}

// isPublished reports whether a document with that hash was committed and is
// still kept. It looks at the newest first: it is nearly always one of them.
func (s *Store) isPublished(ctx context.Context, hash []byte) (known bool, err error) {
	_, known, err = store.One(ctx, s.db, store.Value[int], "SELECT 1 FROM mind_ticks WHERE hash = ? ORDER BY tick DESC LIMIT 1", hash)
	return known || err == nil && s.adopted(ctx) == fmt.Sprintf("%x", hash), err
}

// adopted is the hash of the foreign document that was adopted; "" for none.
func (s *Store) adopted(ctx context.Context) string {
	value, _, _ := s.Meta(ctx, metaAdopted) // what cannot be read was not adopted
	return value
}
