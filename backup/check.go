package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/subconsciousd/subconsciousd/store"
)

// How long a check holds, and one that failed.
const (
	checkEvery = 30 * 24 * time.Hour
	checkAgain = 24 * time.Hour
)

// check tries the backup of that name, if the last check does not hold any more.
func (k *Keeper) check(ctx context.Context, name string, now time.Time) error {
	books, err := k.Mind.Backups(ctx)
	age := now.Sub(books.Checked)
	if err != nil || age >= 0 && age < checkAgain || books.Error == "" && age >= 0 && age < checkEvery {
		return err
	}
	sum := ""
	if name == books.Made {
		sum = books.SHA256
	}
	path := filepath.Join(k.Folder, name)
	restored, failed := Prove(ctx, RestoreOptions{Path: path, Identity: k.Identity, StateDir: k.StateDir, At: now}, sum)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	books.Checked, books.File, books.Restored, books.Error, books.Next = now, name, restored, "", ""
	if failed != nil {
		books.Error, books.Next = failed.Error(), "it is checked again in a day"
	}
	if known, ok := errors.AsType[*store.Error](failed); ok {
		books.Error, books.Next = known.Text, strings.ReplaceAll(known.Next, "--identity FILE", "backup.identity_file")+"; once that file is deleted, another is made within a minute"
	}
	k.Checked(ctx, books)
	return k.Mind.SetBackups(ctx, books)
}

// made notes what was made.
func (k *Keeper) made(ctx context.Context, made Made) error {
	books, err := k.Mind.Backups(ctx)
	if err == nil {
		books.Made, books.SHA256 = filepath.Base(made.Path), made.SHA256
		err = k.Mind.SetBackups(ctx, books)
	}
	return err
}

// Prove restores a backup aside, into the state folder of its mind, where nothing of it
// stays. One that is encrypted is not restored without an identity: its header has to be
// one, and the file to have the SHA-256 sum, if that is known.
func Prove(ctx context.Context, o RestoreOptions, sum string) (restored bool, err error) {
	sealed, err := asSealed(o.Path, sum)
	if sealed && (err != nil || o.Identity == "") {
		return false, err
	}
	aside, err := os.MkdirTemp(o.StateDir, "backup-*.part")
	if err != nil {
		return false, explain(o.StateDir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	manifest, err := unpack(ctx, o.Path, o.Identity, aside)
	if err == nil {
		_, err = prove(ctx, o.Path, manifest, aside, "", o.At)
	}
	return err == nil, err
}

// asSealed reports whether a file is encrypted, and what is wrong with it then, as far
// as that is seen without its key.
func asSealed(path, sum string) (sealed bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, nil // unpack says why
	}
	defer file.Close()
	hash := sha256.New()
	in := bufio.NewReader(io.TeeReader(file, hash))
	if begins, _ := in.Peek(len(sealedMagic)); string(begins) != sealedMagic {
		return false, nil
	}
	_, err = age.ExtractHeader(in)
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	if err == nil && sum != "" && hex.EncodeToString(hash.Sum(nil)) != sum {
		err = errors.New("its SHA-256 is another than when it was made")
	}
	if err != nil {
		return true, (&reader{path: path}).damaged("it is not as it was made", err)
	}
	return true, nil
}
