package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// CheckFile reads a whole database, as Check does, without changing or
// migrating it, also while a daemon has it open. A file that is not there is an
// error that wraps fs.ErrNotExist.
func CheckFile(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if _, err := os.Lstat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: %w", err)
		}
		return fmt.Errorf("store: check %s: %w", path, explain(path, err))
	}
	err = examine(path, "", math.MaxInt)
	if err == nil {
		err = ownFiles(path, filepath.Join(filepath.Dir(path), backupsName))
	}
	if err != nil {
		return fmt.Errorf("store: check %s: %w", path, explain(path, err))
	}
	source := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: url.Values{"mode": {"ro"},
		"_pragma": {"busy_timeout(5000)", "query_only(1)", "trusted_schema(0)", "cache_size(-2048)"}}.Encode()}
	connector, err := sqlite.NewConnector(strings.ReplaceAll(source.String(), "+", "%2B"))
	if err != nil {
		return fmt.Errorf("store: check %s: %w", path, err)
	}
	db := &DB{path: path, now: time.Now, readers: sql.OpenDB(connector)}
	db.readers.SetMaxOpenConns(1)
	return errors.Join(db.Check(ctx), db.Close())
}
