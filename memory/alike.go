package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/fulltext"
	"github.com/subconsciousd/subconsciousd/internal/recall"
	"github.com/subconsciousd/subconsciousd/store"
)

const (
	// doubtFrom is the part of the shorter one's words that the other has, from which on
	// one of the two may be wrong.
	doubtFrom = 0.55
	// neighbours is how many of the nearest are looked at.
	neighbours = 3
)

// neighbour is the record that is most like one that is written.
type neighbour struct {
	row
	same, conflict bool
}

// alike looks among the nearest of its lane, project and agent for one that says the
// same, or may contradict it. While the records are still read in, nothing is found.
func (s *Store) alike(ctx context.Context, tx *store.Tx, r Record) (found neighbour, err error) {
	if !s.ranked.Whole() {
		return neighbour{}, nil
	}
	agent := r.About.Agent
	if r.Lane == Trusted {
		agent = "" // it does not matter there
	}
	most := 0.0
	for _, hit := range s.ranked.lanes[r.Lane].Search(recall.Question{Text: r.Text, Limit: neighbours, With: Query{About: About{Project: r.About.Project, Agent: agent}}.labels()}) {
		near, err := one(ctx, tx, "n = ? AND status = 'active'", hit.ID)
		if errors.Is(err, ErrNotFound) {
			continue // it was changed meanwhile
		} else if err != nil {
			return neighbour{}, err
		}
		if near.ID == r.ID || near.About.Project != r.About.Project || r.Lane != Trusted && near.About.Agent != r.About.Agent {
			continue
		}
		if normal(near.Text) == normal(r.Text) { // which a first version did not know
			return neighbour{row: near, same: true}, nil
		}
		c := compare(near.Text, r.Text)
		if contained := c.contained(); contained >= doubtFrom && contained > most {
			most, found = contained, neighbour{row: near, conflict: true}
		}
	}
	return found, nil
}

// compared are two texts by their words of content.
type compared struct {
	both, first, second int  // words of both, and of one alone
	differ              bool // a number, a name, an identifier, a negation or a switch is in one alone
	moved               bool // they have words in another order: who lends whom, what instead of what
}

// likeness is the part of all words that both have.
func (c compared) likeness() float64 {
	return float64(c.both) / float64(max(c.both+c.first+c.second, 1))
}

// contained is the part of the words of the shorter text that the other has.
func (c compared) contained() float64 {
	return float64(c.both) / float64(max(c.both+min(c.first, c.second), 1))
}

func compare(first, second string) (c compared) {
	a, b, last := tokens(first), tokens(second), -1
	for i := range a {
		if !a[i].counted {
			continue
		}
		for j := range b {
			if b[j].counted && !b[j].matched && a[i].is(b[j]) {
				a[i].matched, b[j].matched = true, true
				c.moved, last = c.moved || j < last, j
				break
			}
		}
	}
	for _, t := range a {
		switch {
		case t.matched:
			c.both++
		case t.counted:
			c.first++
		}
	}
	for _, t := range b {
		if t.counted && !t.matched {
			c.second++
		}
	}
	c.differ = lacks(a, b) || lacks(b, a)
	return c
}

// token is a word of a text.
type token struct {
	word    string   // in lower case
	forms   []string // what it may stand for; none where it says little
	counted bool     // the first of its kind that says something
	telling bool     // without it, something else is said
	matched bool
}

// maxCompared is how many words of a text are compared; texts that are longer are never
// the same but to the letter.
const maxCompared = 200

