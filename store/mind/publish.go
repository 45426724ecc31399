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
	"time"

	"github.com/google/renameio/v2"

	"github.com/subconsciousd/subconsciousd/internal/failpoint"
	"github.com/subconsciousd/subconsciousd/store"
)

// DocumentName is the file name of the published document.
const DocumentName = "subconscious.json"

// Publisher writes the committed document to its file. Whoever reads the file
// sees one committed version whole. What somebody else put in its place is
// never overwritten.
type Publisher struct {
	dir, path string
	store     *Store
	logger    *slog.Logger

	mu sync.Mutex
	// last is the hash of what this publisher wrote last: the file is nearly
	// always that, and then the database need not be asked.
	last [sha256.Size]byte
}

// PublishResult says what publishing did.
type PublishResult struct {
	// Written is false where the file already had these bytes.
	Written bool
	// Rejected is the path under which a file that is not ours was set aside,
	// or "".
	Rejected string
	// Removed are older such files that were removed, since 20 are kept.
	Removed []string
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
// syncs the folder; with an error the last file is still there.
func (p *Publisher) Publish(ctx context.Context, at time.Time, tick int64, doc []byte) (PublishResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	newest, hash, err := p.store.newestPublished(ctx)
	if err != nil {
		return PublishResult{}, fmt.Errorf("mind: publish tick %d: %w", tick, err)
	}
	if sum := sha256.Sum256(doc); newest != tick || !bytes.Equal(hash, sum[:]) {
		return PublishResult{}, fmt.Errorf("mind: publish tick %d: it is not the newest committed document, that of tick %d", tick, newest)
	}
	result, err := p.publish(ctx, at, doc)
	if err != nil {
		return result, fmt.Errorf("mind: publish tick %d: %w", tick, explain(p.path, err))
	}
	return result, nil
}

// Recover publishes the newest committed document again where a crash left
// none or an older one, and removes temporary files. It is called once, under
// the lock, before the first tick.
func (p *Publisher) Recover(ctx context.Context, at time.Time) (PublishResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.removeTemporary(); err != nil {
		return PublishResult{}, fmt.Errorf("mind: recover the document: %w", explain(p.path, err))
	}
	doc, ok, err := p.store.newestDocument(ctx)
	if err != nil || !ok {
		return PublishResult{}, err
	}
	result, err := p.publish(ctx, at, doc)
	if err != nil {
		return result, fmt.Errorf("mind: recover the document: %w", explain(p.path, err))
	}
	return result, nil
}

func (p *Publisher) publish(ctx context.Context, at time.Time, doc []byte) (result PublishResult, err error) {
	if there, err := readPlace(p.path); err != nil || bytes.Equal(there.content, doc) {
		return PublishResult{}, err
	}
	temporary, err := p.write(doc)
	if err != nil {
		return PublishResult{}, err
	}
	renamed := false
	defer func() {
		if renamed {
			err = errors.Join(err, temporary.Close())
		} else {
			err = errors.Join(err, temporary.Cleanup())
		}
	}()
	// Looked at again as late as possible: an edit made meanwhile is set
	// aside, not overwritten.
	if result, err = p.setAsideForeign(ctx, at); err != nil {
		return result, err
	}
	if err := failpoint.Hit("publish.rename"); err != nil {
		return result, err
	}
	if err := os.Rename(temporary.Name(), p.path); err != nil {
		return result, err
	}
	result.Written, renamed = true, true
	p.last = sha256.Sum256(doc)
	if err := failpoint.Hit("publish.renamed"); err != nil {
		return result, err
	}
	return result, store.SyncFolder(p.dir)
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
	return known, err
}
