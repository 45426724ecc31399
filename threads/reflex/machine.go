package reflex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// machine is worth as much as it is severe, and more the sooner something is
// full. What has passed its warning level asks to be told; how loudly is the
// gate's to say. So it is with what a source of the person's own reports, of which
// what is worth a look asks for a line of the digest.
func machine(s *scene, o subconscious.Observation) noticed {
	if o.Change == subconscious.Momentary && !o.Declared() {
		return notice(subconscious.KindObservation, 5, say("Over by now: %s", prose(wasOnce(o.Title))), o)
	}
	kind, importance := worth(o)
	if o.Declared() && !threads.Fact(o) && o.Severity == subconscious.Plain {
		return noticed{}
	}
	full, fills := moment(o, "full_at")
	fills = fills && full.After(s.at)
	reason := ""
	switch {
	case o.Severity >= subconscious.Critical:
		reason = ailmentOf(o).critical
	case o.Severity == subconscious.Warning && o.Attrs["trend"] != "falling":
		reason = ailmentOf(o).warning
	case o.Severity == subconscious.Notable && o.Declared():
		reason = "it is worth a look"
	}
	if fills {
		kind = subconscious.KindAnomaly
		switch left := full.Sub(s.at); {
		case left <= time.Hour:
			importance, reason = 9, "it will be full within the hour"
		case left <= 6*time.Hour:
			importance = max(importance, 8)
			if nearlyFull(o) { // what fills quickly may be a single large file
				reason = "it will be full within hours"
			}
		default:
			importance = max(importance, 6) + 1
		}
		importance = min(importance, 9)
	}
	failed := s.failures(o)
	if failed >= 3 {
		importance = max(importance, 8)
	}
	if o.Severity < subconscious.Critical && s.isPlanned(o) {
		importance, reason = min(importance, 4), ""
	}
	n := notice(kind, importance, s.machineWords(o, failed), o).tell(reason)
	if fills {
		n = n.until(full)
	}
	return n
}

// isPlanned reports whether the person said that a part of the machine is meant not
// to run: in what they wrote or told the mind and that still stands, or by an event
// of their own that is going on.
func (s *scene) isPlanned(o subconscious.Observation) bool {
	part := strings.TrimPrefix(strings.TrimPrefix(o.ID, o.Kind+":"), "user/")
	if i := strings.LastIndexByte(part, '.'); i > 0 {
		part = part[:i]
	}
	for _, term := range terms(part) {
		observations, _ := s.world.Sharing("term:"+term, sharingSeen)
		if slices.ContainsFunc(observations, func(said subconscious.Observation) bool {
			start, end := span(said)
			going := said.Sense != "calendar" || wanted(said) && said.Attrs["organizer"] == "" && !s.at.Before(start) && s.at.Before(end)
			over := said.Sense != "calendar" && !said.Due.IsZero() && !s.at.Before(said.Due)
			return said.Sense != "mail" && said.Trust == subconscious.Owner && going && !over && isPaused(said.Title+" "+said.Text)
		}) {
			return true
		}
	}
	return false
}

// isPaused reports whether a text says that something is meant not to run.
func isPaused(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }), func(word string) bool {
		return pausedWords()[word]
	})
}

// nearlyFull reports whether four fifths of a disk are used.
func nearlyFull(o subconscious.Observation) bool {
	used, err := strconv.ParseFloat(o.Attrs["used_percent"], 64)
	return err == nil && used >= 80
}

// worth is what a part of the machine counts by its severity.
func worth(o subconscious.Observation) (subconscious.Kind, int) {
	switch {
	case o.Severity >= subconscious.Critical:
		return subconscious.KindAnomaly, 9
	case o.Severity < subconscious.Warning:
		return subconscious.KindObservation, 4
	case o.Kind == "unit" || o.Kind == "restarts" || o.Declared():
		return subconscious.KindAnomaly, 7
	case o.Kind == "load", o.Attrs["trend"] == "falling":
		return subconscious.KindAnomaly, 5
	}
	return subconscious.KindAnomaly, 6
}

