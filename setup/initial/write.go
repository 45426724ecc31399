package initial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/trusted"
	"github.com/subconsciousd/subconsciousd/setup"
)

// head begins a configuration that is made here.
const head = `# subconsciousd: the configuration. config.example.yaml documents every key;
# what is not here has its default. "subconsciousctl config check" tells what is
# wrong with it.

`

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
	if i, err := s.ask(ctx, "Write "+what+"?", []Choice{{"yes", ""}, {"no", "nothing is written"}}, 0); err != nil {
		return err
	} else if i != 0 {
		return context.Canceled
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := s.prepare(path, text)
	if err != nil {
		return err
	}
	if err = s.fillRing(ctx); err == nil {
		err = s.writeKeys()
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := place(temp, path); err != nil {
		return err
	}
	s.result.Written = true
	s.say("Written: %s", strings.Join(append([]string{path}, s.result.KeyFiles...), ", "))
	return nil
}

// placeKeys names the files in which what was typed will be.
func (s *session) placeKeys() {
	for i := range s.plan.providers {
		if p := &s.plan.providers[i]; p.KeyEnv == typed(p.ID) {
			p.KeyEnv, p.KeyFile = "", s.keyFile(p.ID)
		}
	}
	s.placeMail()
	if s.mail != nil {
		s.result.Account = s.mail.ID
	}
	if s.channel == nil {
		return
	}
	s.result.Channel = s.channel.ID
	if c := s.channel.Ntfy; c != nil && c.TokenEnv == typed("ntfy-"+s.channel.ID) {
		c.TokenEnv, c.TokenFile = "", s.keyFile("ntfy-"+s.channel.ID)
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
	if s.there == nil {
		parts := []string{s.sensesText(), s.plan.modelsText(), budgetText(), quietText(*s.hours)}
		if s.channel != nil {
			parts = append(parts, notifyText(*s.channel))
		}
		return head + strings.Join(parts, "\n")
	}
	d, change := s.there, []string{}
	// part adds one with a key of its own, or to one that is there.
	part := func(key, whole string, add func() bool) {
		switch {
		case s.closed:
			change = append(change, whole)
		case !d.has(key):
			d.appendPart(whole)
		case !add():
			change = append(change, whole)
		}
	}
	refused := func() bool { return false }
	if s.plan.keep == nil && !(d.has("models") && s.existing.Models.Preset == s.plan.preset && len(s.plan.providers)+len(s.plan.roles) == 0) {
		part("models", s.plan.modelsText(), func() bool { return bare(s.existing.Models) && d.setPreset(s.plan.preset, s.plan.lists()) })
		if !d.has("budget") && !d.has("models") {
			part("budget", budgetText(), refused)
		}
	}
	s.addSources(&change)
	if s.hours != nil && (s.existing.QuietHours != *s.hours || !d.has("quiet_hours")) {
		part("quiet_hours", quietText(*s.hours), refused)
	}
	if s.channel != nil {
		part("notify", notifyText(*s.channel), func() bool { return d.addItems([]string{"notify"}, channelItem(*s.channel)) })
	}
	s.result.Change = strings.Join(change, "\n")
	return d.text()
}

// addSources adds what is to be watched to a configuration that is there.
func (s *session) addSources(change *[]string) {
	type part struct{ sense, items string }
	var parts []part
	for _, kind := range kinds() {
		if sources := s.sources[kind.sense]; len(sources) > 0 {
			parts = append(parts, part{kind.sense, kind.items(sources)})
		}
	}
	if s.mail != nil {
		parts = append(parts, part{"mail", mailItem(*s.mail)})
	}
	if s.there.has("senses") && !s.closed {
		for _, p := range parts {
			if !s.there.addItems([]string{"senses", p.sense}, p.items) {
				*change = append(*change, "senses:\n"+spaces(2)+p.sense+":\n"+indented(p.items, 4))
			}
		}
		return
	}
	text := ""
	for _, p := range parts {
		text += spaces(2) + p.sense + ":\n" + indented(p.items, 4)
	}
	switch {
	case text == "":
	case s.closed:
		*change = append(*change, "senses:\n"+text)
	default:
		s.there.appendPart("# What the mind looks at, beside this machine's health.\nsenses:\n" + text)
	}
}

// prepare writes the configuration beside its place, and makes sure that it
// loads from there.
func (s *session) prepare(path, text string) (temp string, err error) {
	if temp, err = writeTemp(path, text); err != nil {
		return "", err
	}
	if _, err := setup.Load(temp, s.Env); err != nil {
		return "", errors.Join(fmt.Errorf("the configuration that was made cannot be loaded, so that nothing was changed: %w", err), os.Remove(temp))
	}
	return temp, nil
}

// writeFile writes a file that its owner alone can read, whole or not at all.
func writeFile(path, text string) error {
	temp, err := writeTemp(path, text)
	if err != nil {
		return err
	}
	return place(temp, path)
}

// writeTemp writes a file beside the one of that path and returns its name.
func writeTemp(path, text string) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Chmod(0o600), file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// place renames a file to its name, and makes that last.
func place(temp, path string) error {
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
