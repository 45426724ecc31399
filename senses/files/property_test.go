package files

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/subconsciousd/subconsciousd/senses/folder"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// truth is what differs between two snapshots.
type truth struct{ plus, minus, tilde map[string]bool }

func newTruth() truth {
	return truth{map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

func difference(before, after map[string]stat) truth {
	d := newTruth()
	for name, s := range after {
		if old, had := before[name]; !had {
			d.plus[name] = true
		} else if !old.alike(s) {
			d.tilde[name] = true
		}
	}
	for name := range before {
		if _, has := after[name]; !has {
			d.minus[name] = true
		}
	}
	return d
}

// toldOf is the same, as the observations have it. Nothing may be told twice.
func toldOf(t *rapid.T, before map[string]stat, told []subconscious.Observation) truth {
	d := newTruth()
	put := func(set map[string]bool, name string) {
		if set[name] {
			t.Fatalf("told twice of %s: %v", name, said(told))
		}
		set[name] = true
	}
	arrive := func(name string) {
		if _, had := before[name]; had {
			put(d.tilde, name)
		} else {
			put(d.plus, name)
		}
	}
	sources, folders := map[string]bool{}, []subconscious.Observation{}
	for _, o := range told {
		name := strings.TrimPrefix(o.ID, "work/")
		switch {
		case strings.HasSuffix(name, "/"):
			folders = append(folders, o)
		case o.Attrs["action"] == "deleted":
			put(d.minus, name)
			sources[name] = true
		case o.Attrs["action"] == "renamed":
			put(d.minus, o.Attrs["from"])
			sources[o.Attrs["from"]] = true
			arrive(name)
		default:
			arrive(name)
		}
	}
	// The innermost first, each with the files that nothing else speaks of.
	slices.SortFunc(folders, func(a, b subconscious.Observation) int { return len(b.Attrs["from"]) - len(a.Attrs["from"]) })
	for _, o := range folders {
		from, to := o.Attrs["from"], strings.TrimSuffix(strings.TrimPrefix(o.ID, "work/"), "/")
		for name := range before {
			rest, inside := strings.CutPrefix(name, from+"/")
			if !inside || sources[name] {
				continue
			}
			put(d.minus, name)
			sources[name] = true
			d.plus[path.Join(to, rest)] = true // it may also have been saved
		}
	}
	return d
}

func TestWhatIsToldIsTheDifference(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%v", watched), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				w := newWorld(t, watched)
				w.t = rt
				p := &player{world: w, rt: rt}
				p.play()
				w.stop()
				if watched { // at once, since the system allows few
					if err := w.watcher.Close(); err != nil {
						rt.Fatal(err)
					}
				}
			})
		})
	}
}

// player does random observations to a folder, and collects, loses collects and
// restarts in between.
type player struct {
	*world
	rt      *rapid.T
	size    int
	seen    map[string]stat // as of the last committed collect
	running bool
}

func (p *player) play() {
	p.write("a", p.text())
	p.write("d/b", p.text())
	p.start()
	p.running = true
	if told := p.tick(); len(told) > 0 {
		p.rt.Fatalf("the first collect told %v", said(told))
	}
	p.seen = p.snapshot()
	actions := map[string]func(*rapid.T){
		"write":  func(*rapid.T) { p.write(p.file(), p.text()) },
		"remove": func(*rapid.T) { p.removeAny(p.file()) },
		"rename": func(*rapid.T) { p.renameAny(p.file(), p.file()) },
		"folder": func(*rapid.T) { p.renameAny(p.folder(), p.folder()) },
		"clear":  func(*rapid.T) { p.removeAny(p.folder()) },
		"atomic": func(*rapid.T) {
			name := p.file()
			p.write("new~", p.text())
			p.rename("new~", name)
		},
		"commit": func(*rapid.T) { p.check() },
		"lose":   func(*rapid.T) { p.wake(); p.collect() },
		"crash":  func(*rapid.T) { p.wake(); p.collect(); p.restart() },
		"down":   func(*rapid.T) { p.stop(); p.running = false },
	}
	names := []string{"write", "write", "write", "remove", "rename", "folder", "clear", "atomic", "commit", "lose", "crash", "down"}
	for range rapid.IntRange(5, 30).Draw(p.rt, "steps") {
		actions[rapid.SampledFrom(names).Draw(p.rt, "do")](p.rt)
	}
	p.check()
	if told := p.tick(); len(told) > 0 {
		p.rt.Fatalf("told again: %v", said(told))
	}
}

func (p *player) wake() {
	if !p.running {
		p.start()
		p.running = true
	}
}

// check commits a collect and compares it with the truth.
func (p *player) check() {
	p.wake()
	told := p.tick()
	now := p.snapshot()
	want, got := difference(p.seen, now), toldOf(p.rt, p.seen, told)
	for _, c := range []struct {
		what      string
		want, got map[string]bool
	}{{"new", want.plus, got.plus}, {"gone", want.minus, got.minus}, {"saved", want.tilde, got.tilde}} {
		if fmt.Sprint(c.want) != fmt.Sprint(c.got) {
			p.rt.Fatalf("%s: truly %v, told %v\nbefore %v\nnow %v\ntold %v", c.what, c.want, c.got, sortedNames(p.seen), sortedNames(now), said(told))
		}
	}
	p.seen = now
}

// file and folder draw from few names, so that they often meet. No file is
// named like a folder.
func (p *player) file() string {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(p.rt, "file")
	if folder := rapid.SampledFrom([]string{"", "d", "e", "d/f", "e/f"}).Draw(p.rt, "in"); folder != "" {
		return folder + "/" + name
	}
	return name
}

func (p *player) folder() string {
	return rapid.SampledFrom([]string{"d", "e", "g", "d/f", "e/f"}).Draw(p.rt, "folder")
}

// text is longer each time, since the clock of a file system is coarse.
func (p *player) text() string {
	p.size++
	return strings.Repeat("x", p.size)
}

func (p *player) removeAny(name string) { p.must(os.RemoveAll(p.path(name))) }

// renameAny renames where that is possible.
func (p *player) renameAny(from, to string) {
	if _, err := os.Lstat(p.path(from)); err != nil || folder.Within(to, from) || folder.Within(from, to) {
		return
	}
	p.must(os.MkdirAll(path.Dir(p.path(to)), 0o755))
	// Onto a folder that holds something it fails, which is as well.
	_ = os.Rename(p.path(from), p.path(to))
}
