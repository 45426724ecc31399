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
	// sameFrom is how like two texts are that say the same, where no number, name,
	// negation or switch tells them apart; from alikeFrom on, one of them may be wrong.
	sameFrom, alikeFrom = 0.85, 0.5
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
	if !s.ranked.whole.Load() {
		return neighbour{}, nil
	}
	best := 0.0
	for _, hit := range s.ranked.lanes[r.Lane].Search(recall.Question{Text: r.searched(), Limit: neighbours}) {
		near, err := one(ctx, tx, "n = ? AND status = 'active'", hit.ID)
		if errors.Is(err, ErrNotFound) {
			continue // it was changed meanwhile
		} else if err != nil {
			return neighbour{}, err
		}
		if near.About.Project != r.About.Project || near.About.Agent != r.About.Agent {
			continue
		}
		likeness := likeness(near.Text, r.Text)
		if likeness < alikeFrom || likeness <= best {
			continue
		}
		best = likeness
		same := likeness >= sameFrom && !differ(near.Text, r.Text)
		found = neighbour{row: near, same: same, conflict: !same}
	}
	return found, nil
}

// likeness is the part of the words of content of two texts that both have, 0 to 1.
func likeness(a, b string) float64 {
	as, bs := content(a), content(b)
	both := 0
	for _, t := range as {
		if slices.Contains(bs, t) {
			both++
		}
	}
	if all := len(as) + len(bs) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

func content(text string) []string {
	terms := fulltext.Terms(text)
	slices.Sort(terms)
	return slices.Compact(terms)
}

// differ reports whether a number, a name, an identifier, a negation or a switch is in
// one of two texts alone.
func differ(a, b string) bool {
	as, bs := tokens(a), tokens(b)
	return lacks(as, bs) || lacks(bs, as)
}

type token struct {
	lower   string
	telling bool
}

func tokens(text string) []token {
	var all []token
	begins := true
	for _, field := range strings.Fields(text) {
		word := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if word == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(word)
		name := unicode.IsUpper(first) && !begins
		identifier := strings.ContainsAny(word, "0123456789_/.@") || strings.ContainsFunc(word[1:], unicode.IsUpper)
		lower := strings.ToLower(word)
		all = append(all, token{lower, name || identifier || slices.Contains(switches, lower)})
		begins = strings.ContainsAny(field[len(field)-1:], ".!?:;")
	}
	return all
}

// lacks reports whether a telling word of one text is not in the other.
func lacks(of, in []token) bool {
	for _, t := range of {
		if t.telling && !slices.ContainsFunc(in, func(other token) bool { return other.lower == t.lower }) {
			return true
		}
	}
	return false
}

// switches turn what is said into its opposite.
var switches = strings.Fields(`not no never none without isn't aren't don't doesn't won't can't cannot on off yes true false enabled disabled enable disable
	nicht kein keine keinen keinem keiner nie niemals ohne an aus ja nein ein aktiviert deaktiviert wahr falsch
	ne pas jamais aucun aucune sans oui non activé activée désactivé désactivée vrai faux
	no nunca ningún ninguno ninguna sin sí activado activada desactivado desactivada verdadero falso`)
