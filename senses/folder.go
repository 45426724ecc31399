package senses

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Folder is a folder, absolute, and whose word the files in it are.
type Folder struct {
	Path  string
	Trust subconscious.Trust
}

// TrustWithin says whose word a file below a folder is, by its path below it,
// with slashes: the folder's, but in one of the others that lies within it and is
// trusted less. So what strangers put into a folder of their own stays theirs
// within the person's.
func TrustWithin(root Folder, others []Folder) func(file string) subconscious.Trust {
	less := map[string]subconscious.Trust{}
	for _, other := range others {
		if other.Trust.Rank() <= root.Trust.Rank() {
			continue
		}
		for _, here := range realNames(root.Path) {
			for _, there := range realNames(other.Path) {
				rel, err := filepath.Rel(here, there)
				if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
					continue
				}
				if rel = filepath.ToSlash(rel); less[rel] == "" || other.Trust.Rank() > less[rel].Rank() {
					less[rel] = other.Trust
				}
			}
		}
	}
	return func(file string) subconscious.Trust {
		trust := root.Trust
		if len(less) == 0 {
			return trust
		}
		for folder := path.Dir(path.Clean(file)); folder != "." && folder != "/"; folder = path.Dir(folder) {
			if t, ok := less[folder]; ok && t.Rank() > trust.Rank() {
				trust = t
			}
		}
		return trust
	}
}

// realNames are a folder's given name, and its real one where that is another.
func realNames(folder string) []string {
	names := []string{filepath.Clean(folder)}
	if real, err := filepath.EvalSymlinks(folder); err == nil && real != names[0] {
		names = append(names, real)
	}
	return names
}
