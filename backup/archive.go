package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/subconsciousd/subconsciousd/store"
)

// What an archive may hold, beside the names of mayHold.
const (
	maxManifest = 1 << 20
	maxFiles    = 10_000
	// An archive unpacks to at most maxRatio times its size and maxSlack. A database
	// is rarely packed to less than a tenth.
	maxRatio = 100
	maxSlack = 64 << 20
)

// unpack puts what an archive holds into an empty folder. Whatever is not as its
// manifest says is refused.
func unpack(ctx context.Context, path, identity, folder string) (Manifest, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, refuse(path, "name the file that subconsciousctl backup wrote", "there is no file %s", path)
	} else if err != nil {
		return Manifest{}, unreadable(path, err)
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return Manifest{}, err
	}
	if !stat.Mode().IsRegular() {
		return Manifest{}, refuse(path, "name the file that subconsciousctl backup wrote", "%s is no file", path)
	}
	in := &reader{path: path, folder: folder, most: stat.Size()*maxRatio + maxSlack}
	opened, sealed, err := in.decrypt(bufio.NewReader(file), identity)
	if err != nil {
		return Manifest{}, err
	}
	in.sealed = sealed
	manifest, err := in.unpack(ctx, opened)
	if store.CodeOf(err) == "" && errors.Is(err, io.ErrUnexpectedEOF) {
		err = refuse(path, "copy it again from where it is whole, or use another backup", "%s is cut off", path)
	}
	return manifest, err
}

// reader unpacks one archive.
type reader struct {
	path, folder string
	most         int64 // what it may unpack to
	sealed       bool  // it was encrypted
}

func (r *reader) foreign(text string, args ...any) error {
	return refuse(r.path, "use a file that subconsciousctl backup wrote", "%s is no backup of a mind: %s", r.path, fmt.Sprintf(text, args...))
}

// damaged says what is wrong with an archive; what was cut off or could not be
// written has words of its own.
func (r *reader) damaged(what string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(err, new(*fs.PathError)) {
		return explain(r.folder, err)
	}
	return refuse(r.path, "copy it again from where it is whole, or use another backup", "%s is damaged: %s (%v)", r.path, what, err)
}

func (r *reader) unpack(ctx context.Context, file io.Reader) (manifest Manifest, err error) {
	zipped, err := gzip.NewReader(file)
	if err != nil && r.sealed && !errors.Is(err, gzip.ErrHeader) {
		return manifest, r.damaged("it cannot be decrypted", err)
	} else if err != nil {
		return manifest, r.foreign("it is no tar.gz")
	}
	archive := tar.NewReader(zipped)
	if manifest, err = r.manifest(archive); err != nil {
		return manifest, err
	}
	for _, want := range manifest.Files {
		header, err := archive.Next()
		switch {
		case ctx.Err() != nil:
			return manifest, ctx.Err()
		case err == io.EOF:
			return manifest, r.damaged("it lacks "+want.Name, errors.New("the archive ends before"))
		case err != nil:
			return manifest, r.damaged("where "+want.Name+" should begin", err)
		case header.Typeflag != tar.TypeReg:
			return manifest, r.foreign("it has a link or a special file, %q", header.Name)
		case header.Name != want.Name || header.Size != want.Size:
			return manifest, r.foreign("it has %q with %d bytes where its manifest has %q with %d", header.Name, header.Size, want.Name, want.Size)
		}
		sum := sha256.New()
		if err := create(filepath.Join(r.folder, want.Name), io.TeeReader(archive, sum)); err != nil {
			return manifest, r.damaged("within "+want.Name, err)
		}
		if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
			return manifest, r.damaged(want.Name+" is not what was backed up", errors.New("its SHA-256 is another"))
		}
	}
	if header, err := archive.Next(); err == nil {
		return manifest, r.foreign("it has %q, which its manifest does not name", header.Name)
	} else if err != io.EOF {
		return manifest, r.damaged("at its end", err)
	}
	// The checksum of the whole stands behind the last byte.
	if n, err := io.Copy(io.Discard, io.LimitReader(zipped, maxManifest)); err != nil {
		return manifest, r.damaged("at its end", err)
	} else if n == maxManifest {
		return manifest, r.foreign("it goes on behind its end")
	}
	return manifest, nil
}

// manifest reads what the archive says of itself, which comes first.
func (r *reader) manifest(archive *tar.Reader) (manifest Manifest, err error) {
	header, err := archive.Next()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return manifest, err
	}
	if err != nil || header.Name != manifestName || header.Typeflag != tar.TypeReg || header.Size > maxManifest {
		return manifest, r.foreign("it does not begin with a manifest")
	}
	if err := json.NewDecoder(archive).Decode(&manifest); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return manifest, err
		}
		return manifest, r.foreign("its manifest cannot be read (%v)", err)
	}
	if manifest.Format > format {
		return manifest, newer(r.path, manifest, fmt.Sprintf("format %d", manifest.Format), fmt.Sprintf("format %d", format))
	}
	if manifest.Format != format || len(manifest.Files) > maxFiles {
		return manifest, r.foreign("its manifest cannot be used")
	}
	var names []string
	left := r.most
	for _, file := range manifest.Files {
		if !mayHold(file.Name, r.sealed) || !filepath.IsLocal(file.Name) {
			return manifest, r.foreign("it holds %q, which no backup has", file.Name)
		}
		if file.Size < 0 || file.Size > left {
			return manifest, r.foreign("it would unpack to more than %d MB, over %d times its size", r.most>>20, maxRatio)
		}
		left -= file.Size
		names = append(names, file.Name)
	}
	if !slices.Contains(names, databaseName) || !slices.IsSorted(names) || len(slices.Compact(names)) != len(manifest.Files) {
		return manifest, r.foreign("its manifest names no %s, or a file twice", databaseName)
	}
	return manifest, nil
}

func newer(path string, manifest Manifest, has, knows string) error {
	return &store.Error{Code: store.CodeNewer, Path: path,
		Text: fmt.Sprintf("%s was made by a newer version, %s: it has %s, and this program knows %s", path, manifest.Version, has, knows),
		Next: "install that version, and restore with it"}
}
