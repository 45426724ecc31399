package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// examine looks at the file at path without SQLite, so that a file that is not
// ours is left as it is: opened by SQLite it could grow files beside it, or be
// changed by the recovery of a journal. known is how many migrations this
// program has.
//
// Migrations are committed into the main file and never to the write-ahead
// log (see migrate), so the header is right even after a crash.
func examine(path string, known int) error {
	stat, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !stat.Mode().IsRegular() {
		return notADatabase(path)
	}
	header, err := readHead(path, headerBytes)
	if err != nil {
		return err
	}
	if len(header) == 0 || unfinishedCreation(path) || rolledBackCreation(header) {
		return nil
	}
	if len(header) < 100 || string(header[:16]) != "SQLite format 3\x00" {
		return notADatabase(path)
	}
	version := int(binary.BigEndian.Uint32(header[60:]))
	if id := binary.BigEndian.Uint32(header[68:]); id != applicationID {
		return &Error{Code: CodeForeign, Path: path,
			Text: fmt.Sprintf("%s is a database of another program (application id %#x); it was left untouched", path, id),
			Next: "Move the file away, or choose another state folder"}
	}
	if version > known {
		return newer(path, fmt.Sprintf("schema %d", version), fmt.Sprintf("schema %d", known))
	}
	return nil
}

// SchemaOf is how many migrations a database file has had, by its header.
func SchemaOf(path string) (int, error) {
	if err := examine(path, math.MaxInt); err != nil {
		return 0, fmt.Errorf("store: schema of %s: %w", path, explain(path, err))
	}
	header, err := readHead(path, headerBytes)
	if err != nil || len(header) < headerBytes {
		return 0, errors.Join(fmt.Errorf("store: %w", notADatabase(path)), err)
	}
	return int(binary.BigEndian.Uint32(header[60:])), nil
}

// headerBytes are those of the file's header and of the first page's own.
const headerBytes = 108

// rolledBackCreation reports whether the very first transaction on the file was
// rolled back, which leaves a page that holds nothing: no application, no
// version, no table, and no write-ahead log that could hold more.
func rolledBackCreation(header []byte) bool {
	const leaf = 0x0d
	return len(header) == headerBytes && header[18] == 1 && header[19] == 1 &&
		binary.BigEndian.Uint32(header[60:]) == 0 && binary.BigEndian.Uint32(header[68:]) == 0 &&
		header[100] == leaf && binary.BigEndian.Uint16(header[103:]) == 0
}

// unfinishedCreation reports whether a crash interrupted the very first
// transaction on the file: the journal beside it says that the file was empty.
func unfinishedCreation(path string) bool {
	journal, err := readHead(path+"-journal", 28)
	return err == nil && len(journal) == 28 && string(journal[:8]) == "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" &&
		binary.BigEndian.Uint32(journal[16:]) == 0
}

// readHead returns the first n bytes of a file, or fewer if there are fewer.
func readHead(path string, n int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, n)
	got, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return head[:got], nil
}

func newer(path, has, knows string) *Error {
	return &Error{Code: CodeNewer, Path: path,
		Text: fmt.Sprintf("the database %s was written by a newer version: it has %s, this program knows %s; it was left untouched", path, has, knows),
		Next: fmt.Sprintf("Install the newer version again, or move the file away and copy the backup made before the upgrade from %s to its place", backupsOf(path))}
}
