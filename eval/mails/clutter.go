package mails

import (
	"cmp"
	"embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/mail"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

//go:embed clutter
var templates embed.FS

// Kinds of clutter with their share of a hundred: what fills the mailbox of
// somebody who never unsubscribed.
var kinds = []struct {
	Name  string
	Share int
}{
	{"offers", 25}, {"newsletters", 23}, {"lists", 14}, {"social", 9}, {"builds", 7}, {"shipping", 5}, {"receipts", 5},
	{"spam", 4}, {"calendar", 3}, {"security", 3}, {"bounces", 2},
}

// Kinds are the names of the kinds of clutter.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// Posted is a message and when the server takes it in.
type Posted struct {
	At   time.Time
	Kind string
	Raw  []byte
}

// Clutter makes mail that means nothing to the person, always the same for the same
// seed.
type Clutter struct {
	seed      string
	person    *mail.Address
	languages []string
	kinds     []string // of a hundred mails
	of        map[string]map[string][]template
	words     map[string]map[string][]string
}

// template is one mail with places to fill in.
type template struct{ name, text string }

// languages that there are templates in; who reads none of them gets English.
var languages = []string{"en", "de", "fr", "es"}

// NewClutter reads the templates. Mails come in the languages of the person,
// most of them in the first, and some in English; none is of the kinds without.
func NewClutter(seed string, person *mail.Address, spoken, without []string) (*Clutter, error) {
	c := &Clutter{seed: seed, person: person, of: map[string]map[string][]template{}, words: map[string]map[string][]string{}}
	for _, language := range spoken {
		if slices.Contains(languages, language) && !slices.Contains(c.languages, language) {
			c.languages = append(c.languages, language)
		}
	}
	if !slices.Contains(c.languages, "en") {
		c.languages = append(c.languages, "en")
	}
	for _, k := range kinds {
		if !slices.Contains(without, k.Name) {
			c.kinds = append(c.kinds, slices.Repeat([]string{k.Name}, k.Share)...)
		}
	}
	if len(c.kinds) == 0 {
		return nil, fmt.Errorf("clutter without any of its kinds is none")
	}
	for _, language := range languages {
		if err := c.read(language); err != nil {
			return nil, fmt.Errorf("read the templates of clutter: %w", err)
		}
	}
	return c, nil
}

// read takes in one file: words, then mails by KIND/NAME.
func (c *Clutter) read(language string) error {
	file := path.Join("clutter", language+".txtar")
	data, err := templates.ReadFile(file)
	if err != nil {
		return err
	}
	archive := txtar.Parse(data)
	c.of[language], c.words[language] = map[string][]template{}, map[string][]string{}
	for line := range strings.Lines(string(archive.Comment)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, list, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("%s: %q is not a line WORD: ONE | ANOTHER", file, subconscious.Clip(line, 60))
		}
		for word := range strings.SplitSeq(list, "|") {
			c.words[language][key] = append(c.words[language][key], strings.TrimSpace(word))
		}
	}
	for _, f := range archive.Files {
		kind, name, ok := strings.Cut(f.Name, "/")
		if !ok || !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("%s: the mail %q is of no kind there is", file, f.Name)
		}
		c.of[language][kind] = append(c.of[language][kind], template{language + "-" + name, string(f.Data)})
	}
	return nil
}

// busy is how much mail comes in each hour of a day: mailings go out in the
// morning, and machines write at night.
var busy = [24]int{2, 2, 2, 2, 3, 5, 8, 9, 9, 9, 8, 7, 6, 6, 6, 6, 6, 7, 6, 5, 4, 4, 3, 3}

// Day are n mails of one day, in order. The zone of date is that of the
// person.
func (c *Clutter) Day(date time.Time, n int) ([]Posted, error) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s", c.seed, date.Format(time.DateOnly))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	var hours []int
	for hour, share := range busy {
		hours = append(hours, slices.Repeat([]int{hour}, share)...)
	}
	all := make([]Posted, 0, n)
	for i := range n {
		at := time.Date(date.Year(), date.Month(), date.Day(), hours[random.IntN(len(hours))], random.IntN(60), random.IntN(60), 0, date.Location())
		posted, err := c.one(random, at, fmt.Sprintf("%s-%03d-%016x@mail.example.org", at.Format("20060102"), i, random.Uint64()))
		if err != nil {
			return nil, err
		}
		all = append(all, posted)
	}
	slices.SortStableFunc(all, func(a, b Posted) int { return a.At.Compare(b.At) })
	return all, nil
}

