package memory

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/prose"
	"github.com/subconsciousd/subconsciousd/internal/trusted"
	"github.com/subconsciousd/subconsciousd/store"
)

// TombstonesName is the file of the state folder that Tombstones are in, beside the
// database, so that no copy of that brings back what was forgotten.
const TombstonesName = "forgotten"

const (
	tombstonesHead = "subconsciousd forgotten 1\n"
	// maxTombstones bounds the file: about 500,000 sentences.
	maxTombstones = 32 << 20
	// saidFrom is how many words a sentence has that is known by itself.
	saidFrom = 5
)

// Tombstones say what was forgotten, and not what it was: ids of records, and hashes
// (HMAC-SHA-256, 16 bytes) of texts and sentences under a key. They are safe for
// concurrent use.
type Tombstones struct {
	mu    sync.Mutex
	path  string // "" for none
	keys  []string
	file  []byte // as it is
	stand map[string]bool
}

var tombstone = lazy.Regexp(`^(key [0-9a-f]{64}|record m-[0-9a-z]{1,62}|(text|said|lifted) [0-9a-f]{32})$`)

// OpenTombstones reads the tombstones of a file, which need not be there.
func OpenTombstones(path string) (*Tombstones, error) {
	t := &Tombstones{path: path}
	file, err := readTombstones(path)
	if err != nil {
		return nil, err
	}
	t.read(file)
	return t, nil
}

func newTombstones() *Tombstones {
	t := &Tombstones{}
	t.read(nil)
	return t
}

// read takes a file in that readTombstones has read.
func (t *Tombstones) read(file []byte) {
	t.file, t.stand = file, map[string]bool{}
	for line := range strings.Lines(strings.TrimPrefix(string(file), tombstonesHead)) {
		line = strings.TrimSuffix(line, "\n")
		if key, ok := strings.CutPrefix(line, "key "); ok {
			t.keys = append(t.keys, key)
			continue
		}
		t.take(line)
	}
}

func (t *Tombstones) take(line string) {
	if sum, ok := strings.CutPrefix(line, "lifted "); ok {
		delete(t.stand, "text "+sum)
		delete(t.stand, "said "+sum)
		return
	}
	t.stand[line] = true
}

// readTombstones returns what a file holds, but for a last line that a crash has torn.
func readTombstones(path string) ([]byte, error) {
	broken := func(what, next string) error {
		return &store.Error{Code: store.CodeCorrupt, Path: path, Text: fmt.Sprintf("%s, which says what was forgotten, %s; without it that would come back", path, what), Next: next}
	}
	if err := trusted.Own(path, 0); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	file, err := io.ReadAll(io.LimitReader(in, maxTombstones+1))
	if err != nil {
		return nil, err
	}
	if len(file) > maxTombstones {
		return nil, broken(fmt.Sprintf("is larger than %d MiB", maxTombstones>>20), "put back the file from a backup of the state folder")
	}
	if len(file) < len(tombstonesHead) && strings.HasPrefix(tombstonesHead, string(file)) {
		return nil, nil // torn when it was made
	}
	file = file[:bytes.LastIndexByte(file, '\n')+1]
	if !bytes.HasPrefix(file, []byte(tombstonesHead)) {
		return nil, broken("is of another program, or another version", "start the version that wrote it, or move the file away")
	}
	n := 1
	for line := range strings.Lines(string(file[len(tombstonesHead):])) {
		n++
		if line = strings.TrimSuffix(line, "\n"); !tombstone().MatchString(line) || n == 2 && !strings.HasPrefix(line, "key ") {
			return nil, broken(fmt.Sprintf("cannot be read at line %d", n), "put back the file from a backup of the state folder, or remove that line")
		}
	}
	return file, nil
}

// MergeTombstones adds those of one file to another one. Neither need be there.
func MergeTombstones(into, from string) error {
	have, err := readTombstones(into)
	if err != nil {
		return err
	}
	more, err := readTombstones(from)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(have, more) {
		return nil
	}
	if bytes.HasPrefix(more, have) { // of the same mind, later
		have = more
	} else {
		have = slices.Concat(have, more[len(tombstonesHead):])
	}
	return writeTombstones(into, have, os.O_TRUNC)
}

// writeTombstones appends to the file, or writes it anew, durably.
func writeTombstones(path string, text []byte, how int) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW|how, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return errors.Join(err, out.Sync(), out.Close(), store.SyncFolder(filepath.Dir(path)))
}

