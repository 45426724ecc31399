package mail

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/eval/days"
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// figures are what the suite found.
type figures struct {
	Parts     []string  `json:"parts"`
	Addresses []string  `json:"addresses"`
	From      time.Time `json:"from"`
	Days      int       `json:"days"`
	Messages  int       `json:"messages"`
	Bytes     int64     `json:"bytes"`
	NoMail    []string  `json:"no_mail,omitempty"` // files that were passed over
	// Distinct counts messages of one identity once; Unseen are those that the
	// daemon reported nothing of.
	Distinct int         `json:"distinct"`
	Unseen   int         `json:"unseen"`
	Reading  reading     `json:"reading"`
	Groups   []ofGroup   `json:"groups"`
	Findings []rule      `json:"findings"`
	Pushes   pushes      `json:"pushes"`
	Ticks    int         `json:"ticks"`
	TickMS   float64     `json:"tick_ms"`
	RSS      float64     `json:"resident_mb"`      // at the end; 0 where it is not known
	RSSPeak  float64     `json:"resident_peak_mb"` // with the corpus itself
	Blind    int         `json:"blind_ticks"`
	Sample   []sample    `json:"sample,omitempty"`
	Told     []days.Push `json:"told,omitempty"`
	Missed   []string    `json:"missed,omitempty"`
}

// reading is what reading the messages took, one by one.
type reading struct {
	MedianMS  float64 `json:"median_ms"`
	SlowestMS float64 `json:"slowest_ms"`
	Slowest   string  `json:"slowest"`
	LargestMB float64 `json:"largest_mb"` // allocated on the way
	Largest   string  `json:"largest"`
	// Cut are messages of which something was left out.
	Cut int `json:"cut"`
}

// ofGroup is what became of a sort of messages.
type ofGroup struct {
	Group    group `json:"group"`
	Messages int   `json:"messages"`
	// Kinds are how many of them became something of each kind but "mail".
	Kinds map[string]int `json:"kinds"`
}

// rule is how often a rule found something.
type rule struct {
	Rule string  `json:"rule"`
	N    int     `json:"n"`
	ADay float64 `json:"a_day"`
}

// pushes are what the person got.
type pushes struct {
	Single  float64 `json:"single_a_day"`
	Digests float64 `json:"digests_a_day"`
	Items   float64 `json:"digest_items_a_day"`
	Notices float64 `json:"notices_a_day"`
}

// sample is one finding as somebody judges it.
type sample struct {
	Rule       string    `json:"rule"`
	At         time.Time `json:"at"`
	Importance int       `json:"importance"`
	Summary    string    `json:"summary"`
	Path       string    `json:"path,omitempty"`
	From       string    `json:"from,omitempty"`
	Subject    string    `json:"subject,omitempty"`
	Lines      []string  `json:"lines,omitempty"`
}

// The reaches of the suite.
const (
	askingReach  = 0.01
	parseReachMS = 200
	parseReachMB = 32
	memoryReach  = 256
)

// read are the figures of reading alone.
func (f *figures) read(c *corpus) {
	var took []float64
	for _, m := range c.messages {
		ms, mb := float64(m.took.Microseconds())/1000, float64(m.allocated)/(1<<20)
		took = append(took, ms)
		if ms > f.Reading.SlowestMS {
			f.Reading.SlowestMS, f.Reading.Slowest = ms, m.path
		}
		if mb > f.Reading.LargestMB {
			f.Reading.LargestMB, f.Reading.Largest = harness.Round(mb, 2), m.path
		}
		if len(m.read.Cut) > 0 {
			f.Reading.Cut++
		}
	}
	slices.Sort(took)
	f.Reading.MedianMS = took[len(took)/2]
}

// sort counts what became of each sort of messages. Messages of one identity
// are one.
func (f *figures) sort(c *corpus, seen map[string]map[string]bool) {
	counted := map[string]bool{}
	for _, g := range groups {
		f.Groups = append(f.Groups, ofGroup{Group: g, Kinds: map[string]int{}})
	}
	for _, m := range c.messages {
		id := "mid:" + m.read.ID
		if counted[id] {
			continue
		}
		counted[id] = true
		g := &f.Groups[slices.Index(groups, m.group)]
		g.Messages++
		if seen[id] == nil {
			f.Unseen++
		}
		for kind := range seen[id] {
			if kind != "mail" {
				g.Kinds[kind]++
			}
		}
	}
	f.Distinct = len(counted)
}

