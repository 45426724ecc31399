package modeltest

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"

	"github.com/subconsciousd/subconsciousd/models"
)

// Record is one request that a server received, and what became of it.
type Record struct {
	Number int
	Method string
	Path   string
	Header http.Header
	Body   []byte
	// Request is the parsed body; empty where there was nothing to parse.
	Request Request
	// Status is what was sent, 0 if the connection was broken before.
	Status int
	// Fault is what went wrong on purpose.
	Fault Fault
	// Charged is what a provider would have on its bill: also for answers that
	// were cut, hung or too large. Reported is what the answer said.
	Charged, Reported models.Usage
	// Sent counts the bytes of the body that the connection took.
	Sent int64
}

// ledger keeps what was received. It is bounded in requests and bytes: the
// oldest go first, their charges stay in the sum.
type ledger struct {
	mu      sync.Mutex
	keep    int
	count   int
	turns   map[string]int
	records []*Record
	bytes   int
	charged models.Usage
	prefix  prefixes
}

func newLedger(keep int) *ledger {
	return &ledger{keep: keep, turns: map[string]int{}, charged: models.Usage{Known: true}}
}

// number counts a request.
func (l *ledger) number() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	return l.count
}

// maxTurns bounds how many different systems are told apart.
const maxTurns = 4096

// turn counts a request among those with the same system.
func (l *ledger) turn(system string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.turns) >= maxTurns {
		clear(l.turns)
	}
	l.turns[system]++
	return l.turns[system]
}

// add takes in a request before the first byte of its answer is sent, so that
// whoever has an answer finds its record.
func (l *ledger) add(r Record) *Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.charged = l.charged.Plus(r.Charged)
	l.charged.Known = true
	l.records = append(l.records, &r)
	l.bytes += len(r.Body)
	for len(l.records) > l.keep || l.bytes > keptBytes && len(l.records) > 1 {
		l.bytes -= len(l.records[0].Body)
		l.records[0] = nil
		l.records = l.records[1:]
	}
	return &r
}

// sent notes how far an answer came.
func (l *ledger) sent(r *Record, bytes int64) Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Sent = bytes
	return *r
}

// all returns the records, by number.
func (l *ledger) all() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	records := make([]Record, len(l.records))
	for i, r := range l.records {
		records[i] = *r
	}
	slices.SortFunc(records, func(a, b Record) int { return a.Number - b.Number })
	return records
}

// tokens estimates how many tokens a text is: four bytes each.
func tokens(text string) int { return (len(text) + 3) / 4 }

const (
	// cacheBlock is how many bytes providers keep at a time: 128 tokens.
	cacheBlock = 512
	// cacheLeast is the shortest prefix that is kept: 1,024 tokens.
	cacheLeast = 4096
	// cacheBlocks bounds how many blocks are remembered.
	cacheBlocks = 1 << 16
)

// prefixes remembers what prompts began with, as the caches of providers do.
type prefixes struct {
	known map[[sha256.Size]byte]bool
	order [][sha256.Size]byte
}

// keep returns how many bytes of the prompt, up to limit, were kept before,
// and keeps it.
func (p *prefixes) keep(prompt string, limit int) (kept int) {
	if p.known == nil {
		p.known = map[[sha256.Size]byte]bool{}
	}
	var chain [sha256.Size]byte
	matching := true
	for end := cacheBlock; end <= min(len(prompt), limit); end += cacheBlock {
		chain = sha256.Sum256(append(chain[:], prompt[end-cacheBlock:end]...))
		if p.known[chain] {
			if matching {
				kept = end
			}
			continue
		}
		matching = false
		p.known[chain] = true
		p.order = append(p.order, chain)
	}
	for len(p.order) > cacheBlocks {
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
	if kept < cacheLeast {
		return 0
	}
	return kept
}

// input counts what a request takes in.
func (l *ledger) input(r Request) models.Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	usage := models.Usage{Input: tokens(r.prompt), Known: true}
	limit := len(r.prompt)
	if r.kept >= 0 {
		limit = r.kept
	}
	usage.Cached = l.prefix.keep(r.prompt, limit) / 4
	if r.kept >= cacheLeast {
		usage.Written = r.kept/cacheBlock*cacheBlock/4 - usage.Cached
	}
	return usage
}
