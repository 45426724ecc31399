package daemon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// editing is a world in which the disk is full and a pump has failed, so that the
// document has two entries that stand.
func editing(t *testing.T) (w *world, path string) {
	w = newWorld(t)
	s := withFaultySense(w)
	s.rack.add("the pump in the northern waterworks has failed")
	w.fills(90)
	w.now("/srv", 3)
	w.now("pump", 3)
	return w, filepath.Join(w.state, "subconscious.json")
}

// line is the id of the entry that holds the text.
func (w *world) line(text string) string {
	w.t.Helper()
	e, ok := w.entry(text)
	if !ok {
		w.t.Fatalf("there is no %q\n%s", text, w.summaries())
	}
	return string(e.ID)
}

// edit changes the file as an editor that saves in place does.
func (w *world) edit(change func(doc map[string]any, text string) string) {
	w.t.Helper()
	path := filepath.Join(w.state, "subconscious.json")
	text := string(testutil.Read(w.t, path))
	doc := map[string]any{}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		w.t.Fatal(err)
	}
	text = change(doc, text)
	if text == "" {
		text = asJSON(w.t, doc)
	}
	testutil.Write(w.t, path, text)
}

// of is the one entry of a document that holds the text.
func of(t testing.TB, doc map[string]any, text string) (list string, at int, entry map[string]any) {
	t.Helper()
	for _, list := range subconscious.Lists() {
		for i, e := range doc[string(list)].([]any) {
			if entry := e.(map[string]any); strings.Contains(entry["summary"].(string), text) {
				return string(list), i, entry
			}
		}
	}
	t.Fatalf("%q is not in %v", text, doc)
	return "", 0, nil
}

func dropped(t testing.TB, doc map[string]any, text string) {
	list, i, _ := of(t, doc, text)
	doc[list] = slices.Delete(doc[list].([]any), i, i+1)
}

func added(doc map[string]any, list string, entry map[string]any) {
	doc[list] = append(doc[list].([]any), entry)
}

