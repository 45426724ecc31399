package prompts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestWhatIsLeftOut: with less and less room, what is worth the least goes
// first, and what was left out is said and counted.
func TestWhatIsLeftOut(t *testing.T) {
	set := mustOpen()
	in := full()
	in.Field.Overflow = 12
	all := len(in.Field.New) + len(in.Field.Wider)
	whole, err := set.Thread(subconscious.Watcher, prompts.Thread{At: in.At, State: in.State, Field: in.Field, MaxBytes: 1 << 20})
	if err != nil || len(whole.Left) > 0 {
		t.Fatalf("%v, %d left out", err, len(whole.Left))
	}
	if whole.Omitted != "Left out for want of room: 12 older new observations, for good." {
		t.Errorf("%q", whole.Omitted)
	}
	var left int
	for room := len(whole.User); room >= 2000; room -= 500 {
		in.MaxBytes = room
		p, err := set.Thread(subconscious.Watcher, in)
		if err != nil {
			t.Fatal(err)
		}
		checkUser(t, in, p)
		if len(p.User) > room {
			t.Fatalf("%d bytes, room for %d", len(p.User), room)
		}
		if len(p.Left) < left {
			t.Errorf("at %d bytes %d are left out, before it were %d", room, len(p.Left), left)
		}
		left = len(p.Left)
		standing, texts := 0, strings.Contains(p.User, "Hello,\n")
		for _, o := range in.Field.Standing {
			if strings.Contains(p.User, "\n["+string(o.Ref())) { // and not as what an entry rests on
				standing++
			}
		}
		for _, o := range slices.Concat(in.Field.New, in.Field.Wider) {
			if strings.Contains(p.User, "["+string(o.Ref())+"@") == slices.Contains(p.Left, o.Ref()) {
				t.Fatalf("at %d bytes %s is both shown and left out, or neither", room, o.ID)
			}
		}
		if left > 0 && (standing > 0 || texts) {
			t.Fatalf("at %d bytes new observations are left out before texts and what stands", room)
		}
		if left > 0 && !strings.Contains(p.User, p.Omitted) || p.Omitted == "" && room < len(whole.User) {
			t.Fatalf("at %d bytes it is not said what is left out: %q", room, p.Omitted)
		}
		if left < all && left > len(in.Field.Wider) && slices.Contains(p.Left, subconscious.NewRef("health", "disk:/var")) {
			plain := slices.IndexFunc(in.Field.New, func(o subconscious.Observation) bool {
				return o.Severity < subconscious.Warning && !slices.Contains(p.Left, o.Ref())
			})
			if plain >= 0 {
				t.Fatalf("at %d bytes a warning goes before %s", room, in.Field.New[plain].ID)
			}
		}
	}
	if left == 0 {
		t.Error("nothing was ever left out")
	}
}

// TestTwoHundredNew: as many as a field can hold, each with as long a text as
// can be, all stand in the prompt, or are told to be left out.
func TestTwoHundredNew(t *testing.T) {
	in := full()
	in.Field.New = nil
	for i := range 200 {
		in.Field.New = append(in.Field.New, subconscious.Observation{ID: fmt.Sprint(i), Sense: "mail", Change: subconscious.Appeared, Seq: int64(i + 1), Trust: subconscious.Outsider,
			Title: strings.Repeat("long title ", 18), Text: strings.Repeat("very long text ", 270)})
	}
	p, err := mustOpen().Thread(subconscious.Librarian, in)
	if err != nil {
		t.Fatal(err)
	}
	checkUser(t, in, p)
	if len(p.User) > prompts.MaxBytes || len(p.User) < prompts.MaxBytes*9/10 {
		t.Errorf("%d bytes of %d are used", len(p.User), prompts.MaxBytes)
	}
	shown := 0
	for _, o := range in.Field.New {
		if slices.Contains(p.Shown, o.Ref()) {
			shown++
		}
	}
	if wider := len(in.Field.Wider); shown+len(p.Left)-wider != 200 || shown < 50 || slices.Contains(p.Left, in.Field.New[0].Ref()) {
		t.Errorf("%d are shown, %d left out", shown, len(p.Left))
	}
}

func TestShown(t *testing.T) {
	in := full()
	p, err := mustOpen().Thread(subconscious.Oracle, in)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(p.Shown) {
		t.Error("they are not sorted")
	}
	for _, ref := range p.Shown {
		if !strings.Contains(p.User, string(ref)) {
			t.Errorf("%s was not shown", ref)
		}
	}
	for _, found := range reference.FindAllString(p.User, -1) {
		name, _, _ := strings.Cut(found, "@")
		if !slices.Contains(p.Shown, subconscious.Ref(name)) {
			t.Errorf("%s was shown", name)
		}
	}
}

// TestPressureNamesTheField: novelty pressure opens a wider field, which is named,
// and asks for nothing because nothing was brought.
func TestPressureNamesTheField(t *testing.T) {
	said := func(pressure, level int) string {
		in := full()
		in.Field.Pressure, in.Field.Level, in.Field.Ahead = pressure, level, time.Duration(3+7*level)*24*time.Hour
		p, err := mustOpen().Thread(subconscious.Dreamer, in)
		if err != nil {
			t.Fatal(err)
		}
		return p.User
	}
	if usual := said(0, 0); said(9, 0) != usual || strings.Contains(usual, "wider at this look") {
		t.Error("pressure says something where the field is the usual")
	}
	if !strings.Contains(said(3, 1), "The field is wider at this look: it reaches to 2026-12-03 Thu 12:00, and to what has long been open. Never shown to you before:\n<wider ") {
		t.Error("the wider field is not named")
	}
}
