package threads_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// mailed is a mail with these attributes: "known=3 bulk=true".
func mailed(kind, id string, change subconscious.Change, at time.Time, attrs string) subconscious.Observation {
	o := subconscious.Observation{Sense: "mail", Kind: kind, ID: id, Change: change, At: at, Attrs: map[string]string{}}
	for pair := range strings.FieldsSeq(attrs) {
		key, value, _ := strings.Cut(pair, "=")
		o.Attrs[key] = value
	}
	return o
}

// TestInterestedInMail: junk concerns nobody, and what was sent to many no
// thread while nothing of it stands.
func TestInterestedInMail(t *testing.T) {
	at := clock("2026-11-23 12:00")
	due := func(o subconscious.Observation, in time.Duration) subconscious.Observation {
		o.Due = at.Add(in)
		return o
	}
	appeared, momentary, changed, gone := subconscious.Appeared, subconscious.Momentary, subconscious.Changed, subconscious.Gone
	for _, test := range []struct {
		name, want string
		o          subconscious.Observation
	}{
		{"a friend's mail", "watcher librarian dreamer mine", mailed("mail", "a", momentary, at, "known=3")},
		{"a newsletter", "watcher", mailed("mail", "a", appeared, at, "bulk=true")},
		{"a list", "watcher", mailed("mail", "a", momentary, at, "list=dev.example.org")},
		{"a letter that was read", "", mailed("mail", "a", gone, at, "known=3")},
		{"an answer on a list", "watcher librarian dreamer mine", mailed("mail", "a", momentary, at, "list=dev.example.org awaited=true")},
		{"a receipt", "watcher mine", mailed("mail", "a", momentary, at, "automated=true")},
		{"a receipt that pretends to answer", "watcher mine", mailed("mail", "a", momentary, at, "automated=true awaited=true")},
		{"junk", "", mailed("request", "a", appeared, at, "junk=true known=3 awaited=true")},
		{"a request", "watcher librarian dreamer mine", mailed("request", "a", appeared, at, "asks=true")},
		{"a request for next month", "watcher librarian oracle dreamer mine", due(mailed("request", "a", appeared, at, "asks=true"), 30*day)},
		{"a request that was read", "watcher librarian dreamer mine", mailed("request", "a", changed, at, "asks=true seen=true")},
		{"a request that was answered", "watcher librarian dreamer mine", mailed("request", "a", gone, at, "asks=true")},
		{"a bill for next month", "watcher librarian oracle mine", due(mailed("deadline", "a", appeared, at, "automated=true"), 30*day)},
		{"a bill that was sent in bulk", "watcher oracle mine", due(mailed("deadline", "a", appeared, at, "bulk=true"), 30*day)},
		{"a promise", "dreamer mine", mailed("promise", "a", appeared, at, "")},
		{"a promise with a date", "librarian oracle dreamer mine", due(mailed("promise", "a", appeared, at, ""), 30*day)},
		{"a question", "dreamer mine", mailed("awaiting", "a", appeared, at, "")},
		{"a question with a date", "oracle dreamer mine", due(mailed("awaiting", "a", appeared, at, ""), 5*day)},
		{"a question that is answered", "watcher librarian dreamer mine", mailed("awaiting", "a", gone, at, "")},
		{"a question that was answered at once", "watcher librarian dreamer mine", mailed("awaiting", "a", momentary, at, "")},
	} {
		var got []string
		for _, thread := range append(subconscious.Threads(), "mine") {
			if threads.Interested(thread, test.o) {
				got = append(got, string(thread))
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s lies in the fields of %q, want %q", test.name, got, test.want)
		}
	}
}

// TestWidenByQuietMail: whatever the level, the librarian is shown the questions
// and the promises that have waited, the oldest first and a few at a time, and
// each of them once.
func TestWidenByQuietMail(t *testing.T) {
	at := clock("2026-11-23 12:00") // a Monday
	asked := func(id, kind, received string) subconscious.Observation {
		o := mailed(kind, id, subconscious.Appeared, at.Add(-time.Hour), "received="+clock(received).Format(time.RFC3339))
		return o
	}
	dated := asked("dated promise", "promise", "2026-11-02 09:00")
	dated.Due = at.Add(2 * day)
	questionDated := asked("dated question", "awaiting", "2026-11-09 09:00")
	questionDated.Due = at.Add(2 * day)
	world := shelf{
		asked("thursday", "awaiting", "2026-11-19 09:00"), asked("wednesday", "awaiting", "2026-11-18 18:00"), asked("promise", "promise", "2026-11-10 09:00"),
		dated, questionDated, mailed("awaiting", "no time", subconscious.Appeared, at.Add(-time.Hour), "received=yesterday"),
		mailed("request", "request", subconscious.Appeared, at.Add(-20*day), "known=3"), mailed("promise", "junk", subconscious.Appeared, at.Add(-20*day), "junk=true"),
	}
	shown := map[subconscious.Ref]bool{}
	is := func(ref subconscious.Ref) bool { return shown[ref] }
	got := threads.Widen(subconscious.Librarian, 0, at, world, world.notes, is)
	if want := []string{"dated question", "promise", "wednesday"}; !slices.Equal(ids(got), want) {
		t.Errorf("got %q, want %q", ids(got), want)
	}
	for _, o := range got[:2] {
		shown[o.Ref()] = true
	}
	if got := ids(threads.Widen(subconscious.Librarian, 0, at, world, world.notes, is)); !slices.Equal(got, []string{"wednesday"}) {
		t.Errorf("got %q again", got)
	}
	// A wider field holds them once, and what is dated by its date.
	if got := ids(threads.Widen(subconscious.Librarian, 3, at, world, world.notes, is)); !slices.Equal(got, []string{"dated promise", "wednesday"}) {
		t.Errorf("the wider field holds %q", got)
	}
	for _, thread := range []subconscious.ThreadName{"watcher", "oracle", "dreamer"} {
		if got := threads.Widen(thread, 0, at, world, world.notes, is); len(got) > 0 {
			t.Errorf("the %s is shown %q", thread, ids(got))
		}
	}
	var many shelf
	for i := range 40 {
		many = append(many, asked(fmt.Sprintf("%02d", i), "awaiting", "2026-11-0"+fmt.Sprint(1+i%9)+" 09:00"))
	}
	if got := threads.Widen(subconscious.Librarian, 0, at, many, many.notes, is); len(got) != 5 || got[0].ID != "00" && got[0].ID != "09" && got[0].ID != "18" && got[0].ID != "27" && got[0].ID != "36" {
		t.Errorf("of many %q are shown", ids(got))
	}
}

func TestWorkingDays(t *testing.T) {
	for _, test := range []struct {
		from, to string
		want     int
	}{
		{"2026-11-23 09:00", "2026-11-23 18:00", 0}, {"2026-11-20 23:59", "2026-11-23 00:01", 1}, {"2026-11-17 10:00", "2026-11-20 09:00", 3},
		{"2026-11-20 10:00", "2026-11-25 09:00", 3}, {"2026-11-21 10:00", "2026-11-22 10:00", 0}, {"2026-11-02 10:00", "2026-11-23 10:00", 15},
		{"2026-11-23 10:00", "2026-11-01 10:00", 0}, {"1990-01-01 10:00", "2026-11-23 10:00", 262},
	} {
		if got := threads.WorkingDays(clock(test.from), clock(test.to)); got != test.want {
			t.Errorf("%s to %s: %d, want %d", test.from, test.to, got, test.want)
		}
	}
	at := clock("2026-11-23 12:00")
	for received, want := range map[string]time.Time{
		"": at, "yesterday": at, "2026-11-24T12:00:00Z": at, "0001-01-01T00:00:00Z": at, at.Add(-day).Format(time.RFC3339): at.Add(-day),
	} {
		o := mailed("awaiting", "a", subconscious.Appeared, at, "received="+received)
		if got := threads.Written(o); !got.Equal(want) {
			t.Errorf("received %q: written %s, want %s", received, got, want)
		}
	}
}