// What can be done to the file by hand, and what comes of it. Each keeps the other
// entry as it is.
func TestEditsByHand(t *testing.T) {
	type change = func(t *testing.T, w *world, doc map[string]any, text string) string
	due := start.Add(30 * time.Hour).Format(time.RFC3339)
	reword := func(t *testing.T, w *world, doc map[string]any, _ string) string {
		_, _, e := of(t, doc, "/srv")
		e["summary"] = "clear out the photographs"
		return ""
	}
	same := func(change func(text string) string) change {
		return func(_ *testing.T, _ *world, _ map[string]any, text string) string { return change(text) }
	}
	for name, c := range map[string]struct {
		change change
		// what is said of it, in order; "" for a file that is set aside
		done []string
		// strengths of "/srv" and "photographs" afterwards
		srv, photographs int
	}{
		"a summary": {reword, []string{"edited: clear out the photographs"}, 0, 3},
		"a summary, under the version before": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			w.tick()
			return reword(t, w, doc, "")
		}, []string{"edited: clear out the photographs"}, 0, 3},
		"a summary, under no version": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			delete(doc, "tick_count")
			return reword(t, w, doc, "")
		}, []string{"edited: clear out the photographs"}, 0, 3},
		"a summary that is too long": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			_, _, e := of(t, doc, "/srv")
			e["summary"] = "photographs " + strings.Repeat("and more ", 50)
			return ""
		}, []string{"edited: photographs and more and"}, 0, 3},
		"importance and due": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			_, _, e := of(t, doc, "/srv")
			e["importance"], e["due"] = 9, due
			return ""
		}, []string{"edited: Disk /srv"}, 3, 0},
		"what the mechanics work out": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			_, _, e := of(t, doc, "/srv")
			e["strength"], e["kind"], e["over"], e["evidence"] = 10, "idea", true, []string{}
			return ""
		}, nil, 3, 0},
		"another list": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			_, _, e := of(t, doc, "/srv")
			dropped(t, doc, "/srv")
			added(doc, "insights", e)
			return ""
		}, nil, 3, 0},
		"deleted": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			dropped(t, doc, "/srv")
			return ""
		}, []string{"closed: Disk /srv"}, 0, 0},
		"deleted, under no version": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			dropped(t, doc, "/srv")
			delete(doc, "tick_count")
			return ""
		}, nil, 3, 0},
		"deleted, under a version of the future": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			dropped(t, doc, "/srv")
			doc["tick_count"] = 1 << 40
			return ""
		}, nil, 3, 0},
		"a list that is not there": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			list, _, _ := of(t, doc, "/srv")
			delete(doc, list)
			return ""
		}, nil, 3, 0},
		"added without an id": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			added(doc, "hunches", map[string]any{"summary": "clear out the photographs"})
			return ""
		}, []string{"added as x-clear-"}, 3, 3},
		"added with an id, twice": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			added(doc, "insights", map[string]any{"id": "my-own", "summary": "clear out the photographs", "importance": 7})
			added(doc, "hunches", map[string]any{"summary": "clear out the photographs"})
			return ""
		}, []string{"nothing to add: it is there as x-clear-", "added as x-clear-"}, 3, 3},
		"a focus, and one of nobody": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			doc["thread_state"].(map[string]any)["watcher"].(map[string]any)["focus_hint"] = "the greenhouse"
			doc["thread_state"].(map[string]any)[strings.Repeat("nobody", 400)] = map[string]any{"focus_hint": "this"}
			return ""
		}, []string{"watcher looks at: the greenhouse", "refused: there is no thread"}, 3, 0},
		"a secret": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			added(doc, "hunches", map[string]any{"summary": "photographs: password=hunter2hunter2"})
			return ""
		}, []string{"photographs: password=[redacted"}, 3, 3},
		"written as editors do": {same(func(text string) string {
			var out bytes.Buffer
			_ = json.Indent(&out, []byte(text), "", "\t")
			return "\ufeff" + strings.ReplaceAll(out.String(), "\n", "\r\n") + "\r\n"
		}), nil, 3, 0},
		"nothing":         {same(func(string) string { return " " }), []string{""}, 3, 0},
		"half of it":      {same(func(text string) string { return text[:len(text)/2] }), []string{""}, 3, 0},
		"other text":      {same(func(string) string { return "my own words" }), []string{""}, 3, 0},
		"no UTF-8":        {same(func(text string) string { return strings.Replace(text, "Disk", "D\xffsk", 1) }), []string{""}, 3, 0},
		"a zero byte":     {same(func(text string) string { return strings.Replace(text, "Disk", "D\x00sk", 1) }), []string{""}, 3, 0},
		"a list of it":    {same(func(text string) string { return "[" + text + "]" }), []string{""}, 3, 0},
		"two of it":       {same(func(text string) string { return text + text }), []string{""}, 3, 0},
		"null":            {same(func(string) string { return "null" }), []string{""}, 3, 0},
		"a name twice":    {same(func(text string) string { return strings.Replace(text, "{", `{"Hunches":[],`, 1) }), []string{""}, 3, 0},
		"an unknown name": {same(func(text string) string { return strings.Replace(text, `"kind"`, `"sort"`, 1) }), []string{""}, 3, 0},
		"a wrong type":    {same(func(text string) string { return strings.Replace(text, `"strength":3`, `"strength":"3"`, 1) }), []string{""}, 3, 0},
		"a wrong time":    {same(func(text string) string { return strings.Replace(text, `"kind"`, `"due":"tomorrow","kind"`, 1) }), []string{""}, 3, 0},
		"an id twice": {same(func(text string) string {
			return strings.Replace(text, `"patterns":[]`, `"patterns":[{"id":"a-b","summary":"a"},{"id":"a-b","summary":"b"}]`, 1)
		}), []string{""}, 3, 0},
		"no summary":      {same(func(text string) string { return strings.Replace(text, `"hunches":[]`, `"hunches":[{"id":"a-b"}]`, 1) }), []string{""}, 3, 0},
		"another version": {same(func(text string) string { return strings.Replace(text, `"version":1`, `"version":2`, 1) }), []string{""}, 3, 0},
		"nested":          {same(func(string) string { return strings.Repeat(`{"hunches":[`, 200_000) }), []string{""}, 3, 0},
		"ever so long":    {same(func(text string) string { return text + strings.Repeat(" ", 2<<20) }), []string{""}, 3, 0},
		"a thousand lines": {func(t *testing.T, w *world, doc map[string]any, _ string) string {
			for i := range 1000 {
				added(doc, "hunches", map[string]any{"summary": fmt.Sprint("photographs ", i)})
			}
			return ""
		}, []string{""}, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, path := editing(t)
			pump := w.line("pump")
			w.edit(func(doc map[string]any, text string) string { return c.change(t, w, doc, text) })
			text := testutil.Read(t, path)
			w.tick()
			w.now("/srv", c.srv)
			w.now("photographs", c.photographs)
			if w.line("pump") != pump {
				t.Error("the other entry has become another one")
			}
			asides, err := filepath.Glob(path + ".rejected-*")
			n, said := w.notice("document_rejected")
			if slices.Equal(c.done, []string{""}) {
				if err != nil || len(asides) != 1 || !bytes.Equal(testutil.Read(t, asides[0]), text) || !said || !strings.Contains(n.Text, "could not be read: ") {
					t.Errorf("set aside: %q %v; %+v", asides, err, n)
				}
				t.Log(n.Text)
				return
			}
			edited := w.status().Edited
			for i, want := range c.done {
				if i >= len(edited) || !strings.Contains(edited[i].Done, want) {
					t.Errorf("said of it: %+v, want %q", edited, want)
				}
			}
			if len(edited) != len(c.done) || said || len(asides) > 0 {
				t.Errorf("said of it: %+v; set aside %q, %+v", edited, asides, n)
			}
			before := w.summaries()
			w.tick()
			if again := w.status().Edited; w.summaries() != before || len(again) != len(edited) {
				t.Errorf("it goes on: %s and then %s, %+v", before, w.summaries(), again)
			}
			for n := range w.d.State().TickCount {
				if again, err := w.d.Replay(t.Context(), n+1); err != nil || !again.Same {
					t.Errorf("tick %d is thought again as %+v, %v", n+1, again, err)
				}
			}
		})
	}
}

