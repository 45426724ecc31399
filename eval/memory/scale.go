package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/memory"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// scaled is one line of the table of scale: times in milliseconds.
type scaled struct {
	Records    int     `json:"records"`
	Of         string  `json:"of"`
	SearchP50  float64 `json:"search_p50_ms"`
	SearchP99  float64 `json:"search_p99_ms"`
	WriteP50   float64 `json:"write_p50_ms"`
	WriteP99   float64 `json:"write_p99_ms"`
	Start      float64 `json:"start_ms"`
	ResidentMB float64 `json:"resident_mb"`
	DiskMB     float64 `json:"disk_mb"`
	Answered   int     `json:"answered"` // of needles
	Needles    int     `json:"needles"`
}

// needles are asked for in other forms of their words.
var needles = []struct{ text, asked string }{
	{"The plumber repaired the leaking boiler in the cellar and charged 240 euros.", "what do plumbers charge for repairing boilers?"},
	{"Our daughter switched schools and now plays the cello in their orchestra.", "which instruments do our daughters play?"},
	{"Die Versicherung zahlte den zerbrochenen Spiegel des Wagens nach drei Wochen.", "Wann zahlen Versicherungen für zerbrochene Spiegel?"},
	{"La voisine a arrosé les tomates pendant les vacances en août.", "quelle voisine arrosait nos tomates ?"},
}

// keeper keeps records, and finds them.
type keeper interface {
	// fill stores records as fast as it can, and start opens what was filled.
	fill(ctx context.Context, texts []string) error
	start(ctx context.Context) error
	// search returns the ten best texts, write stores one durably.
	search(ctx context.Context, words string) ([]string, error)
	write(ctx context.Context, text string) error
	// process is who holds it in memory, as /proc names it.
	process() string
	close() error
}

// made are texts of so many words, of which two of five say little and the others are as
// unevenly common as those of a language; the needles are among them.
func made(records int) (texts []string) {
	random := rand.New(rand.NewPCG(5, 8))
	zipf := rand.NewZipf(random, 1.07, 8, 60_000)
	little := strings.Fields("the of and to in a is that for it was on are with as they at be this from have or by not but")
	for range records {
		texts = append(texts, sentence(random, zipf, little))
	}
	for i, n := range needles {
		texts[records*(i+1)/(len(needles)+1)] = n.text
	}
	return texts
}

func sentence(random *rand.Rand, zipf *rand.Zipf, little []string) string {
	var b strings.Builder
	for range 30 + random.IntN(21) {
		if random.IntN(5) < 2 {
			b.WriteString(little[random.IntN(len(little))])
		} else {
			for n := zipf.Uint64() + 1; n > 0; n /= 60 { // a syllable for each digit
				b.WriteByte("bdfgklmnprst"[n%12])
				b.WriteByte("aeiou"[n/12%5])
			}
		}
		b.WriteByte(' ')
	}
	return b.String()
}

const (
	searches = 400
	writes   = 200
	// slow is from when on a tenth of these is enough.
	slow = 100 * time.Millisecond
)

// scale measures every keeper with each number of records.
func (o *options) scale(ctx context.Context) (all []scaled, err error) {
	for _, records := range o.sizes {
		texts := made(records)
		for _, kind := range []struct {
			name string
			open func(folder string) keeper
		}{
			{"ours", func(folder string) keeper { return &kept{path: filepath.Join(folder, "mind.db")} }},
			{"plain", func(folder string) keeper { return &fullText{path: filepath.Join(folder, "plain.db")} }},
			{filepath.Base(o.beside), func(folder string) keeper { return &server{program: o.beside, folder: folder} }},
		} {
			if kind.name == "." {
				continue
			}
			line, err := o.scaleOf(ctx, kind.open, texts)
			if err != nil {
				return nil, fmt.Errorf("%s with %d records: %w", kind.name, records, err)
			}
			line.Records, line.Of = records, kind.name
			all = append(all, line)
		}
	}
	return all, nil
}

func (o *options) scaleOf(ctx context.Context, open func(string) keeper, texts []string) (line scaled, err error) {
	folder, err := os.MkdirTemp("", "subconscious-eval-")
	if err != nil {
		return line, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	k := open(folder)
	if err := k.fill(ctx, texts); err != nil {
		return line, fmt.Errorf("fill: %w", err)
	}
	debug.FreeOSMemory()
	before, _ := harness.ResidentMB("self")
	from := time.Now()
	if err := k.start(ctx); err != nil {
		return line, fmt.Errorf("start: %w", err)
	}
	defer func() { err = errors.Join(err, k.close()) }()
	line.Start = ms(time.Since(from))
	random := rand.New(rand.NewPCG(9, 9))
	line.SearchP50, line.SearchP99, err = timed(searches, 3, func(n int) error {
		words := strings.Fields(texts[n*len(texts)/(searches+1)])
		_, err := k.search(ctx, strings.Join(words[:min(len(words), 8)], " "))
		return err
	})
	if err != nil {
		return line, err
	}
	for _, n := range needles {
		found, err := k.search(ctx, n.asked)
		if err != nil {
			return line, err
		}
		if line.Needles++; slices.ContainsFunc(found, func(text string) bool { return strings.Contains(text, n.text) }) {
			line.Answered++
		}
	}
	debug.FreeOSMemory()
	line.ResidentMB, _ = harness.ResidentMB(k.process())
	if k.process() == "self" {
		line.ResidentMB -= before
	}
	line.WriteP50, line.WriteP99, err = timed(writes, 1, func(n int) error { return k.write(ctx, fmt.Sprint(n, " ", texts[random.IntN(len(texts))])) })
	if err != nil {
		return line, err
	}
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			line.DiskMB += float64(info.Size()) / (1 << 20)
		}
		return err
	})
	return line, err
}