func tokens(text string) []token {
	var all []token
	begins := true
	add := func(word string, telling bool) {
		t := token{word: strings.ToLower(word)}
		switch {
		case negations[t.word]:
			t.word, telling = "not", true
		case !fillers[t.word]:
			t.forms = fulltext.Forms(t.word)
		}
		first, size := utf8.DecodeRuneInString(word)
		t.counted = len(t.forms) > 0 && !slices.ContainsFunc(all, func(other token) bool { return other.counted && other.word == t.word })
		name := unicode.IsUpper(first) && !begins && len(t.forms) > 0
		t.telling = telling || name || switches[t.word] || strings.ContainsAny(word, "0123456789_/.@") || strings.ContainsFunc(word[size:], unicode.IsUpper)
		all = append(all, t)
	}
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[]{}\"«»“”„=,;", r) }) {
		word := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if word == "" || len(all) > maxCompared {
			continue
		}
		if elided, rest, ok := strings.Cut(word, "'"); ok && len(elided) <= 2 && len(rest) > 1 { // l'eau, d'Anna
			word = rest
		}
		if unit := strings.TrimLeft(word, "0123456789"); unit != word && strings.Trim(word, "0123456789:./hH") == strings.TrimRight(strings.TrimLeft(unit, ":./hH0123456789"), "0123456789") {
			// 9:12, 9h12, 09.12, 64GB: its numbers, and the unit behind them.
			for _, number := range strings.FieldsFunc(word, func(r rune) bool { return r < '0' || r > '9' }) {
				if number = strings.TrimLeft(number, "0"); number != "" {
					add(number, true)
				}
			}
			if unit = strings.TrimLeft(unit, ":./hH0123456789"); unit != "" {
				add(unit, false)
			}
		} else {
			add(word, false)
		}
		begins = strings.ContainsAny(field[len(field)-1:], ".!?:")
	}
	return all
}

// is reports whether two words are forms of one, or one is short for the other.
func (t token) is(other token) bool {
	if t.word == other.word || slices.ContainsFunc(t.forms, func(f string) bool { return slices.Contains(other.forms, f) }) {
		return true
	}
	short, long := t.word, other.word
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) >= 3 && shortens(short, long)
}

// shortens reports whether a word is an abbreviation: the beginning of the other, or of
// at most five letters of it in their order, from the first to the last one.
func shortens(short, long string) bool {
	if strings.ContainsAny(long, "0123456789") {
		return false
	}
	if strings.HasPrefix(long, short) {
		return true
	}
	if len(short) > 5 || short[0] != long[0] || short[len(short)-1] != long[len(long)-1] {
		return false
	}
	at := 0
	for i := range long {
		if at < len(short) && long[i] == short[at] {
			at++
		}
	}
	return at == len(short)
}

// lacks reports whether a telling word of one text is not in the other.
func lacks(of, in []token) bool {
	return len(of) > maxCompared || slices.ContainsFunc(of, func(t token) bool {
		return t.telling && !slices.ContainsFunc(in, func(other token) bool { return t.is(other) })
	})
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

var (
	// switches turn what is said into its opposite, or say where and when it is.
	switches = setOf(`before after under over in on above below behind left right up down vor nach unter über auf hinter links rechts
		avant après sous sur dans derrière gauche droite antes después bajo sobre en detrás izquierda derecha prima dopo sotto sopra dietro sinistra destra
		off yes true false enabled disabled enable disable always only aus ja nein aktiviert deaktiviert wahr falsch immer nur
		oui non activé activée désactivé désactivée vrai faux toujours seulement sí activado activada desactivado desactivada verdadero falso siempre sólo solo`)
	negations = setOf(`not no never none without nothing isn't aren't don't doesn't won't can't cannot nicht kein keine keinen keinem keiner nie niemals ohne nichts
		ne n pas jamais aucun aucune sans rien nunca ningún ninguno ninguna sin nada`)
	// fillers say nothing of what a note is about, beside the commonest words.
	fillers = setOf(`much lot quite really actually currently basically simply just also still please note remember user person because since so therefore
		übrigens eigentlich wirklich einfach derzeit zurzeit momentan auch noch bitte nutzer weil da denn deshalb
		parce car puisque donc vraiment actuellement simplement aussi encore utilisateur utilisatrice
		porque pues ya realmente actualmente simplemente también todavía usuario usuaria`)
)
