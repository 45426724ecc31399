package mail

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/mail"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/eval/mails"
	"github.com/subconsciousd/subconsciousd/senses/mail/message"
)

// The bounds of a corpus.
const (
	maxCorpusMessages = 20_000
	maxCorpusMessage  = 64 << 20
	maxCorpusBytes    = 512 << 20
	// corpusDays are those over which messages come, at most.
	corpusDays = 14
)

// corpus is a mailbox of real messages.
type corpus struct {
	messages []*corpusMessage // in the order of their dates
	parts    []string
	bytes    int64
	unread   []string // files that are no message: they have no header
}

// corpusMessage is one message, and what reading it took.
type corpusMessage struct {
	part, path string
	raw        []byte // with CRLF
	read       message.Message
	date       time.Time
	took       time.Duration
	allocated  uint64
	group      group
}

// group is what sort of message it is, by its part and its header.
type group string

const (
	groupSpam     group = "spam"
	groupList     group = "lists"
	groupBulk     group = "bulk and machines"
	groupPersonal group = "personal"
)

var groups = []group{groupSpam, groupList, groupBulk, groupPersonal}

// readCorpus reads the parts of a folder.
func readCorpus(path string, parts []string) (*corpus, error) {
	if len(parts) == 0 {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("read the corpus: %w", err)
		}
		for _, e := range entries {
			if e.IsDir() {
				parts = append(parts, e.Name())
			}
		}
	}
	c := &corpus{parts: parts}
	for _, part := range parts {
		if part != filepath.Base(part) || part == ".." || part == "." {
			return nil, fmt.Errorf("read the corpus: %q is not the name of a folder in %s", part, path)
		}
		if err := c.readPart(path, part); err != nil {
			return nil, fmt.Errorf("read the part %s: %w", part, err)
		}
	}
	if len(c.messages) == 0 {
		return nil, fmt.Errorf("%s has no messages (%d files are none); it takes a folder with parts, which are folders of messages", path, len(c.unread))
	}
	slices.SortStableFunc(c.messages, func(a, b *corpusMessage) int {
		return cmp.Or(a.date.Compare(b.date), strings.Compare(a.path, b.path))
	})
	return c, nil
}

func (c *corpus) readPart(path, part string) error {
	return filepath.WalkDir(filepath.Join(path, part), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasSuffix(file, ".json") {
			return err
		}
		raw, err := readMessage(file)
		if err != nil {
			return err
		}
		m := &corpusMessage{part: part, path: filepath.Join(part, entry.Name()), raw: raw}
		switch err := m.parse(); {
		case errors.Is(err, message.ErrNoMessage):
			c.unread = append(c.unread, m.path)
		case err != nil:
			return fmt.Errorf("%s: %w", entry.Name(), err)
		default:
			c.messages, c.bytes = append(c.messages, m), c.bytes+int64(len(raw))
		}
		if len(c.messages)+len(c.unread) > maxCorpusMessages || c.bytes > maxCorpusBytes {
			return fmt.Errorf("there is more than %d messages or %d MB; name fewer parts", maxCorpusMessages, maxCorpusBytes>>20)
		}
		return nil
	})
}

// readMessage reads a file as a server would keep it: without the line that
// mailboxes in one file begin messages with, and with CRLF.
func readMessage(path string) ([]byte, error) {
	raw, err := harness.ReadFile(path, maxCorpusMessage)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(raw, []byte("From ")) {
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n")), nil
}

// parse reads a message once, alone, and measures what it takes.
func (m *corpusMessage) parse() (err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	m.read, err = message.Parse(m.raw)
	m.took = time.Since(began)
	runtime.ReadMemStats(&after)
	if err != nil {
		return err
	}
	m.allocated, m.date = after.TotalAlloc-before.TotalAlloc, m.read.Date
	switch {
	case strings.Contains(m.part, "spam"):
		m.group = groupSpam
	case m.read.List != "":
		m.group = groupList
	case m.read.Bulk || m.read.Automated:
		m.group = groupBulk
	default:
		m.group = groupPersonal
	}
	return nil
}

// span are so many days in the middle of the corpus, which begin at midnight, or
// where most messages have no date those that end now.
func (c *corpus) span(days int) (start, end time.Time) {
	middle := c.messages[len(c.messages)/2].date
	if middle.Year() < 1980 || middle.Year() > 2100 {
		middle = time.Now().AddDate(0, 0, -days)
	}
	start = middle.UTC().Truncate(24*time.Hour).AddDate(0, 0, -days/2)
	return start, start.AddDate(0, 0, days)
}

// posts are the messages as they come: in order, evenly between two times, the
// last of them before the last tick.
func (c *corpus) posts(start, end time.Time) []mails.Posted {
	span := end.Sub(start) - harness.Slot
	all := make([]mails.Posted, len(c.messages))
	for i, m := range c.messages {
		at := start.Add(time.Duration(float64(span) * (float64(i) + 0.5) / float64(len(c.messages))))
		all[i] = mails.Posted{At: at.Truncate(time.Second), Kind: m.part, Raw: m.raw}
	}
	return all
}

// addresses are whom the messages were delivered to, the commonest first: those
// of the local parts that at least one in fifty was delivered to.
func (c *corpus) addresses() []string {
	delivered, named := map[string]int{}, map[string]int{}
	for _, m := range c.messages {
		header, err := mail.ReadMessage(bytes.NewReader(m.raw))
		if err != nil {
			continue
		}
		if to := strings.ToLower(strings.TrimSpace(header.Header.Get("Delivered-To"))); strings.Contains(to, "@") && !strings.ContainsAny(to, " <>") {
			local, _, _ := strings.Cut(to, "@")
			delivered[local]++
			named[to]++
		}
		for _, a := range append(slices.Clone(m.read.To), m.read.Cc...) {
			named[a.Addr]++
		}
	}
	var all []string
	for _, address := range slices.Sorted(maps.Keys(named)) {
		local, domain, ok := strings.Cut(address, "@")
		if ok && domain != "" && delivered[local]*50 >= len(c.messages) && !strings.ContainsAny(address, " <>,;\"") {
			all = append(all, address)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return named[b] - named[a] })
	return all[:min(len(all), maxPersons)]
}
