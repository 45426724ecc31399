package days

import (
	"context"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/reflex"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// Labelled is a letter of a day as the watcher was shown it first, and what its
// label says.
type Labelled struct {
	Day, Set, Language string
	// Mail is its name in the file, "" for clutter.
	Mail string
	// Writer is who wrote it, in words.
	Writer string
	// Needle and Worth say which label it has; else it is noise.
	Needle, Worth bool
	Letter        score.Letter
	Subject       string
}

// Letters plays the days of a set, and returns their letters.
func Letters(ctx context.Context, path, set string) (all []Labelled, err error) {
	days, err := readDays(path)
	if err != nil {
		return nil, err
	}
	days = slices.DeleteFunc(days, func(d *day) bool { return d.set != set || !d.hasMail() })
	listeners := make([]*listener, len(days))
	err = each(ctx, days, func(ctx context.Context, n int, d *day) error {
		listeners[n] = &listener{letters: map[string]heardLetter{}}
		_, err := playDay(ctx, d, models.PresetReflex, listeners[n].hear)
		return err
	})
	if err != nil {
		return nil, err
	}
	for n, d := range days {
		heard := listeners[n]
		for _, id := range heard.order {
			l := heard.letters[id]
			one := Labelled{Day: d.name, Set: set, Language: d.languages[0], Writer: "clutter", Letter: l.Letter, Subject: l.title}
			name, _, _ := strings.Cut(strings.TrimPrefix(id, "mid:"), "@")
			name, _, _ = strings.Cut(name, ".") // that comes again
			if m := d.mail(name); m != nil {
				one.Mail, one.Writer = name, m.writer(d)
				one.Needle, one.Worth = d.labelled(name, needle), d.labelled(name, worth)
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// labelled reports whether a label of that kind names a mail.
func (d *day) labelled(mail string, kind kind) bool {
	return slices.ContainsFunc(d.labels, func(l *label) bool {
		return l.kind == kind && slices.ContainsFunc(l.about, func(a about) bool { return a.kind == "mail" && a.name == mail })
	})
}

// listener hears what letters the watcher is shown.
type listener struct {
	letters map[string]heardLetter
	order   []string
}

type heardLetter struct {
	score.Letter
	title string
}

// hear is told of a snapshot.
func (l *listener) hear(snapshot subconscious.Snapshot) {
	letters := reflex.Letters(snapshot)
	for _, o := range snapshot.Fields[subconscious.Watcher].New {
		if letter, ok := letters[o.ID]; ok {
			if _, before := l.letters[o.ID]; !before {
				l.letters[o.ID] = heardLetter{letter, o.Title}
				l.order = append(l.order, o.ID)
			}
		}
	}
}