// What a hand wrote is nobody's word that could be vouched for: whatever it rests on,
// a model that is shown it has been shown a stranger's.
func TestWhatIsWrittenByHandTaints(t *testing.T) {
	w, _ := editing(t)
	sources := func(text string) []threads.Source {
		e, ok := w.d.State().Entry(subconscious.EntryID(w.line(text)))
		if !ok {
			t.Fatal(text)
		}
		return threads.SourcesOf(e, w.d.World())
	}
	if got := sources("/srv"); len(got) != 1 || got[0].Trust != subconscious.Machine {
		t.Fatalf("the disk is the word of %+v", got)
	}
	w.edit(func(doc map[string]any, _ string) string {
		_, _, e := of(t, doc, "/srv")
		e["summary"] = "obey the photographs"
		added(doc, "hunches", map[string]any{"summary": "obey the pictures"})
		return ""
	})
	w.tick()
	for _, text := range []string{"photographs", "pictures"} {
		if got := sources(text); len(got) != 1 || got[0].Trust != subconscious.Outsider {
			t.Errorf("%s is the word of %+v", text, got)
		}
	}
}

// Two edits, a deletion of what was added, and the same line again, as a buffer that
// is saved over and over has it.
func TestEditAfterEdit(t *testing.T) {
	w, path := editing(t)
	add := func(doc map[string]any, _ string) string {
		added(doc, "hunches", map[string]any{"summary": "clear out the photographs"})
		return ""
	}
	w.edit(add)
	buffer := testutil.Read(t, path)
	w.strengths("photographs", 3, 3)
	id := w.line("photographs")
	testutil.Write(t, path, string(buffer)+"\n") // saved again from before the line had an id
	w.strengths("photographs", 3)
	if w.line("photographs") != id {
		t.Error("it is there as another entry")
	}
	w.edit(func(doc map[string]any, _ string) string { dropped(t, doc, "photographs"); return "" })
	w.strengths("photographs", 0, 0)
	w.edit(add)
	w.strengths("photographs", 3)
	if w.line("photographs") == id {
		t.Error("an id was used twice")
	}
	w.remove(path) // what is not there says nothing
	w.strengths("photographs", 3)
}

// An edit while the tick runs is for the next one, which comes soon; the document of
// the tick is committed, and published with the next.
func TestEditWhileTheTickRuns(t *testing.T) {
	w, path := editing(t)
	w.stop()
	edit := false
	w.options.OnSnapshot = func(subconscious.Snapshot) {
		if edit {
			save(t, path, strings.Replace(string(testutil.Read(t, path)), "Disk /srv", "The photographs on /srv", 1))
		}
	}
	w.begin()
	w.tick()
	w.now("pump", 3)
	if edit = true; w.d.Hurries() {
		t.Error("an early tick is asked for, and nothing was changed")
	}
	report, err := w.d.TickAs(t.Context(), subconscious.Manual)
	if err != nil || report.Published || !strings.Contains(report.Error, "changed by somebody meanwhile") {
		t.Fatalf("published %v, %q, %v", report.Published, report.Error, err)
	}
	if edit = false; !w.d.Hurries() || len(w.status().Edited) > 0 {
		t.Errorf("no early tick is asked for, or it is taken over already: %+v", w.status().Edited)
	}
	w.restart() // and a crash loses nothing of it
	w.tick()
	w.now("photographs", 3)
	if _, unpublished := w.notice("document_unpublished"); unpublished || w.d.Hurries() {
		t.Error("it is still said that the document could not be published")
	}
}

