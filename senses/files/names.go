package files

import (
	_ "embed"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

//go:embed names.txt
var written string

// names are some of names.txt.
type names struct {
	whole    map[string]bool
	patterns []namePattern
}

// namePattern is a name with one star or two.
type namePattern struct {
	begin, within, end string
	placed             bool // it has the folder above in it
}

// lists are those of names.txt, by what their lines begin with.
var lists = sync.OnceValue(func() map[string]*names {
	all := map[string]*names{}
	for line := range strings.Lines(written) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		list := all[words[0]]
		if list == nil {
			list = &names{whole: map[string]bool{}}
			all[words[0]] = list
		}
		for _, word := range words[1:] {
			parts := strings.Split(word, "*")
			if last := len(parts) - 1; last > 0 {
				list.patterns = append(list.patterns, namePattern{parts[0], strings.Join(parts[1:last], ""), parts[last], strings.Contains(word, "/")})
			} else {
				list.whole[word] = true
			}
		}
	}
	return all
})

// has reports whether a file or folder is in the list: by its name, or with that of
// the folder above.
func (n *names) has(folder, name string) bool {
	placed := folder + "/" + name
	if n.whole[name] || n.whole[placed] {
		return true
	}
	for _, p := range n.patterns {
		text := name
		if p.placed {
			text = placed
		}
		if len(text) >= len(p.begin)+len(p.end) && strings.HasPrefix(text, p.begin) && strings.HasSuffix(text, p.end) && strings.Contains(text, p.within) {
			return true
		}
	}
	return false
}

// builtIn reports whether a name is by itself of no interest.
func builtIn(name string, dir bool) bool {
	if dir {
		return lists()["ignored-folders"].has("", name)
	}
	return lists()["ignored-files"].has("", name) || sedTemporary(name)
}

// sedTemporary recognises the file that "sed -i" writes into: "sed" and six
// random letters and digits, which hardly ever are all lower-case.
func sedTemporary(name string) bool {
	const mixed = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	random, ok := strings.CutPrefix(name, "sed")
	return ok && len(random) == 6 && strings.ContainsAny(random, mixed) && strings.Trim(strings.ToUpper(random), mixed) == ""
}

// Secret reports whether a path looks like a secret, by its name. Such files
// are named and never read.
func Secret(full string) bool {
	full = filepath.ToSlash(full)
	if strings.Contains(full, "/.gnupg/") || strings.Contains(full, "/.password-store/") {
		return true
	}
	folder, name := path.Base(path.Dir(full)), strings.ToLower(path.Base(full))
	if folder == ".ssh" {
		return !lists()["open-in-ssh"].has(folder, name)
	}
	return lists()["secret"].has(folder, name) && !lists()["open"].has(folder, name)
}

// configuration reports whether a path is configuration that decides what a
// machine runs, or who may enter it.
func configuration(full string) bool {
	return lists()["configuration"].has(path.Base(path.Dir(full)), path.Base(full))
}
