package escalate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestWords writes messages of testdata/words.txtar: each file is a request as
// JSON, how it was told before, and the message that is made of it.
func TestWords(t *testing.T) {
	testutil.Archives(t, *update, "testdata/words.txtar", 1, words)
}

func words(t *testing.T, _ string, archive *txtar.Archive) {
	if len(archive.Files) < 10 {
		t.Fatalf("%d requests, want 10 and more", len(archive.Files))
	}
	for i, f := range archive.Files {
		request, _, _ := bytes.Cut(f.Data, []byte("\n---\n"))
		var given struct {
			subconscious.Asked
			Severity, Before subconscious.Severity
			Again            string
			Sense            string
			In               string // until it is due
		}
		if err := json.Unmarshal(request, &given); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		in := plainInput()
		asked := &in.Asked[0].Asked
		asked.Summary, asked.Reason = given.Summary, given.Reason
		in.Evidence[0].Latest.Severity = given.Severity
		if given.Kind != "" {
			asked.Kind = given.Kind
		}
		if given.In != "" {
			ahead, err := time.ParseDuration(given.In)
			if err != nil {
				t.Fatal(err)
			}
			asked.Due = noon.Add(ahead)
		}
		switch given.Again {
		case "":
		case "reminder":
			toldBefore(&in, 26*time.Hour, given.Before)
			telling(&in).Remind, telling(&in).Feedback = noon, subconscious.Useful
		case "returned":
			toldBefore(&in, 26*time.Hour, given.Before)
			telling(&in).State = subconscious.TellingResolved
		default:
			toldBefore(&in, 3*time.Hour, given.Before)
		}
		out := escalate.Decide(in)
		all := messages(out)
		if len(all) != 1 {
			t.Fatalf("%s: %d messages: %s", f.Name, len(all), asJSON(out.Decisions))
		}
		checkMessage(t, all[0])
		text := fmt.Sprintf("%s\n%s\n", all[0].Title, all[0].Text)
		archive.Files[i].Data = fmt.Appendf(nil, "%s\n---\n%s", bytes.TrimSpace(request), text)
	}
}

// TestAdvice checks that a message says what can be done about an observation,
// and when it is due only where its title does not.
func TestAdvice(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(in *escalate.Input, o *subconscious.Observation)
		has, lacks string
	}{
		"a disk": {func(_ *escalate.Input, o *subconscious.Observation) {
			o.Sense, o.Kind, o.ID = "health", "disk", "disk:/"
		}, "Free some room on it.", ""},
		"a unit": {func(_ *escalate.Input, o *subconscious.Observation) {
			o.Sense, o.Kind, o.ID = "health", "unit", "unit:backup.service"
		}, "Look: systemctl status backup.service.", ""},
		"a unit of the person": {func(_ *escalate.Input, o *subconscious.Observation) {
			o.Sense, o.Kind, o.ID = "health", "unit", "unit:user/backup.service"
		}, "Look: systemctl --user status backup.service.", ""},
		"a unit whose name a shell would read": {func(_ *escalate.Input, o *subconscious.Observation) {
			o.Sense, o.Kind, o.ID = "health", "unit", "unit:a;reboot"
		}, "", "systemctl"},
		"a promise": {func(in *escalate.Input, o *subconscious.Observation) {
			in.Asked[0].Asked.Kind, in.Asked[0].Asked.Due, o.Sense = subconscious.KindDeadline, noon.Add(90*time.Minute), "notes"
		}, "Due 13:30. Done? Tick it off in the note.", ""},
		"a promise whose time was said": {func(in *escalate.Input, o *subconscious.Observation) {
			in.Asked[0].Asked.Kind, in.Asked[0].Asked.Due, o.Sense = subconscious.KindDeadline, noon.Add(90*time.Minute), "notes"
			in.Asked[0].Asked.Summary = "Due Mon 23 Nov 13:30: pay the rent"
		}, "Tick it off", "Due 13:30."},
		"an appointment": {func(in *escalate.Input, o *subconscious.Observation) {
			in.Asked[0].Asked.Kind, in.Asked[0].Asked.Due, o.Sense, o.Kind = subconscious.KindEvent, noon.Add(90*time.Minute), "calendar", "event"
		}, "Begins 13:30.", "Due"},
	} {
		in := plainInput()
		c.change(&in, &in.Evidence[0].Latest)
		in.Evidence[0].Ref = in.Evidence[0].Latest.Ref()
		in.Asked[0].Asked.Evidence[0].Ref = in.Evidence[0].Ref
		in.Incidents[0].Recorded = map[subconscious.Ref][]int64{in.Evidence[0].Ref: {5}}
		all := messages(escalate.Decide(in))
		if len(all) != 1 {
			t.Fatalf("%s: %d messages", name, len(all))
		}
		checkMessage(t, all[0])
		if text := all[0].Text; !strings.Contains(text, c.has) || c.lacks != "" && strings.Contains(text, c.lacks) {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// TestNoticeWords checks that a trouble of the daemon's own is told with what,
// why and what can be done, of which a long reason leaves out neither end.
func TestNoticeWords(t *testing.T) {
	const what, next = "notes/notes has been blind since Sun 08:38", "mend that; nothing that happens meanwhile is lost to it"
	for name, c := range map[string]struct{ text, next, title, begins, ends string }{
		"short":       {what + ": no such folder.", next, what, "No such folder. ", "Mend that; nothing that happens meanwhile is lost to it."},
		"long":        {what + ": " + strings.Repeat("folder ", 60), next, what, "Folder folder", "Mend that; nothing that happens meanwhile is lost to it."},
		"no reason":   {"The state folder is nearly full", "make room", "The state folder is nearly full", "Make room.", "Make room."},
		"no step":     {what, "", what, "See: ", "subconsciousctl status."},
		"only a code": {"", "", "blind", "See: ", "subconsciousctl status."},
	} {
		in := plainInput()
		in.Asked = nil
		in.Notices = []escalate.Notice{{NoticeKey: subconscious.NoticeKey{Code: "blind", Key: "a"}, Text: c.text, Next: c.next, At: noon.Add(-time.Hour)}}
		out := escalate.Decide(in)
		if out.Notices == nil {
			t.Fatalf("%s: nothing is told", name)
		}
		m := out.Notices.Message
		checkMessage(t, m)
		if m.Title != c.title || !strings.HasPrefix(m.Text, c.begins) || !strings.HasSuffix(m.Text, c.ends) {
			t.Errorf("%s: %q, %q", name, m.Title, m.Text)
		}
	}
}

// TestDigestWords checks that a digest names the most important and counts the
// rest, however many and however long.
func TestDigestWords(t *testing.T) {
	for _, n := range []int{1, 2, 9, 200} {
		for _, length := range []int{0, 5, 60, 400} {
			p := newPlay(t, noon.Add(-4*time.Hour))
			for i := range n {
				name := fmt.Sprintf("file%d", i)
				p.observe(name, "file")
				p.happen(name, subconscious.Appeared, 0)
				p.ask(p.key(name), subconscious.Asked{Thread: subconscious.Watcher, Kind: subconscious.KindIdea, Importance: 5, Summary: strings.Repeat("ä", length)}, name)
			}
			p.decide()
			p.at = noon
			out := p.decide()
			if len(out.Digests) != 1 || len(out.Digests[0].Incidents) != n {
				t.Fatalf("%d digests", len(out.Digests))
			}
			checkMessage(t, out.Digests[0].Message)
			if n > 9 && !strings.Contains(out.Digests[0].Message.Text, " more") {
				t.Errorf("%q counts nothing", out.Digests[0].Message.Text)
			}
		}
	}
}
