package files

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	// maxSingle changes at one collect are told one by one; more are a burst.
	maxSingle = 50
	// maxNotable of a burst are told besides, and maxFolders of its folders.
	maxNotable = 10
	maxFolders = 20

	headBytes    = 4096
	textRunes    = 1000
	maxTextFile  = 1 << 20
	maxTitleName = 100
	maxFromName  = 60
	maxIDBytes   = 400
	maxAttrBytes = 250
)

// describer makes observations of actions.
type describer struct {
	id    string
	root  string // absolute
	trust func(files ...string) subconscious.Trust
	at    time.Time
	// head returns the first bytes of a file.
	head func(file string, n int) ([]byte, error)
	// marked are files that the daemon wrote itself.
	marked map[string]bool
}

// observations tells of the actions: one by one, or, of a burst, in sum.
func (d *describer) observations(actions []action) []subconscious.Observation {
	if len(actions) > maxSingle {
		return d.burst(actions)
	}
	var told []subconscious.Observation
	for _, a := range actions {
		if o, ok := d.single(a); ok {
			told = append(told, o)
		}
	}
	return told
}

// single tells of one action, unless the file is the daemon's own.
func (d *describer) single(a action) (subconscious.Observation, bool) {
	if a.verb == renamed && d.marked[a.from] {
		d.marked[a.path] = true
		return subconscious.Observation{}, false
	}
	if a.verb == deleted && d.marked[a.path] {
		return subconscious.Observation{}, false
	}
	o := d.blank(a.verb, a.path)
	o.Trust = d.trust(a.path, a.from) // its name was theirs
	full := path.Join(filepath.ToSlash(d.root), a.path)
	if a.folder {
		o.ID = identity(d.id + "/" + a.path + "/")
		o.Attrs["from"] = attr(a.from)
		o.Attrs["files"] = strconv.Itoa(a.files)
		o.Title = fmt.Sprintf("the folder %s was %s (%s)", d.name(a.path), wasRenamed(a), plural(a.files, "file"))
		return o, true
	}
	if ext := strings.ToLower(strings.TrimPrefix(path.Ext(a.path), ".")); ext != "" && path.Ext(a.path) != path.Base(a.path) {
		o.Attrs["ext"] = attr(ext)
	}
	if a.verb != deleted {
		o.Attrs["size"] = strconv.FormatInt(a.now.size, 10)
	}
	switch a.verb {
	case created:
		o.Title = d.name(a.path) + " was created"
	case changed:
		o.Title = d.name(a.path) + " was saved"
	case deleted:
		o.Title = d.name(a.path) + " was deleted"
	case renamed:
		o.Attrs["from"] = attr(a.from)
		o.Title = d.name(a.path) + " was " + wasRenamed(a)
	}
	isSecret := Secret(full) || a.from != "" && Secret(path.Join(filepath.ToSlash(d.root), a.from))
	if isSecret {
		o.Attrs["secret"] = "true"
		o.Severity = subconscious.Notable
	}
	if configuration(full) {
		o.Attrs["config"] = "true"
		o.Severity = subconscious.Notable
	}
	if !isSecret && a.verb != deleted {
		data, err := d.head(a.path, headBytes)
		if err == nil && bytes.Contains(data, []byte(subconscious.Mark)) {
			d.marked[a.path] = true
			return subconscious.Observation{}, false
		}
		if err == nil {
			delete(d.marked, a.path)
			if a.now.size <= maxTextFile {
				o.Text = excerpt(data)
			}
		}
	}
	return o, true
}

// Ref is the reference of a file below the folder that is configured under id;
// file has slashes.
func Ref(id, file string) subconscious.Ref {
	return subconscious.NewRef(Name, identity(id+"/"+file))
}

func (d *describer) blank(v verb, file string) subconscious.Observation {
	return subconscious.Observation{
		ID:       identity(d.id + "/" + file),
		Sense:    Name,
		Instance: d.id,
		Kind:     "file",
		Change:   subconscious.Momentary,
		At:       d.at,
		Trust:    d.trust(file),
		Attrs: map[string]string{
			"action": string(v),
			"path":   attr(path.Join(filepath.ToSlash(d.root), file)),
			"dir":    attr(path.Dir(file)),
		},
	}
}

func wasRenamed(a action) string {
	if path.Dir(a.from) == path.Dir(a.path) {
		return "renamed from " + shown(path.Base(a.from), maxFromName)
	}
	return "moved from " + shown(a.from, maxFromName)
}

