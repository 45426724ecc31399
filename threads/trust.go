package threads

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// trustOf is whose word a file below a root is: the root's, but where a folder
// on the way to it is another root that is trusted less. So a folder into which
// strangers' files come stays theirs within the person's own.
func (r *Registry) trustOf(root Root, file string) subconscious.Trust {
	trust := root.Trust
	others := slices.Concat(r.options.Roots, r.options.Within)
	for folder := path.Dir(file); folder != "." && folder != "/"; folder = path.Dir(folder) {
		here, err := os.Stat(filepath.Join(root.Path, filepath.FromSlash(folder)))
		if err != nil {
			continue // there is nothing to be read then
		}
		for _, other := range others {
			if other.Trust.Rank() <= trust.Rank() {
				continue
			}
			if there, err := os.Stat(other.Path); err == nil && os.SameFile(here, there) {
				trust = other.Trust
			}
		}
	}
	return trust
}