// An editor that saves over minutes is waited for, but not for ever; what it writes
// into what was set aside is not lost either.
func TestEditorThatSavesSlowly(t *testing.T) {
	w, path := editing(t)
	whole := strings.Replace(string(testutil.Read(t, path)), "Disk /srv", "The photographs on /srv", 1)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write := func(text string) {
		t.Helper()
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if at := w.clock.Now(); os.Chtimes(path, at, at) != nil && t.Failed() {
			t.Fatal("its time cannot be set")
		}
	}
	looks := func(published bool) {
		t.Helper()
		w.clock.advance(30 * time.Second)
		report, err := w.d.TickAs(t.Context(), subconscious.Early)
		if err != nil || report.Published != published {
			t.Fatalf("published %v, %q, %v", report.Published, report.Error, err)
		}
		n, waits := w.notice("document_unpublished")
		if waits == published || !published && !strings.Contains(n.Text, "left alone until") {
			t.Fatalf("published %v; %+v", published, n)
		}
	}
	write("")
	looks(false)
	write(whole[:100])
	looks(false)
	write(whole[100:])
	looks(true)
	w.now("photographs", 3)

	if file, err = os.Create(path); err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write(whole[:200])
	for range 20 { // ten minutes
		looks(false)
		write(" ")
	}
	looks(true)
	w.now("photographs", 3)
	if _, err := file.WriteString("the end"); err != nil {
		t.Fatal(err)
	}
	asides, err := filepath.Glob(path + ".rejected-*")
	if err != nil || len(asides) != 1 || !strings.HasSuffix(string(testutil.Read(t, asides[0])), " the end") {
		t.Fatalf("set aside: %q %v", asides, err)
	}
	w.now("photographs", 3)
}

// What is no file is said, and seen to by nobody but the person.
func TestWhatIsNoFileInItsPlace(t *testing.T) {
	w, path := editing(t)
	for name, put := range map[string]func() error{
		"a folder":     func() error { return os.Mkdir(path, 0o700) },
		"a named pipe": func() error { return syscall.Mkfifo(path, 0o600) },
	} {
		if err := errors.Join(os.Remove(path), put()); err != nil {
			t.Fatal(err)
		}
		w.clock.advance(slot)
		report, err := w.d.TickAs(t.Context(), subconscious.Scheduled)
		if err != nil || report.Published || !strings.Contains(report.Error, name) || w.d.Hurries() {
			t.Errorf("%s: %q %v", name, report.Error, err)
		}
	}
	other := filepath.Join(w.dir, "other")
	testutil.Write(t, other, "other")
	if err := errors.Join(os.Remove(path), os.Symlink(other, path)); err != nil {
		t.Fatal(err)
	}
	w.strengths("/srv", 3)
	if n, _ := w.notice("document_rejected"); !strings.Contains(n.Text, "it is a link") || string(testutil.Read(t, other)) != "other" {
		t.Errorf("of a link: %+v", n)
	}
}

// FuzzEdited: whatever stands in the file, an entry that was published is still there,
// or a command on record says what became of it; and every command can be kept.
func FuzzEdited(f *testing.F) {
	var base subconscious.Document
	published := testutil.Read(f, filepath.FromSlash("../subconscious/testdata/documents/english.json"))
	if err := json.Unmarshal(published, &base); err != nil {
		f.Fatal(err)
	}
	f.Add(published, true)
	f.Add(bytes.Replace(published, []byte(`"hunches":[`), []byte(`"hunches":[{"summary":"new"},`), 1), false)
	f.Add(bytes.Replace(published, []byte("Disk"), []byte("Disc"), -1), true)
	f.Add([]byte(`{"tick_count":7,"active_threads":[],"thread_state":{"watcher":{"focus_hint":"x"}}}`), true)
	f.Add([]byte("{\"a\":"+strings.Repeat("[", 99)), true)
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		doc, why := daemon.ReadEdited(&mind.Place{Content: data})
		if why != "" {
			if len(why) > 400 {
				t.Fatalf("of what is refused is said %q", why)
			}
			return
		}
		commands := daemon.CompareEdited(start, doc, base, whole, subconscious.State{})
		closed := map[subconscious.EntryID]int{}
		for _, c := range commands {
			if c.Kind == subconscious.CommandClose {
				closed[c.Entry]++
			}
			if len(c.Text) > subconscious.SummaryBytes || len(c.Thread) > 80 || len(c.Incident) > 80 || (c.Edit != nil) != (c.Kind == subconscious.CommandEdit) {
				t.Fatalf("it cannot be kept: %+v", c)
			}
		}
		there := entries(doc)
		for _, list := range subconscious.Lists() {
			for _, e := range *base.In(list) {
				stays := slices.ContainsFunc(there, func(x subconscious.DocumentEntry) bool { return x.ID == e.ID })
				want := 0
				if !stays && whole && *doc.In(list) != nil {
					want = 1
				}
				if closed[e.ID] != want {
					t.Fatalf("%s is closed %d times, want %d", e.ID, closed[e.ID], want)
				}
				delete(closed, e.ID)
			}
		}
		if len(closed) > 0 {
			t.Fatalf("closed is %v", closed)
		}
	})
}
