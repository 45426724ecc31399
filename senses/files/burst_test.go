package files

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestBurst(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.write("README.md", "1")
		for i := range 30 {
			w.write(fmt.Sprintf("src/old%d.c", i), "1")
		}
		w.start()
		w.tick()
		for i := range 30 {
			w.write(fmt.Sprintf("src/old%d.c", i), "22")
			w.write(fmt.Sprintf("src/new/%d.c", i), "1")
		}
		w.write("README.md", "22")
		w.write("deploy/.env", "KEY=1")
		told := w.tells("burst *", "burst deploy/*", "burst src/*", "created deploy/.env")
		byID := map[string]subconscious.Observation{}
		for _, o := range told {
			byID[o.ID] = o
		}
		src := byID["work/src/*"]
		if src.Title != "60 files under work/src at once: 30 saved, 30 created" || src.Attrs["files"] != "60" ||
			src.Attrs["changed"] != "30" || src.Attrs["created"] != "30" || src.Attrs["deleted"] != "0" || src.Attrs["dir"] != "src" {
			t.Errorf("src: %+v", src)
		}
		if top := byID["work/*"]; top.Title != "1 file directly in work at once: 1 saved" {
			t.Errorf("top: %+v", top)
		}
	})
}

func TestBurstInManyFolders(t *testing.T) {
	w := newWorld(t, false)
	w.start()
	w.tick()
	for i := range 60 {
		w.write(fmt.Sprintf("d%02d/a", i), "1")
	}
	told := w.tick()
	if len(told) != maxFolders {
		t.Fatalf("%d observations, not %d", len(told), maxFolders)
	}
	if last := told[len(told)-1]; last.ID != "work/**" || last.Attrs["files"] != "41" || !strings.Contains(last.Title, "in 41 other folders of work") {
		t.Errorf("the rest: %+v", last)
	}
}

// A burst of 50,000 files is a few observations, and takes a bounded time.
func TestLargeBurst(t *testing.T) {
	files := 50_000
	if testing.Short() {
		files = 5_000
	}
	w := newWorld(t, true)
	w.write("x", "1")
	w.start()
	w.tick()
	for i := range files {
		name := fmt.Sprintf("tree%d/%d/%d.txt", i%3, i%100, i)
		if i < 300 {
			w.write(name, "1")
			continue
		}
		w.must(writeFast(w.path(name)))
	}
	var told []subconscious.Observation
	begin := time.Now()
	for range 5 { // an overflow shows when it is reached
		told = append(told, w.tick()...)
	}
	t.Logf("%d files in %v", files, time.Since(begin))
	sum := 0
	for _, o := range told {
		n, err := strconv.Atoi(o.Attrs["files"])
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		sum += n
	}
	if sum != files || len(told) > 15 || len(w.kept.All) != files+1 {
		t.Errorf("%d files: %d observations tell of %d, %d rows", files, len(told), sum, len(w.kept.All))
	}
	w.remove("tree1")
	if told := w.tick(); len(told) != 1 || told[0].Attrs["deleted"] == "0" {
		t.Errorf("removed: %v", said(told))
	}
}
