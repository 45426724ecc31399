package secret

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// ReadFile reads a file of most bytes at most, which its owner alone can read where
// it is private. It does not wait at a pipe, and flags are further ones to open it
// with. An error is os.ErrNotExist, or says what is wrong and, behind a semicolon,
// how to mend it; it has no path and nothing of the file in it.
func ReadFile(path string, flags int, private bool, most int64, mend string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, err
	case errors.Is(err, syscall.ELOOP):
		return nil, errors.New("is no file; " + mend)
	case err != nil:
		return nil, fmt.Errorf("cannot be opened: %w", Cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	stat, err := file.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be looked at: %w", Cause(err))
	case !stat.Mode().IsRegular():
		return nil, errors.New("is no file; " + mend)
	case private && stat.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others can read it (mode %#o); run: chmod 600 %s", stat.Mode().Perm(), path)
	case stat.Size() > most:
		return nil, fmt.Errorf("has %d bytes, over %d; %s", stat.Size(), most, mend)
	}
	text, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", Cause(err))
	}
	return text, nil
}

// Cause drops the path, which the caller writes already.
func Cause(err error) error {
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// Prepared is a file that lies beside the one that it is to replace. Its owner
// alone can read it. Cleanup removes it unless it was placed.
type Prepared struct {
	*renameio.PendingFile
	path string
}

// Prepare writes a text beside path.
func Prepare(path string, text []byte) (*Prepared, error) {
	pending, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return nil, err
	}
	if _, err := pending.Write(text); err != nil {
		return nil, errors.Join(err, pending.Cleanup())
	}
	return &Prepared{pending, path}, nil
}

// Place puts the file in its place, at once and for good.
func (p *Prepared) Place() error {
	if err := p.CloseAtomicallyReplace(); err != nil {
		return errors.Join(err, p.Cleanup())
	}
	return Sync(filepath.Dir(p.path))
}

// WriteFile writes a file that its owner alone can read, whole or not at all, and
// for good.
func WriteFile(path string, text []byte) error {
	prepared, err := Prepare(path, text)
	if err != nil {
		return err
	}
	return prepared.Place()
}

// Sync makes last what was renamed or removed in a folder.
func Sync(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