// MB is how large the corpus is.
func (f figures) MB() float64 { return float64(f.Bytes) / (1 << 20) }

// Asked is asking in words.
func (f figures) Asked() string {
	n, of := f.asking()
	return fmt.Sprintf("%d of %d (%.2f %%)", n, of, 100*harness.Share(n, of))
}

// asking is the share of spam and of lists and bulk mail that counts as asking.
func (f figures) asking() (n, of int) {
	for _, g := range f.Groups {
		if g.Group != groupPersonal {
			n, of = n+g.Kinds["request"], of+g.Messages
		}
	}
	return n, of
}

func (f *figures) rules(found []finding) {
	counts := map[string]int{}
	for _, x := range found {
		counts[x.name()]++
	}
	for _, name := range harness.ByCount(counts) {
		f.Findings = append(f.Findings, rule{name, counts[name], harness.Round(float64(counts[name])/float64(f.Days), 2)})
	}
}

func (x finding) name() string { return string(x.thread) + "/" + x.Rule }

func (f *figures) told(all []days.Push) {
	f.Told = all
	digests := map[time.Time]bool{}
	for _, push := range all {
		switch push.Kind {
		case "digest":
			digests[push.At] = true
			f.Pushes.Items++
		case "notice":
			f.Pushes.Notices++
		default:
			f.Pushes.Single++
		}
	}
	f.Pushes.Digests = float64(len(digests))
	for _, n := range []*float64{&f.Pushes.Single, &f.Pushes.Digests, &f.Pushes.Items, &f.Pushes.Notices} {
		*n = harness.Round(*n/float64(f.Days), 2)
	}
}

// draw takes findings for somebody to judge, with the message that each rests
// on.
func (f *figures) draw(c *corpus, seen map[string]map[string]bool, found []finding, o *options) {
	messages := map[subconscious.Ref]*corpusMessage{}
	byID := map[string]*corpusMessage{}
	for _, m := range slices.Backward(c.messages) {
		byID["mid:"+m.read.ID] = m
	}
	for id := range seen {
		whole, _, _ := strings.Cut(id, "#")
		messages[subconscious.NewRef("mail", id)] = byID[whole]
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	random.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	found = found[:min(len(found), o.sample)]
	slices.SortStableFunc(found, func(a, b finding) int { return a.at.Compare(b.at) })
	for _, x := range found {
		s := sample{Rule: x.name(), At: x.at, Importance: x.Importance, Summary: x.Summary}
		for _, evidence := range x.Evidence {
			citation, ok := subconscious.ParseCitation(evidence)
			if m := messages[citation.Ref]; ok && m != nil {
				s.Path, s.Subject = m.path, m.read.Subject
				s.From = strings.TrimSpace(m.read.From.Name + " <" + m.read.From.Addr + ">")
				s.Lines = firstLines(cmp.Or(m.read.Fresh, m.read.Text))
				break
			}
		}
		f.Sample = append(f.Sample, s)
	}
}

// firstLines are those that say something, at most eight.
func firstLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < 8 {
			runes := []rune(line)
			lines = append(lines, string(runes[:min(len(runes), 160)]))
		}
	}
	return lines
}

func (f figures) reaches() []harness.Reach {
	n, of := f.asking()
	return []harness.Reach{
		harness.Want(float64(n) <= askingReach*float64(of), "at most %.0f %% of spam, lists and bulk mail count as asking: %d of %d do", 100*askingReach, n, of),
		harness.Want(f.Reading.SlowestMS <= parseReachMS, "each message is read within %d ms: %s took %.1f", parseReachMS, f.Reading.Slowest, f.Reading.SlowestMS),
		harness.Want(f.Reading.LargestMB <= parseReachMB, "… and %d MB: %s took %.1f", parseReachMB, f.Reading.Largest, f.Reading.LargestMB),
		harness.Want(f.RSS <= memoryReach, "the process stays within %d MB: it has %.0f, with the corpus", memoryReach, f.RSS),
		harness.Want(f.Unseen == 0, "every message is seen: %d are not", f.Unseen),
		harness.Want(f.Blind == 0, "the sense is never blind: it was at %d ticks", f.Blind),
	}
}