// append makes lines durable, and has them stand; what stands already is left out.
func (t *Tombstones) append(lines []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var more strings.Builder
	for _, line := range lines {
		if !t.stand[line] && tombstone().MatchString(line) {
			more.WriteString(line + "\n")
		}
	}
	if more.Len() == 0 {
		return nil
	}
	next := t.file
	if len(next) == 0 {
		next = []byte(tombstonesHead + "key " + t.key() + "\n")
	}
	next = slices.Concat(next, []byte(more.String()))
	if len(next) > maxTombstones {
		return fmt.Errorf("%w: %s has no room for more of what was forgotten", ErrFull, t.path)
	}
	if t.path != "" {
		// What a write that failed, or a crash, has left behind the last whole line goes.
		if err := os.Truncate(t.path, int64(len(t.file))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := writeTombstones(t.path, next[len(t.file):], os.O_APPEND); err != nil {
			return fmt.Errorf("write %s: %w", t.path, err)
		}
	}
	t.file = next
	for line := range strings.Lines(more.String()) {
		t.take(strings.TrimSuffix(line, "\n"))
	}
	return nil
}

// key is the one of what is added.
func (t *Tombstones) key() string {
	if len(t.keys) == 0 {
		key := make([]byte, sha256.Size)
		_, _ = rand.Read(key) // which never fails
		t.keys = append(t.keys, hex.EncodeToString(key))
	}
	return t.keys[len(t.keys)-1]
}

func hashed(key string, sum []byte) string {
	secret, _ := hex.DecodeString(key) // it was read, or made, as that
	mac := hmac.New(sha256.New, secret)
	mac.Write(sum)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// state names all that stands.
func (t *Tombstones) state() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.file) == 0 {
		return ""
	}
	sum := sha256.Sum256(t.file)
	return hex.EncodeToString(sum[:])
}

// standing returns which of a record's id, text and sentences were forgotten. The hash
// is that of its text; without one nothing is known but its id.
func (t *Tombstones) standing(id string, hash []byte, said ...[]byte) (found []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.stand) == 0 {
		return nil
	}
	look := func(line string) {
		if t.stand[line] {
			found = append(found, line)
		}
	}
	look("record " + id)
	for _, key := range t.keys {
		look("text " + hashed(key, hash))
		for _, sum := range said {
			look("said " + hashed(key, sum))
		}
	}
	return found
}

// of returns what of a record was forgotten.
func (t *Tombstones) of(r Record) []string {
	return t.standing(r.ID, hashOf(r.Text), hashesOf(r.said())...)
}

// bury makes what is erased known.
func (t *Tombstones) bury(e Erasure) error {
	t.mu.Lock()
	key := t.key()
	t.mu.Unlock()
	var lines []string
	for _, id := range e.IDs {
		lines = append(lines, "record "+id)
	}
	for _, text := range e.texts {
		lines = append(lines, "text "+hashed(key, hashOf(text)))
	}
	for _, sentence := range e.said {
		lines = append(lines, "said "+hashed(key, hashOf(sentence)))
	}
	return t.append(lines)
}

// lift lets be written again what the person writes again.
func (t *Tombstones) lift(found []string) error {
	var lines []string
	for _, line := range found {
		if kind, sum, _ := strings.Cut(line, " "); kind != "record" {
			lines = append(lines, "lifted "+sum)
		}
	}
	return t.append(lines)
}

// What stands around words and says nothing; a stop before one does (".env").
const (
	openers = "\"'“”„«»()[]{}"
	closers = ".,;:!?…"
)

// normal is a text as it is compared to the letter: without capitals, and what stands
// around its words and says nothing.
func normal(text string) string {
	words := strings.Fields(strings.ToLower(fulltext.Line(text)))
	for i := range words {
		words[i] = strings.TrimRight(strings.TrimLeft(words[i], openers), openers+closers)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// said are the sentences of a record that have words enough to be known by themselves.
func (r Record) said() (all []string) {
	for _, text := range []string{r.Text, r.Title, r.Summary} {
		for _, s := range prose.Sentences(text) {
			if s := normal(s.Text); len(strings.Fields(fulltext.Split(s))) >= saidFrom && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

func hashesOf(texts []string) (all [][]byte) {
	for _, text := range texts {
		all = append(all, hashOf(text))
	}
	return all
}