func (c *Clutter) one(random *rand.Rand, at time.Time, id string) (Posted, error) {
	kind := c.kinds[random.IntN(len(c.kinds))]
	language := c.languages[0]
	if len(c.languages) > 1 && random.IntN(100) >= 65 {
		language = c.languages[1+random.IntN(len(c.languages)-1)]
	}
	of := c.of[language][kind]
	if len(of) == 0 {
		language, of = "en", c.of["en"][kind]
	}
	chosen := of[random.IntN(len(of))]
	f := filler{clutter: c, random: random, language: language, at: at, person: random.IntN(100), chosen: map[string]string{}}
	text, err := f.fill(chosen.text)
	l, wrong := Parse(text, at.Location())
	if err := cmp.Or(err, wrong); err != nil {
		return Posted{}, fmt.Errorf("clutter %s: %w", chosen.name, err)
	}
	l.Auth = Passed
	envelope := Envelope{ID: id, At: at, To: c.person.String(), From: "nobody@example.org"}
	if len(l.References) > 0 { // of a discussion that the person has not got the beginning of
		for n := range 1 + random.IntN(4) {
			envelope.Refs = append(envelope.Refs, fmt.Sprintf("%s.%d.%08x@lists.example.org", l.References[0], n, random.Uint32()))
		}
	}
	return Posted{At: at, Kind: kind, Raw: l.Raw(envelope)}, nil
}

// filler fills in the places of one mail; the same place has the same words.
type filler struct {
	clutter  *Clutter
	random   *rand.Rand
	language string
	at       time.Time
	person   int // which person writes
	chosen   map[string]string
}

var aPlace = regexp.MustCompile(`\{([^{}]*)\}?`)

func (f *filler) fill(text string) (filled string, err error) {
	filled = aPlace.ReplaceAllStringFunc(text, func(place string) string {
		name := strings.Trim(place, "{}")
		if _, there := f.chosen[name]; !there {
			word, wrong := f.word(name)
			f.chosen[name], err = word, cmp.Or(err, wrong)
		}
		return f.chosen[name]
	})
	return filled, err
}

// word is what stands in a place: a word of the list of that name ({shop},
// {shop2}), digits ({#4}), letters and digits ({code8}, {hex7}), a price ({price}),
// a number up to another ({to30}), a date so many days away ({date+3}), its weekday
// ({day+3}), a time of day ({clock}), or something of the person.
func (f *filler) word(name string) (string, error) {
	r := f.random
	kind := strings.TrimRight(name, "0123456789")
	number, _ := strconv.Atoi(name[len(kind):]) // 0 without one
	number = min(number, 400)
	switch kind {
	case "first":
		return f.clutter.firstName(), nil
	case "email":
		return f.clutter.person.Address, nil
	case "clock":
		return fmt.Sprintf("%02d:%02d", 8+r.IntN(12), 15*r.IntN(4)), nil
	case "#":
		return letters(r, "0123456789", number), nil
	case "hex":
		return letters(r, "0123456789abcdef", number), nil
	case "code":
		return letters(r, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", number), nil
	case "to":
		return strconv.Itoa(1 + r.IntN(max(1, number))), nil
	case "price":
		return fmt.Sprintf(f.words("price")[0], 4+r.IntN(180), []int{0, 49, 90, 95, 99}[r.IntN(5)]), nil
	case "date+":
		at := f.at.AddDate(0, 0, number)
		return fmt.Sprintf(f.words("date")[0], at.Day(), f.words("months")[at.Month()-1], at.Year()), nil
	case "day+":
		return f.words("days")[f.at.AddDate(0, 0, number).Weekday()], nil
	}
	if list := f.words(kind); len(list) > 0 {
		if name == "person" || name == "nick" { // of one person
			return list[f.person%len(list)], nil
		}
		return list[r.IntN(len(list))], nil
	}
	return "", fmt.Errorf("there are no words {%s} in %s", subconscious.Clip(name, 60), f.language)
}

func letters(r *rand.Rand, of string, n int) string {
	b := make([]byte, max(1, n))
	for i := range b {
		b[i] = of[r.IntN(len(of))]
	}
	return string(b)
}

func (f *filler) words(name string) []string { return f.clutter.words[f.language][name] }

// firstName is how senders address the person: by the first name that stands with
// the address, or by the beginning of the address.
func (c *Clutter) firstName() string {
	if first, _, _ := strings.Cut(c.person.Name, " "); first != "" {
		return first
	}
	local, _, _ := strings.Cut(c.person.Address, "@")
	local, _, _ = strings.Cut(local, ".")
	first, size := utf8.DecodeRuneInString(local)
	return string(unicode.ToUpper(first)) + local[size:]
}
