package score

import (
	_ "embed"
	"slices"
)

// Letter is what is known of a mail to the person when it is judged.
type Letter struct {
	// Wrote is how many messages the person sent to its sender within a year, Ago
	// how many days ago the last of them, -1 for none.
	Wrote, Ago int
	// Ours: it stands in a thread in which the person wrote. Awaited: the person
	// asked something there.
	Ours, Awaited bool
	// Domain says what is known of the domain that its sender registered: "own",
	// "written" to somebody there, "named" in notes or calendar, or nothing.
	Domain string
	// Addressed is "to", "cc" or "" where the person is not named; Recipients is to
	// how many it went.
	Addressed  string
	Recipients int
	// Role: its sender is an office. Names: it calls the person by name. Others: it
	// begins with the name of another to whom it went.
	Role, Names, Others bool
	// Passed: the person's own server found that it comes from its sender. Forged:
	// that it does not.
	Passed, Forged bool
	// Automated, Bulk and List are what its header says.
	Automated, Bulk, List bool
	// Bytes are of what its writer wrote, Links counted there.
	Bytes, Links int
	// Doubts are the signs of one who writes to everybody or under a false name.
	Doubts int
	// Hours is how many hours from its arrival the first time of day lies that it
	// names, -1 for none within two days; Days the first day, 0 for today, -1 for
	// none within a week.
	Hours, Days int
	// Words is by how much its words speak for it, as prose.Weigh says.
	Words int
	// Says are the kinds of sentences that are in it: "asks", "advertises", "codes",
	// "commands".
	Says []string
}

func (l Letter) says(class string) bool { return slices.Contains(l.Says, class) }

// known: somebody whom the person writes to, or in a thread of theirs.
func (l Letter) known() bool { return (l.Wrote > 0 || l.Ours) && !l.Forged }

// human: a person seems to have written it to a few.
func (l Letter) human() bool { return !l.Automated && !l.Bulk && !l.List }

// soon: it names a time of today or tomorrow, or today or tomorrow.
func (l Letter) soon() bool { return l.Hours >= 0 && l.Hours <= 36 || l.Days == 0 || l.Days == 1 }

func is(b bool) int {
	if b {
		return 1
	}
	return 0
}

// grade is how many of the bounds a number reaches.
func grade(n int, bounds ...int) (g int) {
	for _, bound := range bounds {
		g += is(n >= bound)
	}
	return g
}

// pressing is by how much its words are of something that does not wait.
func pressing(l Letter) int { return min(max(l.Words/5, 0), valueMost) }

//go:embed letters.txt
var lettersText string

// lengthMost bounds what length counts. Whoever writes a sample takes more words
// for what matters; who is in a hurry does not.
const lengthMost = 50

// Letters is how mail is judged.
var Letters = table(lettersText, map[string]int{"length": lengthMost}, letterFeatures)

var letterFeatures = []Feature[Letter]{
	// Between you.
	{"known", 1, "you write to its sender", func(l Letter) int { return is(l.known()) }},
	{"often", 1, "you often write to its sender", func(l Letter) int { return is(l.known()) * grade(l.Wrote, 2, 4, 8) }},
	{"lately", 1, "you wrote there lately", func(l Letter) int { return is(l.known() && l.Ago >= 0 && l.Ago <= 14) }},
	{"ours", 1, "it answers you", func(l Letter) int { return is(l.Ours) }},
	{"awaited", 1, "it answers what you asked", func(l Letter) int { return is(l.Awaited) }},
	{"colleague", 1, "it comes from your own domain", func(l Letter) int { return is(l.Domain == "own" && l.human()) }},
	{"house", 1, "you write to others there, or your notes name it", func(l Letter) int { return is(l.Domain == "written" || l.Domain == "named") }},
	// Addressing.
	{"direct", 1, "it is to you alone", func(l Letter) int { return is(l.Addressed == "to" && l.Recipients <= 1) }},
	{"copy", -1, "you are one of many, or have a copy", func(l Letter) int { return is(l.Addressed != "to") + grade(l.Recipients, 4, 12) }},
	{"overheard", -1, "it speaks to somebody else", func(l Letter) int { return is(l.Addressed == "cc" && !l.Names) + is(l.Others) }},
	{"names", 1, "it calls you by name", func(l Letter) int { return is(l.Names) }},
	{"role", 0, "an office sent it", func(l Letter) int { return is(l.Role) }},
	// Sending.
	{"forged", -1, "it does not come from its sender", func(l Letter) int { return is(l.Forged) }},
	{"unproven", -1, "nobody vouches for its sender", func(l Letter) int { return is(!l.Passed && !l.known()) }},
	{"automated", -1, "a machine wrote it", func(l Letter) int { return is(l.Automated) }},
	{"bulk", -1, "it went to many", func(l Letter) int { return is(l.Bulk) }},
	{"list", -1, "it is of a list", func(l Letter) int { return is(l.List) }},
	{"doubts", -1, "it looks as if written to everybody", func(l Letter) int { return min(l.Doubts, 3) }},
	{"sells", -1, "it advertises", func(l Letter) int { return is(l.says("advertises")) }},
	{"commands", -1, "it speaks to a program that reads along", func(l Letter) int { return is(l.says("commands")) }},
	// Form.
	{"length", 1, "it says more than a line", func(l Letter) int { return grade(l.Bytes, 120, 240, 480) }},
	{"links", -1, "it has links", func(l Letter) int { return grade(l.Links, 1, 3, 8) }},
	// What it says.
	{"words", 1, "its words are of something that does not wait", pressing},
	{"plain", 1, "it says so without a time", func(l Letter) int { return is(!l.soon()) * pressing(l) }},
	{"idle", -1, "its words are of something that can wait", func(l Letter) int { return grade(-l.Words, -15, 0, 15, 30, 45, 60) }},
	{"asks", 1, "it asks something of you", func(l Letter) int { return is(l.says("asks") && l.human()) }},
	// Time.
	{"today", 1, "it names a time today or tomorrow", func(l Letter) int { return is(l.Hours >= 0 && l.Hours <= 36) }},
	{"hours", 1, "it names a time within hours", func(l Letter) int { return is(l.Hours >= 0 && l.Hours <= 12) }},
	{"week", 0, "it names a day of this week", func(l Letter) int { return is(l.Days > 1) }},
	{"known-soon", 1, "somebody you write to speaks of today or tomorrow", func(l Letter) int { return is(l.known() && l.human() && l.soon() && l.Addressed == "to") }},
	{"machine-soon", 1, "an office speaks of today or tomorrow", func(l Letter) int { return is(!l.human() && l.soon() && !l.says("advertises")) }},
}
