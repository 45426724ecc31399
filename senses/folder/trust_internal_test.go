package folder

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// careless is a disk that takes names in any case and any form for the same, and
// has links.
type careless struct {
	there []string // folders as they are spelled
	links map[string]string
}

func (d careless) follow(name string) string {
	for link, to := range d.links {
		if rest, ok := strings.CutPrefix(folded(name)+"/", folded(link)+"/"); ok {
			return path.Join(to, rest)
		}
	}
	return name
}

func (d careless) find(name string) string {
	for _, folder := range d.there {
		if folded(folder) == folded(d.follow(name)) {
			return folder
		}
	}
	return ""
}

func (d careless) Same(a, b string) bool { return d.find(a) != "" && d.find(a) == d.find(b) }

func (d careless) Real(folder string) (string, bool) { return d.follow(folder), d.find(folder) != "" }

func (d careless) Names(folder string) (names []string) {
	for _, other := range d.there {
		if path.Dir(other) == d.find(folder) && other != "/" {
			names = append(names, path.Base(other))
		}
	}
	return names
}

// A folder is within however it is spelled, and over links; where it is not there
// yet, it may come in any spelling. What is spelled alike on a disk that tells
// cases apart stays what it is.
func TestTrustWithinSpelled(t *testing.T) {
	d := careless{there: []string{"/", "/home", "/home/Notes", "/home/Notes/Über", "/home/Notes/Über/Down"}, links: map[string]string{"/vault": "/home/Notes"}}
	for name, c := range map[string]struct{ root, other, file string }{
		"as it is":          {"/home/Notes", "/home/Notes/Über/Down", "Über/Down/a.md"},
		"another case":      {"/home/notes", "/HOME/NOTES/ÜBER/down", "Über/Down/deep/a.md"},
		"another form":      {"/home/Notes", "/home/Notes/U\u0308ber", "Über/a.md"},
		"over a link":       {"/home/Notes", "/VAULT/über/down", "Über/Down/a.md"},
		"the root a link":   {"/vault", "/home/notes/über", "Über/a.md"},
		"not there yet":     {"/home/Notes", "/home/notes/über/new", "Über/NEW/a.md"},
		"none of it there":  {"/srv/x", "/srv/x/new/er", "New/er/a.md"},
		"in another's case": {"/home/Notes", "/home/notes/NEW", "new/a.md"},
	} {
		trusts := trustWithin(d, Place{c.root, subconscious.Owner}, []Place{{c.other, subconscious.Outsider}})
		if got := trusts.Of(c.file); got != subconscious.Outsider {
			t.Errorf("%s: %s is %q", name, c.file, got)
		}
		if got := trusts.Of("own.md"); got != subconscious.Owner {
			t.Errorf("%s: what is beside is %q", name, got)
		}
	}
	strict := trustWithin(disk{}, Place{t.TempDir(), subconscious.Owner}, []Place{{"/", subconscious.Outsider}})
	if got := strict.Of("a/b.md"); got != subconscious.Owner {
		t.Errorf("within all of the disk it is %q", got)
	}
}

// What was told before is judged by what an observation keeps of its path, and
// is nobody's more than it can be.
func TestTrustOfTold(t *testing.T) {
	trusts := trustWithin(careless{there: []string{"/", "/n", "/n/my  down"}}, Place{"/n", subconscious.Owner}, []Place{{"/n/my  down", subconscious.Outsider}})
	for file, want := range map[string]subconscious.Trust{
		"my down/a.md": subconscious.Outsider, "other/a.md": subconscious.Owner, "my [redacted:key]/a.md": subconscious.Outsider,
		"long…/a.md": subconscious.Outsider, strings.Repeat("x", senses.MaxAttrBytes): subconscious.Outsider,
	} {
		if got := trusts.OfTold(file); got != want {
			t.Errorf("%q is %q, want %q", file, got, want)
		}
	}
	if got := (Trusts{whole: subconscious.Owner}).OfTold("[redacted:key]/a.md"); got != subconscious.Owner {
		t.Errorf("with nothing within it is %q", got)
	}
}

// The sum is another number where any file may be another's, and for nothing else.
func TestTrustsSum(t *testing.T) {
	d := careless{there: []string{"/", "/n", "/n/a", "/n/b"}}
	of := func(root subconscious.Trust, others ...Place) uint64 {
		return trustWithin(d, Place{"/n", root}, others).Sum()
	}
	stranger, agent := subconscious.Outsider, subconscious.Agent
	sums := []uint64{
		of(subconscious.Owner), of(agent), of(stranger), of(subconscious.Owner, Place{"/n/a", stranger}), of(subconscious.Owner, Place{"/n/a", agent}),
		of(subconscious.Owner, Place{"/n/b", stranger}), of(subconscious.Owner, Place{"/n/a", stranger}, Place{"/n/b", stranger}), of(agent, Place{"/n/a", stranger}),
	}
	for i, sum := range sums {
		if slices.Contains(sums[:i], sum) {
			t.Errorf("%d has the sum of one before", i)
		}
	}
	for name, same := range map[string][2]uint64{
		"in another order":   {of(subconscious.Owner, Place{"/n/a", stranger}, Place{"/n/b", agent}), of(subconscious.Owner, Place{"/n/b", agent}, Place{"/n/a", stranger})},
		"beside, or trusted": {of(subconscious.Owner), of(subconscious.Owner, Place{"/m", stranger}, Place{"/n/a", subconscious.Owner})},
		"in another case":    {of(subconscious.Owner, Place{"/n/A", stranger}), of(subconscious.Owner, Place{"/n/a", stranger})},
	} {
		if same[0] != same[1] {
			t.Errorf("%s: the sums differ", name)
		}
	}
}