// machineWords puts what is most telling first. A machine that is described in
// another way than the sense health does keeps its own words.
func (s *scene) machineWords(o subconscious.Observation, failed int) string {
	used := o.Attrs["used_percent"]
	path, isDisk := strings.CutPrefix(o.ID, o.Kind+":")
	full, fills := moment(o, "full_at")
	free, err := strconv.ParseUint(o.Attrs["free_bytes"], 10, 64)
	switch {
	case o.Kind == "disk" && isDisk && used != "" && err == nil:
		switch {
		case fills && o.Severity < subconscious.Warning:
			return say("Disk %s will be full at about %s: %s left", name(path), s.when(full), size(free))
		case fills:
			return say("Disk %s is %s%% full: %s left, full at about %s", name(path), short(used), size(free), s.when(full))
		}
		return say("Disk %s is %s%% full: %s left", name(path), short(used), size(free))
	case o.Kind == "inodes" && isDisk && used != "":
		if fills {
			return say("Disk %s will have no room for more files at about %s: %s%% is taken", name(path), s.when(full), short(used))
		}
		return say("Disk %s has little room for more files: %s%% is taken", name(path), short(used))
	case (o.Kind == "memory" || o.Kind == "swap") && used != "" && err == nil:
		return say("%s is %s%% used: %s left", strings.ToUpper(o.Kind[:1])+o.Kind[1:], short(used), size(free))
	case o.Kind == "unit" && failed >= 2:
		title, reason, _ := strings.Cut(o.Title, " failed ")
		return say("%s failed %d times within a day %s", name(title), failed, prose(reason))
	}
	return say("%s", prose(o.Title))
}

// short keeps a hostile attribute from taking the summary over.
func short(value string) string {
	value = subconscious.Printable(value)
	if len(value) > 8 {
		return "?"
	}
	return value
}

// wasOnce puts the title of something that is over into the past.
func wasOnce(title string) string {
	for _, word := range [][2]string{{" is ", " was "}, {" are ", " were "}, {" keeps ", " kept "}, {" has ", " had "}} {
		if strings.Contains(title, word[0]) {
			return strings.Replace(title, word[0], word[1], 1)
		}
	}
	return title
}

// failures is how often a unit has failed within a day, the latest included.
func (s *scene) failures(o subconscious.Observation) (n int) {
	if o.Kind != "unit" {
		return 0
	}
	for _, past := range s.field.History[o.Ref()] {
		if onset(o, past) && o.At.Sub(past.At) < 24*time.Hour {
			n++
		}
	}
	return n
}

// onset reports whether an occurrence is one at which it went wrong,
// and not one at which it only went on.
func onset(o subconscious.Observation, past subconscious.Occurrence) bool {
	if past.Severity < subconscious.Warning {
		return false
	}
	return past.Change == subconscious.Appeared || past.Change == subconscious.Momentary ||
		past.Change == subconscious.Changed && o.Kind == "unit"
}

// ailment is what is wrong with a part of the machine, in words.
type ailment struct {
	kind string
	// critical and warning say why a person should be told.
	critical, warning string
	// subject is the part in a few words, before what its ID names if ofID; verb
	// is what is wrong with it each time.
	subject string
	ofID    bool
	verb    string
}

var ailments = [...]ailment{
	{kind: "disk", critical: "the disk is nearly full", subject: "Disk ", ofID: true, verb: "gets full"},
	{kind: "inodes", critical: "the disk is nearly full", subject: "Disk ", ofID: true, verb: "runs out of room for files"},
	{kind: "memory", critical: "memory is nearly used up", subject: "Memory", verb: "runs short"},
	{kind: "swap", critical: "memory is nearly used up", subject: "Swap", verb: "runs short"},
	{kind: "temperature", critical: "the machine is too hot", subject: "Sensor ", ofID: true, verb: "gets too hot"},
	{kind: "battery", critical: "the battery is nearly empty"},
	{kind: "load", critical: "the machine is badly overloaded", subject: "The machine", verb: "is overloaded"},
	{kind: "unit", critical: "it failed since memory or disk ran out", warning: "it failed, and nothing has started it again", ofID: true, verb: "fails"},
	{kind: "restarts", critical: "the service cannot stay up", warning: "the service keeps failing", ofID: true, verb: "keeps crashing"},
}

func ailmentOf(o subconscious.Observation) ailment {
	var found ailment
	if i := slices.IndexFunc(ailments[:], func(a ailment) bool { return a.kind == o.Kind }); i >= 0 {
		found = ailments[i]
	}
	if o.Declared() {
		source, _, _ := strings.Cut(o.ID, "/")
		found.warning = "it is a warning of " + source
	}
	found.critical, found.warning = cmp.Or(found.critical, "it is critical"), cmp.Or(found.warning, "it passed its warning level")
	return found
}

// habit is the part of the machine in a few words, and what is wrong with it each
// time.
func habit(o subconscious.Observation) (subject *part, verb string) {
	a := ailmentOf(o)
	if a.verb == "" {
		return name(o.Title), "comes back"
	}
	if a.ofID {
		a.subject += strings.TrimPrefix(strings.TrimPrefix(o.ID, o.Kind+":"), "user/")
	}
	return name(a.subject), a.verb
}
