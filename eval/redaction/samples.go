package redaction

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/subconsciousd/subconsciousd/eval/harness"
)

// What is read of labelled files. They come from others, so that each bound is
// far above what such sets hold and far below what would hurt this machine.
const (
	sampleFiles  = 20_000
	sampleBytes  = 16 << 20  // of one file
	samplesBytes = 256 << 20 // of all that an archive unpacks to
	sampleLabels = 100_000
	labelsFile   = "labels.json"
)

// samples are labelled files by their path in the set.
type samples struct {
	from   string
	labels []label
	files  map[string][]byte
}

// openSamples reads a folder or an archive of labelled files. A folder without
// labels of its own and with one .tar.gz is that archive: sets are handed on so.
func openSamples(ctx context.Context, from string) (*samples, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, fmt.Errorf("the labelled files cannot be read: %w; give the folder or the .tar.gz that holds %s", err, labelsFile)
	}
	set := &samples{from: from, files: map[string][]byte{}}
	read := set.readFolder
	if _, err := os.Stat(filepath.Join(from, labelsFile)); errors.Is(err, fs.ErrNotExist) {
		packed, _ := filepath.Glob(filepath.Join(from, "*.tar.gz"))
		if len(packed) == 1 {
			set.from, read = packed[0], set.readArchive
		}
	}
	if !info.IsDir() {
		read = set.readArchive
	}
	if err := read(ctx); err != nil {
		return nil, fmt.Errorf("read labelled files of %s: %w", from, err)
	}
	return set, nil
}

// readFolder reads the labels and the files that they name. Nothing outside of
// the folder is opened, through whatever links.
func (s *samples) readFolder(ctx context.Context) error {
	root, err := os.OpenRoot(s.from)
	if err != nil {
		return err
	}
	defer root.Close()
	data, err := readSample(root, labelsFile)
	if err != nil {
		return fmt.Errorf("%w; the folder needs a %s, or a single .tar.gz that has one", err, labelsFile)
	}
	if err := s.parseLabels(data); err != nil {
		return err
	}
	total := 0
	for _, l := range s.labels {
		if _, have := s.files[l.Path]; have {
			continue
		}
		if s.files[l.Path], err = readSample(root, l.Path); err != nil {
			return err
		}
		if total += len(s.files[l.Path]); total > samplesBytes {
			return fmt.Errorf("the labelled files are larger than %d MB together", samplesBytes>>20)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// readSample reads a file, and none that opening could wait for.
func readSample(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a file", name)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return harness.Read(file, sampleBytes)
}

// readArchive reads a .tar.gz into memory; nothing is written.
func (s *samples) readArchive(ctx context.Context) error {
	file, err := os.Open(s.from)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%w; it takes a folder or a .tar.gz", err)
	}
	archive := tar.NewReader(&bounded{from: unzipped, left: samplesBytes})
	for entries := 0; ; entries++ {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			data, ok := s.files[labelsFile]
			if !ok {
				return fmt.Errorf("it has no %s at its top", labelsFile)
			}
			return s.parseLabels(data)
		case err != nil:
			return err
		case entries >= sampleFiles:
			return fmt.Errorf("it holds more than %d entries", sampleFiles)
		case header.Typeflag != tar.TypeReg:
			continue // links lead nowhere, and folders are in the paths
		}
		name := strings.TrimPrefix(header.Name, "./")
		if err := checkPath(name); err != nil {
			return err
		}
		if s.files[name], err = harness.Read(archive, sampleBytes); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// checkPath refuses what is not a plain path within the set.
func checkPath(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("%q is not a path within the set", name)
	}
	return nil
}

// parseLabels reads and checks labels.json.
func (s *samples) parseLabels(data []byte) error {
	if err := json.Unmarshal(data, &s.labels); err != nil {
		return fmt.Errorf("%s: %w; it is a list of {path, rule, value, line, s, e, sev, conf}", labelsFile, err)
	}
	if len(s.labels) == 0 || len(s.labels) > sampleLabels {
		return fmt.Errorf("%s has %d labels; it takes 1 to %d", labelsFile, len(s.labels), sampleLabels)
	}
	for i, l := range s.labels {
		if err := checkPath(l.Path); err != nil {
			return fmt.Errorf("%s: label %d: %w", labelsFile, i+1, err)
		}
		if l.Line < 1 || l.Start < 0 || l.End < l.Start {
			return fmt.Errorf("%s: label %d of %s: line %d, characters %d to %d are no place in a file", labelsFile, i+1, l.Path, l.Line, l.Start, l.End)
		}
	}
	return nil
}

// bounded ends with an error, not with the end of the file, where there is more
// than it may give: a cut archive must not pass for a small one.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d MB", samplesBytes>>20)
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
