package files

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/senses/folder"
)

// verb says what happened to a file.
type verb string

const (
	created verb = "created"
	changed verb = "changed"
	renamed verb = "renamed"
	deleted verb = "deleted"
	burst   verb = "burst"
)

// action is one thing that happened, as a person would say it.
type action struct {
	verb   verb
	path   string
	from   string // where it was; renamed only
	files  int    // how many a renamed folder holds; 0 for a file
	now    stat
	folder bool
}

// surroundings answer what interpret must know beyond the deltas.
type surroundings struct {
	// known are the files before.
	known *tree
	// folderExists reports whether there is such a folder now.
	folderExists func(folder string) bool
}

// interpret turns the differences into actions, in order of path: what
// vanished here and appeared there is a rename, and many renames may be one of
// a folder.
func interpret(deltas []delta, around surroundings) []action {
	slices.SortFunc(deltas, func(a, b delta) int { return cmp.Compare(a.path, b.path) })
	pairs := findRenames(deltas)
	moves := findMoves(deltas, pairs, around)
	var actions []action
	for _, m := range moves {
		actions = append(actions, action{verb: renamed, path: m.to, from: m.from, files: m.files, folder: true})
	}
	target, source := map[string]string{}, map[string]bool{}
	for _, p := range pairs {
		source[p.from] = true
		target[p.to] = p.from
	}
	saved := map[string]bool{} // in a renamed folder, and changed as well
	for _, d := range deltas {
		if to, ok := moves.of(d.path); d.had && !d.has && !d.silent && !source[d.path] && ok && appeared(deltas, to) && target[to] == "" {
			source[d.path], saved[to] = true, true
		}
	}
	for _, d := range deltas {
		from, isTarget := target[d.path]
		switch {
		case d.silent:
		case !d.has:
			if d.had && !source[d.path] {
				actions = append(actions, action{verb: deleted, path: d.path})
			}
		case isTarget:
			if to, ok := moves.of(from); !ok || to != d.path {
				actions = append(actions, action{verb: renamed, path: d.path, from: from, now: d.new})
			}
		case saved[d.path], d.had && !d.old.alike(d.new):
			actions = append(actions, action{verb: changed, path: d.path, now: d.new})
		case !d.had:
			actions = append(actions, action{verb: created, path: d.path, now: d.new})
		}
	}
	slices.SortStableFunc(actions, func(a, b action) int { return cmp.Compare(a.path, b.path) })
	return actions
}

// appeared reports whether deltas, sorted by path, has a file that is new.
func appeared(deltas []delta, file string) bool {
	i, ok := slices.BinarySearchFunc(deltas, file, func(d delta, file string) int { return cmp.Compare(d.path, file) })
	return ok && deltas[i].has && !deltas[i].had && !deltas[i].silent
}

type rename struct{ from, to string }

// findRenames pairs what vanished with what appeared, or took another's place,
// with the same inode, size and time of change. An inode alone proves nothing:
// it is given to the next file as soon as it is free. Where the system has no
// inodes, a size and a time that only one file has on each side will do.
func findRenames(deltas []delta) []rename {
	gone, come := map[stat][]string{}, map[stat][]string{}
	for _, d := range deltas {
		switch {
		case d.had && !d.has && !d.silent:
			gone[d.old] = append(gone[d.old], d.path)
		case d.has && !d.silent && (!d.had || d.old.inode != d.new.inode):
			come[d.new] = append(come[d.new], d.path)
		}
	}
	var pairs []rename
	for s, from := range gone {
		to := come[s]
		if s.inode == 0 && (len(from) != 1 || len(to) != 1 || s.size == 0) {
			continue
		}
		for i := range min(len(from), len(to)) {
			pairs = append(pairs, rename{from[i], to[i]})
		}
	}
	slices.SortFunc(pairs, func(a, b rename) int { return cmp.Compare(a.to, b.to) })
	return pairs
}

// move is a folder that was renamed.
type move struct {
	rename
	files int
}

type moves []move

// of returns where a path went.
func (ms moves) of(file string) (to string, ok bool) {
	for _, m := range ms {
		if rest, ok := strings.CutPrefix(file, m.from+"/"); ok {
			return m.to + "/" + rest, true
		}
	}
	return "", false
}

// maxJudged bounds the folders that are considered at one collect.
const maxJudged = 500

// findMoves finds the folders that were renamed as a whole: the old one is no
// more, in the new one there was nothing before. Of folders within each other
// the outermost counts.
func findMoves(deltas []delta, pairs []rename, around surroundings) moves {
	judged := map[rename]bool{}
	left := folderCounts(deltas)
	count := map[rename]int{}
	for _, p := range pairs {
		for _, candidate := range p.folders() {
			whole, known := judged[candidate]
			if !known && len(judged) < maxJudged {
				whole = around.moved(candidate, left)
				judged[candidate] = whole
			}
			if whole {
				count[candidate]++
				break
			}
		}
	}
	found := distinct(count)
	// The innermost first, so that of finds the closest.
	slices.SortFunc(found, func(a, b move) int {
		return cmp.Or(cmp.Compare(len(b.from), len(a.from)), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return found
}

// distinct keeps one rename a folder, on either side: that of most files.
func distinct(count map[rename]int) moves {
	var all, found moves
	for r, files := range count {
		all = append(all, move{r, files})
	}
	slices.SortFunc(all, func(a, b move) int {
		return cmp.Or(cmp.Compare(b.files, a.files), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	from, to := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		if !from[m.from] && !to[m.to] {
			from[m.from], to[m.to] = true, true
			found = append(found, m)
		}
	}
	return found
}

// folders returns the folders whose rename would explain that of the file, the
// outermost first.
func (r rename) folders() []rename {
	var candidates []rename
	from, to := r.from, r.to
	for path.Base(from) == path.Base(to) {
		from, to = path.Dir(from), path.Dir(to)
		if from == "." || to == "." || folder.Within(from, to) || folder.Within(to, from) {
			break
		}
		candidates = append(candidates, rename{from, to})
	}
	slices.Reverse(candidates)
	return candidates
}

// moved reports whether nothing is left of from, and nothing was in to before.
func (a surroundings) moved(r rename, changed map[string]counts) bool {
	if a.folderExists(r.from) || changed[r.from].come > 0 {
		return false
	}
	before, occupied := 0, false
	a.known.below(map[string]bool{r.from: true}, func(string, stat) { before++ })
	a.known.below(map[string]bool{r.to: true}, func(string, stat) { occupied = true })
	return before <= changed[r.from].gone && !occupied
}

// counts of the files that came and went below a folder.
type counts struct{ come, gone int }

func folderCounts(deltas []delta) map[string]counts {
	all := map[string]counts{}
	for _, d := range deltas {
		if d.had == d.has {
			continue
		}
		for folder := path.Dir(d.path); folder != "."; folder = path.Dir(folder) {
			c := all[folder]
			if d.has {
				c.come++
			} else {
				c.gone++
			}
			all[folder] = c
		}
	}
	return all
}