// burst tells of many actions: the most notable ones, and each top folder.
func (d *describer) burst(actions []action) []subconscious.Observation {
	var told []subconscious.Observation
	for _, a := range notable(actions, d.root) {
		if o, ok := d.single(a); ok {
			told = append(told, o)
		}
	}
	sums := map[string]*sum{}
	for _, a := range actions {
		top, _, inside := strings.Cut(a.path, "/")
		if !inside {
			top = "."
		}
		if sums[top] == nil {
			sums[top] = &sum{folder: top, by: map[verb]int{}}
		}
		sums[top].add(a.verb, max(a.files, 1))
	}
	ordered := slices.SortedFunc(maps.Values(sums), func(a, b *sum) int {
		return cmp.Or(cmp.Compare(b.files, a.files), cmp.Compare(a.folder, b.folder))
	})
	if len(ordered) > maxFolders {
		rest := &sum{others: len(ordered) - maxFolders + 1, by: map[verb]int{}}
		for _, s := range ordered[maxFolders-1:] {
			for v, n := range s.by {
				rest.add(v, n)
			}
		}
		ordered = append(ordered[:maxFolders-1], rest)
	}
	for _, s := range ordered {
		told = append(told, d.summary(s))
	}
	return told
}

// notable picks what must not drown: secrets and configuration first, then
// renamed folders.
func notable(actions []action, root string) []action {
	rank := func(a action) int {
		full := path.Join(filepath.ToSlash(root), a.path)
		switch {
		case a.folder:
			return 2
		case Secret(full) || configuration(full):
			return 1
		}
		return 0
	}
	var picked []action
	for _, wanted := range [...]int{1, 2} {
		for _, a := range actions {
			if rank(a) == wanted && len(picked) < maxNotable {
				picked = append(picked, a)
			}
		}
	}
	return picked
}

// sum of a burst in one folder.
type sum struct {
	folder string
	others int // how many folders, where there is no one name
	files  int
	by     map[verb]int
}

func (s *sum) add(v verb, n int) {
	s.files += n
	s.by[v] += n
}

func (d *describer) summary(s *sum) subconscious.Observation {
	folder, where := s.folder, "under "+d.name(s.folder)
	switch {
	case s.others > 0:
		folder, where = ".", fmt.Sprintf("in %d other folders of %s", s.others, d.id)
	case s.folder == ".":
		where = "directly in " + d.id
	}
	o := d.blank(burst, folder)
	o.ID = identity(d.id + "/" + path.Join(folder, "*"))
	if s.others > 0 {
		o.ID = d.id + "/**"
	}
	o.Attrs["dir"] = attr(folder)
	o.Attrs["files"] = strconv.Itoa(s.files)
	var parts []string
	for _, part := range [...]struct {
		verb  verb
		words string
	}{{changed, "saved"}, {created, "created"}, {renamed, "renamed"}, {deleted, "deleted"}} {
		n := s.by[part.verb]
		o.Attrs[string(part.verb)] = strconv.Itoa(n)
		if n > 0 {
			parts = append(parts, humanize.Comma(int64(n))+" "+part.words)
		}
	}
	o.Title = fmt.Sprintf("%s %s at once: %s", plural(s.files, "file"), where, strings.Join(parts, ", "))
	return o
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}

// name is how a path is shown: with the instance before it.
func (d *describer) name(file string) string { return shown(d.id+"/"+file, maxTitleName) }

// shown shortens a path in the middle to at most limit bytes, and leaves out
// what cannot be printed.
func shown(file string, limit int) string { return shorten(subconscious.Printable(file), limit) }

// shorten takes secrets out before it cuts: half of one is no longer known for
// what it is.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if text = redact.Text(text); len(text) <= limit {
		return text
	}
	const more = "…"
	first := (limit - len(more)) / 3
	last := len(text) - (limit - len(more) - first)
	for !utf8.RuneStart(text[first]) {
		first--
	}
	for !utf8.RuneStart(text[last]) {
		last++
	}
	return text[:first] + more + text[last:]
}

// attr makes an attribute's value of a path.
func attr(file string) string { return shorten(valid(file), maxAttrBytes) }

// identity makes an identity of a path of any bytes and length.
func identity(file string) string {
	file = valid(file)
	if len(file) <= maxIDBytes {
		return file
	}
	name := redact.Text(file)
	return fmt.Sprintf("%s…%016x", strings.ToValidUTF8(name[:min(len(name), maxIDBytes-32)], ""), hash(file))
}

// valid writes the bytes that are no text as \xNN.
func valid(file string) string {
	if utf8.ValidString(file) {
		return file
	}
	var b strings.Builder
	for len(file) > 0 {
		r, size := utf8.DecodeRuneInString(file)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, file[0])
		} else {
			b.WriteString(file[:size])
		}
		file = file[size:]
	}
	return b.String()
}

// excerpt returns the first characters of a text, and "" for what is none.
// Secrets are taken out before it is cut: half of one is no longer known for
// what it is.
func excerpt(data []byte) string {
	whole := len(data) < headBytes
	if !whole { // the last character may have been cut
		for i := 0; i < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data); i++ {
			data = data[:len(data)-1]
		}
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	text := redact.Text(string(data))
	n := 0
	for i := range text {
		if n == textRunes {
			return strings.TrimSpace(text[:i]) + "…"
		}
		n++
	}
	if !whole { // the last word may have been cut
		text = text[:strings.LastIndexFunc(text, unicode.IsSpace)+1]
	}
	return strings.TrimSpace(text)
}