func ms(d time.Duration) float64 { return harness.Round(float64(d)/float64(time.Millisecond), 3) }

// timed does something so many times, and takes the quickest of so many tries of each:
// other work of the machine is not measured. The first one counts for whether it is slow
// alone.
func timed(times, tries int, do func(n int) error) (p50, p99 float64, err error) {
	var all []time.Duration
	for n := 0; n <= times; n++ {
		quickest := time.Duration(math.MaxInt64)
		for range tries {
			from := time.Now()
			if err := do(n); err != nil {
				return 0, 0, err
			}
			quickest = min(quickest, time.Since(from))
		}
		if n > 0 {
			all = append(all, quickest)
		} else if quickest > slow {
			times /= 10
		}
	}
	slices.Sort(all)
	return ms(all[len(all)/2]), ms(all[len(all)*99/100]), nil
}

// atOnce is how many records a filling transaction holds.
const atOnce = 1000

// kept is the memory of the product.
type kept struct {
	path  string
	db    *store.DB
	store *memory.Store
}

func (k *kept) open(ctx context.Context) (err error) {
	if k.db, err = store.Open(ctx, store.Options{Path: k.path}, memory.Migrations()...); err == nil {
		k.store = memory.New(k.db, memory.Options{})
	}
	return err
}

func owners(text string) memory.Record {
	return memory.Record{Kind: memory.Fact, Text: text, Source: memory.Person, Trust: subconscious.Owner}
}

func (k *kept) fill(ctx context.Context, texts []string) error {
	if err := k.open(ctx); err != nil {
		return err
	}
	for some := range slices.Chunk(texts, atOnce) {
		if err := k.db.Write(ctx, func(tx *store.Tx) error {
			for _, text := range some {
				if _, err := k.store.Remember(ctx, tx, owners(text)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return errors.Join(err, k.close())
		}
	}
	return k.close()
}

func (k *kept) start(ctx context.Context) error {
	if err := k.open(ctx); err != nil {
		return err
	}
	return k.store.Rank(ctx)
}

func (k *kept) search(ctx context.Context, words string) (texts []string, _ error) {
	hits, err := k.store.Search(ctx, memory.Query{Words: words, Limit: mostTurns})
	for _, h := range hits {
		texts = append(texts, h.Text)
	}
	return texts, err
}

func (k *kept) write(ctx context.Context, text string) error {
	_, err := k.store.Add(ctx, owners(text))
	return err
}

func (k *kept) process() string { return "self" }

func (k *kept) close() error {
	k.store = nil
	return k.db.Close()
}

// fullText is a table of full text alone.
type fullText struct {
	path string
	db   *store.DB
}

func (t *fullText) start(ctx context.Context) (err error) {
	t.db, err = store.Open(ctx, store.Options{Path: t.path}, store.Migration{Package: "eval", Version: 1,
		SQL: "CREATE VIRTUAL TABLE turns USING fts5 (text, " + fulltext.Tokenizer + ")"})
	return err
}

func (t *fullText) fill(ctx context.Context, texts []string) error {
	if err := t.start(ctx); err != nil {
		return err
	}
	for some := range slices.Chunk(texts, atOnce) {
		if err := t.db.Write(ctx, func(tx *store.Tx) error {
			for _, text := range some {
				if err := tx.Exec(ctx, "INSERT INTO turns (text) VALUES (?)", text); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return errors.Join(err, t.close())
		}
	}
	return t.close()
}

func (t *fullText) search(ctx context.Context, words string) (texts []string, err error) {
	rows, err := matching(ctx, t.db, words, mostTurns)
	for _, n := range rows {
		text, _, err := store.One(ctx, t.db, store.Value[string], "SELECT text FROM turns WHERE rowid = ?", n)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, err
}

func (t *fullText) write(ctx context.Context, text string) error {
	return t.db.Exec(ctx, "INSERT INTO turns (text) VALUES (?)", text)
}

func (t *fullText) process() string { return "self" }
func (t *fullText) close() error    { return t.db.Close() }
