package conversation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/foreign"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// skips leaves out what is no transcript by its name.
func skips(rel string, dir bool) bool {
	name := path.Base(rel)
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || dir && name == "node_modules" || !dir && !isLines(rel) && !isMarkdown(rel)
}

// isLines judges by the name alone, and so does isMarkdown.
func isLines(rel string) bool { return strings.EqualFold(path.Ext(rel), ".jsonl") }

func isMarkdown(rel string) bool {
	ext := path.Ext(rel)
	return strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown")
}

// fileKey is the key of a transcript's row, which does not repeat its name.
func fileKey(rel string) string {
	sum := sha256.Sum256([]byte(rel))
	return hex.EncodeToString(sum[:12])
}

// safeName is a path without its secrets: with the hash of the whole in place
// of them, so that a conversation keeps its identity.
func safeName(rel string) string {
	name := strings.ToValidUTF8(rel, "\uFFFD")
	if safe := redact.Text(name); safe != rel || len(rel) > 200 {
		return subconscious.Head(safe, 200) + "#" + fileKey(rel)[:16]
	}
	return rel
}

// collect is one Collect as it goes on.
type collect struct {
	*folder.Look[entry]
	hearing hearing
	gone    map[string]bool // transcripts that did not turn up under another name
	names   map[string]bool // of conversations, once asked for
	all     map[uint64]bool // messages of all transcripts, once asked for
}

// read reads the transcripts, those that are known first, and ends those that
// are gone and did not turn up under another name.
func read(ctx, limited context.Context, look *folder.Look[entry]) {
	agent := subconscious.Agent
	if look.Trust == subconscious.Outsider {
		agent = subconscious.Outsider
	}
	l := &collect{Look: look, gone: map[string]bool{}, hearing: hearing{instance: look.ID(), at: look.At, person: look.Trust, agent: agent}}
	for _, rel := range l.Gone {
		l.gone[rel] = true
	}
	slices.SortStableFunc(l.Read, func(a, b string) int { return cmp.Compare(rank(l.Known(a) == nil), rank(l.Known(b) == nil)) })
	for _, rel := range l.Read {
		if limited.Err() != nil || l.hearing.full() {
			l.later()
			break
		}
		l.file(ctx, rel)
	}
	for _, rel := range l.Gone {
		if !l.gone[rel] {
			continue
		}
		if len(l.Later) > 0 || l.hearing.full() { // it may yet turn up
			l.later()
			break
		}
		t := l.talk(l.Known(rel))
		for _, item := range t.take(func(open) bool { return true }) {
			l.hearing.gone(t, item)
		}
		l.Files[rel] = nil
	}
	l.Batch.Changes = l.hearing.finish()
}

// later notes that there was no time for all, or that too much was found.
func (l *collect) later() { l.Later["."] = struct{}{} }

func (l *collect) talk(e *entry) *talk {
	return &talk{name: e.Name, link: "conversation:" + l.ID() + "/" + e.Name, Open: slices.Clone(e.Open)}
}

// file reads one transcript.
func (l *collect) file(ctx context.Context, rel string) {
	f, err := openTranscript(l.Dir, rel)
	if errors.Is(err, fs.ErrNotExist) {
		l.Again = true // the next collect finds it gone
		return
	}
	if l.Unread(rel, err); err != nil {
		return
	}
	defer f.Close()
	before := l.Known(rel)
	r := reading{collect: l, file: f, written: f.written}
	switch {
	case before != nil:
		r.entry = before.copy()
		r.anew = !isLines(rel) || !before.matches(f, f.size)
	case l.Begun():
		r.entry = l.adopt(rel, f)
		r.anew = !isLines(rel)
	default:
		r.entry = &entry{Name: l.name(rel)}
	}
	r.fresh = r.entry.Offset == 0 && len(r.entry.Seen) == 0
	r.talk = l.talk(r.entry)
	err = r.read(ctx, isLines(rel))
	if err != nil {
		if ctx.Err() == nil {
			l.Unread(rel, err)
		}
		l.Again = true
		return
	}
	e := r.entry
	e.Open, e.Size, e.MTime = r.talk.Open, f.size, f.mtime
	if r.left || time.Since(f.written) < folder.Racy {
		e.MTime = 0
	}
	if !reflect.DeepEqual(before, e) {
		l.Files[rel] = e
	}
}

// adopt returns what is known of a transcript that was found under a new name:
// that of the one that was renamed, or of the one that it is a copy of.
func (l *collect) adopt(rel string, f *transcript) *entry {
	heads := map[int64]uint64{}
	begins := func(e *entry) bool {
		length := e.headLength()
		if e.Offset == 0 || f.size < e.Offset {
			return false
		}
		head, read := heads[length]
		if !read {
			var err error
			if head, err = hashAt(f, 0, length); err != nil {
				return false
			}
			heads[length] = head
		}
		return head == e.Head && e.matches(f, f.size)
	}
	var best *entry
	from := ""
	better := func(key string, e *entry) bool {
		return best == nil || cmp.Or(cmp.Compare(e.Offset, best.Offset), cmp.Compare(rank(l.gone[key]), rank(l.gone[from])), cmp.Compare(best.Name, e.Name)) > 0
	}
	for _, list := range []map[string]*entry{l.All(), l.Files} {
		for key, e := range list {
			if e != nil && begins(e) && better(key, e) {
				best, from = e, key
			}
		}
	}
	switch {
	case best == nil:
		return &entry{Name: l.name(rel)}
	case l.gone[from]:
		delete(l.gone, from)
		l.Files[from] = nil
		return best.copy()
	}
	e := best.copy()
	e.Name, e.Open = l.name(rel), nil
	return e
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}

// name returns what the conversation of a transcript is called. No two share
// one: a file that was renamed keeps its own.
func (l *collect) name(rel string) string {
	if l.names == nil {
		l.names = map[string]bool{}
		for _, e := range l.All() {
			l.names[e.Name] = true
		}
	}
	first := safeName(rel)
	name := first
	for n := 2; l.names[name]; n++ {
		name = fmt.Sprintf("%s~%d", first, n)
	}
	l.names[name] = true
	return name
}

// known reports whether any transcript holds a message with an identity of its
// own: a session that goes on in a new file often begins with what was said.
func (l *collect) known(hash uint64) bool {
	if l.all == nil {
		l.all = map[uint64]bool{}
		for _, list := range []map[string]*entry{l.All(), l.Files} {
			for _, e := range list {
				if e != nil {
					maps.Copy(l.all, e.seen())
				}
			}
		}
	}
	return l.all[hash]
}

// heard turns a message of a transcript into what is heard.
func (r *reading) heard(said foreign.Said, hash uint64) heard {
	when := said.At
	if when.IsZero() || when.After(r.written) {
		when = r.written
	}
	if when.After(r.collect.At) {
		when = r.collect.At
	}
	early := (r.anew || r.fresh) && r.collect.At.Sub(when) > recent
	return heard{author: Author(said.By), name: said.Name, key: fmt.Sprintf("%016x", hash), when: when, text: said.Text, old: !r.collect.Begun() || early}
}
