package initial

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/trusted"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
)

// readExisting reads the configuration that is there. One with mistakes ends the
// way before anything is asked.
func readExisting(_ context.Context, s *session) error {
	s.existing = setup.Default()
	path, err := target(s.File)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := trusted.Path(path); !errors.Is(err, fs.ErrNotExist) {
			return err // said before anything is asked: the daemon would refuse it there
		}
		return nil
	}
	if err != nil {
		return err
	}
	if s.existing, err = setup.Load(path, s.Env); err != nil {
		return fmt.Errorf("the configuration that is there has mistakes, so that nothing was changed:\n%w", err)
	}
	s.old = string(text)
	s.there, s.closed = openDocument(s.old)
	s.say("%s is there; what is missing is added to it.", s.homely(path))
	return nil
}

// writeDown writes the keys and the configuration, and says what could not be
// added to one that is there.
func writeDown(ctx context.Context, s *session) error {
	s.placeKeys()
	path, err := target(s.File)
	if err != nil {
		return err
	}
	text := s.text()
	if s.result.Change != "" {
		s.say("This could not be added to %s without touching what is there. Put it in by hand:\n\n%s", path, s.result.Change)
	}
	if text == s.old && s.there != nil {
		if len(s.plan.keys) > 0 {
			s.say("The keys that you typed were not kept; write them into the files that are named there, and run chmod 600 on those.")
		}
		return nil
	}
	what := path
	if len(s.plan.keys) > 0 {
		what += ", and what you typed without it being shown to " + filepath.Dir(s.keyFile("x"))
	}
	if err := s.pick(ctx, "Write "+what+"?", 0, option{"yes", "", nil}, option{"no", "nothing is written", func() error { return context.Canceled }}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	prepared, err := secret.Prepare(path, []byte(text))
	if err != nil {
		return err
	}
	defer func() { _ = prepared.Cleanup() }() // does nothing once it took its place
	if _, err := setup.Load(prepared.Name(), s.Env); err != nil {
		return fmt.Errorf("the configuration that was made cannot be loaded, so that nothing was changed: %w", err)
	}
	if err = s.fillRing(ctx); err == nil {
		err = s.writeKeys()
	}
	if err == nil {
		err = prepared.Place()
	}
	if err != nil {
		return err
	}
	s.result.Written = true
	s.say("Written: %s", strings.Join(append([]string{path}, s.result.KeyFiles...), ", "))
	return nil
}

// placeKeys names the places in which what was typed will be.
func (s *session) placeKeys() {
	place := func(variable, file *string, name string) {
		if *variable == typed(name) {
			*variable, *file = "", s.keyFile(name)
		}
	}
	for i := range s.plan.providers {
		p := &s.plan.providers[i]
		place(&p.Key.Env, &p.Key.File, p.ID)
	}
	if m := s.mail; m != nil {
		s.result.Account = m.ID
		if s.ringed && m.Password.Env == typed(s.mailKey()) {
			m.Password.Env, m.Password.Keyring = "", ringService+"/"+s.mailKey()
		}
		place(&m.Password.Env, &m.Password.File, s.mailKey())
		if o := m.OAuth; o != nil {
			place(&o.Secret.Env, &o.Secret.File, s.mailKey()+"-client")
		}
	}
	if c := s.channel; c != nil {
		s.result.Channel = c.ID
		if c.Ntfy != nil {
			place(&c.Ntfy.Token.Env, &c.Ntfy.Token.File, "ntfy-"+c.ID)
		}
	}
}

// target follows a link, so that the file is written and not the link replaced.
func target(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return real, err
}

// text is what the configuration will be: a new one, or the one that is there
// with what is missing.
func (s *session) text() string {
	folders := s.kinds()
	for i := range folders {
		folders[i].Sources = s.sources[folders[i].Sense]
	}
	models := modelsPart{Presets: strings.Join(models.PresetNames(), ", "), Preset: s.plan.preset, Providers: s.plan.providers, Roles: s.plan.roles}
	if s.there == nil {
		return text("new", map[string]any{"Folders": folders, "Mail": s.mail, "Models": models, "Budget": budget.DefaultConfig(), "Hours": s.hours, "Channel": s.channel, "Person": text("person", s.who)})
	}
	d, change := s.there, []string{}
	// part adds one with a key of its own, or to one that is there.
	part := func(key, whole string, add func() bool) {
		switch {
		case s.closed:
			change = append(change, whole)
		case !d.has(key):
			d.appendPart(whole)
		case add == nil || !add():
			change = append(change, whole)
		}
	}
	if s.plan.keep == nil && !(d.has("models") && s.existing.Models.Preset == s.plan.preset && len(s.plan.providers)+len(s.plan.roles) == 0) {
		part("models", text("models", models), func() bool { return bare(s.existing.Models) && d.setPreset(s.plan.preset, text("lists", models)) })
		if !d.has("budget") && !d.has("models") {
			part("budget", text("budget", budget.DefaultConfig()), nil)
		}
	}
	lists, senses := map[string]string{}, ""
	for _, f := range folders {
		lists[f.Sense] = text("sources", f)
	}
	if s.mail != nil {
		lists[mail.Name] = text("account", s.mail)
	}
	for _, sense := range []string{"files", "notes", "calendar", mail.Name} {
		items := lists[sense]
		if items == "" {
			continue
		}
		whole := "  " + sense + ":\n" + indented(items, 4)
		if d.has("senses") && !s.closed {
			part("senses", "senses:\n"+whole, func() bool { return d.addItems([]string{"senses", sense}, items) })
		} else {
			senses += whole
		}
	}
	if senses != "" {
		part("senses", "# What the mind looks at, beside this machine's health.\nsenses:\n"+senses, nil)
	}
	if s.hours != nil && (s.existing.QuietHours != *s.hours || !d.has("quiet_hours")) {
		part("quiet_hours", text("quiet_hours", s.hours), nil)
	}
	if s.channel != nil {
		part("notify", text("notify", s.channel), func() bool { return d.addItems([]string{"notify"}, text("channel", s.channel)) })
	}
	if who := text("person", s.who); who != "" {
		part("person", who, nil)
	}
	s.result.Change = strings.Join(change, "\n")
	return d.text()
}

// modelsPart is what the configuration says of models.
type modelsPart struct {
	Presets, Preset string
	Providers       []models.Provider
	Roles           []models.Role
}

//go:embed config.tmpl
var configTemplate string

// text is one template of config.tmpl. Those of lists are at the indent 0.
func text(name string, about any) string {
	var b strings.Builder
	functions := template.FuncMap{"text": text, "q": strconv.Quote, "id": written, "indent": func(n int, text string) string { return indented(text, n) }}
	if err := template.Must(template.New("").Funcs(functions).Parse(configTemplate)).ExecuteTemplate(&b, name, about); err != nil {
		panic(err) // the templates are shipped, and each is in a test
	}
	return b.String()
}
