package threads

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// What a search looks at: files, bytes of all of them and of one, and names
	// in folders.
	searchedFiles = 200
	searchedBytes = 2 << 20
	searchedFile  = 64 << 10
	searchedNames = 20_000
	// What it returns: observations, files, and lines of each.
	observationsFound = 10
	foundFiles        = 6
	foundLines        = 3
	foundLine         = 240
	// maxTerms is how many words are searched for.
	maxTerms = 8
)

// searchNotes looks through the person's notes.
func searchNotes(r *Registry) tool {
	type arguments struct {
		Words string `json:"words" required:"true" about:"1 to 8 words"`
	}
	return define(searchNotesTool, "Searches the person's notes: what is open there, and lines of files with most of the words. Rare words find most.",
		func(ctx context.Context, snapshot subconscious.Snapshot, a arguments) (prompts.Result, error) {
			words, err := searchWords("words", a.Words)
			if err != nil {
				return prompts.Result{}, err
			}
			result := prompts.Result{Observations: searchObservations(ctx, snapshot.World, words), More: "Ask for rarer words."}
			result.Excerpts = r.searchFiles(ctx, words)
			if len(result.Observations)+len(result.Excerpts) == 0 {
				result.Said = []string{"Nothing in the notes has any of these words."}
			}
			return result, nil
		})
}

// recall searches for the words of an argument with find, of whose errors a
// model is told no more than trouble, and returns at most so many excerpts of
// what it found.
func recall[T any](argument, text string, most int, trouble error, find func(words string) ([]T, error),
	excerpt func(T) (e prompts.Excerpt, show bool)) (excerpts []prompts.Excerpt, err error) {
	words, err := searchWords(argument, text)
	if err != nil {
		return nil, err
	}
	found, err := find(strings.Join(words, " "))
	if err != nil {
		return nil, trouble
	}
	for _, one := range found {
		if len(excerpts) == most {
			break
		}
		if e, show := excerpt(one); show {
			excerpts = append(excerpts, e)
		}
	}
	return excerpts, nil
}

// searchWords are the words of an argument, in lower case.
func searchWords(argument, text string) (words []string, err error) {
	for _, word := range strings.Fields(strings.ToLower(subconscious.Printable(text))) {
		word = strings.Trim(word, `.,;:!?"'()[]{}<>`)
		if utf8.RuneCountInString(word) >= 2 && len(words) < maxTerms && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%s is %.40q, and has no word of two letters or more to search for", argument, text)
	}
	return words, nil
}

// hits is how many of the words a text has. Both are in lower case.
func hits(text string, words []string) int {
	n := 0
	for _, word := range words {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// searchObservations are the standing observations of the notes that have most
// of the words.
func searchObservations(ctx context.Context, world subconscious.World, words []string) []subconscious.Observation {
	type found struct {
		o    subconscious.Observation
		hits int
	}
	var all []found
	looked := 0
	world.Of("notes", func(o subconscious.Observation) bool {
		if n := hits(strings.ToLower(o.Title+"\n"+o.Text), words); n > 0 {
			all = append(all, found{o, n})
		}
		looked++
		return looked < notesSifted && ctx.Err() == nil
	})
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(b.o.Seq, a.o.Seq)) })
	var observations []subconscious.Observation
	for _, f := range all[:min(len(all), observationsFound)] {
		observations = append(observations, f.o)
	}
	return observations
}

// note is a file that a search looks at.
type note struct {
	root *confined
	file string
	at   time.Time
	size int64
}

// searchFiles returns lines of the files that have most of the words, the
// newest first among equals.
func (r *Registry) searchFiles(ctx context.Context, words []string) []prompts.Excerpt {
	var notes []note
	for _, root := range r.options.Roots {
		if !root.Notes {
			continue
		}
		c, err := r.confine(root)
		if err != nil {
			continue // it is not there, which the sense of the notes tells
		}
		defer c.Close()
		notes = append(notes, c.list(ctx)...)
	}
	slices.SortFunc(notes, func(a, b note) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.root.ID, b.root.ID), cmp.Compare(a.file, b.file))
	})
	type found struct {
		excerpt prompts.Excerpt
		hits    int
	}
	var all []found
	left := int64(searchedBytes)
	for _, n := range notes[:min(len(notes), searchedFiles)] {
		if left -= min(n.size, searchedFile); left < 0 || ctx.Err() != nil {
			break
		}
		text, more, err := n.root.read(ctx, n.file, searchedFile)
		if err != nil {
			continue
		}
		if hits(strings.ToLower(text), words) == 0 {
			continue
		}
		// The whole of it, and then again: half a secret is no longer known for one.
		text = whole(r.options.Redact(text), more)
		if k := hits(strings.ToLower(text), words); k > 0 {
			excerpt := prompts.Excerpt{Name: n.root.ID + "/" + n.file, Trust: r.trustOf(n.root.Root, n.file), Text: hitLines(text, words)}
			if n.root.Ref != nil {
				excerpt.Ref, _ = n.root.Ref(n.file)
			}
			all = append(all, found{excerpt, k})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.hits, a.hits) })
	var excerpts []prompts.Excerpt
	for _, f := range all[:min(len(all), foundFiles)] {
		excerpts = append(excerpts, f.excerpt)
	}
	return excerpts
}

// hitLines are the lines of a text that have most of the words, in their order.
func hitLines(text string, words []string) string {
	type line struct{ at, hits int }
	lines := strings.Split(text, "\n")
	var found []line
	for i, l := range lines {
		if n := hits(strings.ToLower(l), words); n > 0 {
			found = append(found, line{i, n})
		}
	}
	slices.SortStableFunc(found, func(a, b line) int { return cmp.Compare(b.hits, a.hits) })
	found = found[:min(len(found), foundLines)]
	slices.SortFunc(found, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var out []string
	for _, l := range found {
		said := fmt.Sprintf("line %d: %s", l.at+1, strings.TrimSpace(lines[l.at]))
		if len(said) > foundLine {
			said = subconscious.Head(said, foundLine) + "…"
		}
		out = append(out, said)
	}
	return strings.Join(out, "\n")
}

// list returns the notes below a root: texts by their names, hidden folders and
// those of tools left out.
func (c *confined) list(ctx context.Context) []note {
	var notes []note
	looked := 0
	fs.WalkDir(c.opened.FS(), ".", func(file string, entry fs.DirEntry, err error) error {
		if looked++; looked > searchedNames || ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil || entry == nil {
			return nil // a folder that cannot be read has no notes for us
		}
		name := entry.Name()
		if entry.IsDir() {
			if file != "." && (strings.HasPrefix(name, ".") || name == "node_modules") {
				return fs.SkipDir
			}
			if info, err := entry.Info(); err == nil && c.excludes(info) {
				return fs.SkipDir
			}
			return nil
		}
		switch strings.ToLower(path.Ext(name)) {
		case ".md", ".markdown", ".txt", ".org":
		default:
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			notes = append(notes, note{c, file, info.ModTime(), info.Size()})
		}
		return nil
	})
	return notes
}
