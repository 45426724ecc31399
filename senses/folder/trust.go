package folder

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Place is a folder, absolute, and whose word the files in it are.
type Place struct {
	Path  string
	Trust subconscious.Trust
}

// Trusts say whose word the files below a folder are: the folder's, but in
// another one that lies within it and is trusted less. So what strangers put
// into a folder of their own stays theirs within the person's.
type Trusts struct {
	whole subconscious.Trust
	// less are the folders inside that are trusted less, by relative path as
	// the disk spells it; absent those that do not exist yet, by folded path,
	// since their spelling is not known.
	less, absent map[string]subconscious.Trust
}

// TrustWithin looks at the folders once, and asks the disk which of them are
// within: a name can be spelled in more than one way, and lead over links.
func TrustWithin(root Place, others []Place) Trusts { return trustWithin(disk{}, root, others) }

func trustWithin(d folders, root Place, others []Place) Trusts {
	t := Trusts{whole: root.Trust, less: map[string]subconscious.Trust{}, absent: map[string]subconscious.Trust{}}
	for _, other := range others {
		if other.Trust.Rank() <= root.Trust.Rank() {
			continue
		}
		for _, name := range []string{filepath.Clean(other.Path), realName(d, other.Path)} {
			rel, ok := placeBelow(d, filepath.Clean(root.Path), name)
			if !ok {
				continue
			}
			spelled, there := spelling(d, root.Path, rel)
			if there {
				lower(t.less, spelled, other.Trust)
			} else {
				lower(t.absent, folded(spelled), other.Trust)
			}
		}
	}
	return t
}

func lower(all map[string]subconscious.Trust, rel string, trust subconscious.Trust) {
	if before, ok := all[rel]; ok {
		trust = lesser(before, trust)
	}
	all[rel] = trust
}

// Of says whose word a file is, by its path below the folder, with slashes. With
// more than one, such as where it was before, it is that of the least trusted.
func (t Trusts) Of(files ...string) subconscious.Trust { return t.least(files, t.less) }

func (t Trusts) least(files []string, less map[string]subconscious.Trust) subconscious.Trust {
	trust := t.whole
	for _, file := range files {
		for folder := path.Dir(path.Clean(file)); folder != "." && folder != "/"; folder = path.Dir(folder) {
			if theirs, ok := less[folder]; ok {
				trust = lesser(trust, theirs)
			}
			if len(t.absent) == 0 {
				continue
			}
			if theirs, ok := t.absent[folded(folder)]; ok {
				trust = lesser(trust, theirs)
			}
		}
	}
	return trust
}

func lesser(one, other subconscious.Trust) subconscious.Trust {
	if other.Rank() > one.Rank() {
		return other
	}
	return one
}

// OfTold is Of for files that were reported before, by their paths as kept in an
// observation's attributes. Where one was shortened, the file may be in any of
// the folders inside.
func (t Trusts) OfTold(files ...string) subconscious.Trust {
	trust := t.whole
	kept := make(map[string]subconscious.Trust, len(t.less))
	for rel, theirs := range t.less {
		lower(kept, strings.Join(strings.Fields(subconscious.Printable(rel)), " "), theirs)
	}
	for _, file := range files {
		if len(file) < senses.MaxAttrBytes-len("…") && !strings.Contains(file, "…") && !strings.Contains(file, "[redacted") {
			continue
		}
		for _, within := range []map[string]subconscious.Trust{t.less, t.absent} {
			for _, theirs := range within {
				trust = lesser(trust, theirs)
			}
		}
		return trust
	}
	return t.least(files, kept)
}

// Sum changes whenever the trust of any file may have changed.
func (t Trusts) Sum() uint64 {
	all := map[string]subconscious.Trust{}
	for rel, trust := range t.less {
		lower(all, folded(rel), trust)
	}
	for rel, trust := range t.absent { // that one comes into being is no change
		lower(all, rel, trust)
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00", t.whole)
	for _, rel := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(h, "%s\x00%s\x00", rel, all[rel])
	}
	return h.Sum64()
}

// folded gives all paths that a disk may take for the same one spelling.
func folded(rel string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(rel))) }

// folders are what is asked of a disk.
type folders interface {
	// Same reports whether both are there and one folder.
	Same(a, b string) bool
	// Names are those in a folder, as the disk spells them.
	Names(folder string) []string
	// Real is a folder's name without links; ok is false where it is not there.
	Real(folder string) (real string, ok bool)
}

// disk is the real one.
type disk struct{}

var _ folders = disk{}

// Same implements folders.
func (disk) Same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Names implements folders.
func (disk) Names(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // what was read before an error counts
	return names
}

// Real implements folders.
func (disk) Real(folder string) (string, bool) {
	real, err := filepath.EvalSymlinks(folder)
	return real, err == nil
}

// realName is a folder's name without links, as far as it is there.
func realName(d folders, folder string) string {
	folder = filepath.Clean(folder)
	if real, ok := d.Real(folder); ok {
		return real
	}
	if parent := filepath.Dir(folder); parent != folder {
		return filepath.Join(realName(d, parent), filepath.Base(folder))
	}
	return folder
}

// placeBelow goes up from a folder to the root, and returns its path below, with
// slashes. ok is false where it is not within.
func placeBelow(d folders, root, folder string) (rel string, ok bool) {
	real := realName(d, root)
	for at := folder; ; at = filepath.Dir(at) {
		if at == root || at == real || d.Same(at, root) {
			return rel, rel != ""
		}
		if filepath.Dir(at) == at {
			return "", false
		}
		rel = path.Join(filepath.Base(at), rel)
	}
}

// spelling is a path below a folder as the disk spells it; there is false where
// the disk does not know all of it.
func spelling(d folders, root, rel string) (spelled string, there bool) {
	parts := strings.Split(rel, "/")
	for i, name := range parts {
		names := d.Names(root)
		if !slices.Contains(names, name) {
			n := slices.IndexFunc(names, func(other string) bool {
				return folded(other) == folded(name) && d.Same(filepath.Join(root, other), filepath.Join(root, name))
			})
			if n < 0 {
				return path.Join(append([]string{spelled}, parts[i:]...)...), false
			}
			name = names[n]
		}
		root, spelled = filepath.Join(root, name), path.Join(spelled, name)
	}
	return spelled, true
}
