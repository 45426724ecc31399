package initial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// used are the providers that a plan's threads are at, in order.
func (s *session) used(p plan) []models.Provider {
	var all []models.Provider
	for _, a := range models.Resolve(p.config(), nil) {
		if a.Assigned() && !slices.ContainsFunc(all, func(other models.Provider) bool { return other.ID == a.Target.Provider.ID }) {
			all = append(all, a.Target.Provider)
		}
	}
	return all
}

// without are the providers of a plan whose key is not there.
func (s *session) without(p plan) []models.Provider {
	return slices.DeleteFunc(s.used(p), func(one models.Provider) bool {
		_, err := one.FindKey(s.env())
		return err == nil
	})
}

// typed is the variable under which a key that was typed is looked up until it
// is in its file. It is never in the environment.
func typed(provider string) string {
	return "SUBCONSCIOUS_TYPED_KEY_" + strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return r
	}, provider)
}

// env is the environment with the keys that were typed.
func (s *session) env() func(string) (string, bool) {
	return func(name string) (string, bool) {
		for provider, key := range s.plan.keys {
			if name == typed(provider) {
				return key, true
			}
		}
		return s.Env(name)
	}
}

// keys finds a key for each provider: where the person said, else in the
// environment, else by asking.
func keys(ctx context.Context, s *session) error {
	if err := s.named(); err != nil {
		return err
	}
	for _, p := range s.without(s.plan) {
		if s.plan.keep != nil {
			s.result.Missing = append(s.result.Missing, p.ID)
			s.say("There is no key for %s, which is configured already; rules think in its place. subconsciousctl doctor says what to do.", p.ID)
			continue
		}
		if err := s.key(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// named takes the places of keys that were named beforehand.
func (s *session) named() error {
	users := s.used(s.plan)
	for _, text := range s.KeyEnv {
		id, name, err := whose(text, users, func(v models.Vendor, name string) bool { return slices.Contains(v.KeyEnv, name) })
		if err != nil {
			return mistake("--key-env %s: %w", text, err)
		}
		s.refer(id, func(p *models.Provider) { p.Key.Env = name })
	}
	for _, text := range s.KeyFile {
		id, path, err := whose(text, users, func(v models.Vendor, path string) bool { return filepath.Base(path) == v.Name })
		if err != nil {
			return mistake("--key-file %s: %w", text, err)
		}
		if path, err = filepath.Abs(path); err != nil {
			return fmt.Errorf("--key-file: %w", err)
		}
		s.refer(id, func(p *models.Provider) { p.Key.File = path })
	}
	return nil
}

// whose says which provider a place of a key belongs to: the one that is named
// before "=", the one whose name fits, or the only one.
func whose(text string, users []models.Provider, fits func(models.Vendor, string) bool) (id, place string, err error) {
	if id, place, ok := strings.Cut(text, "="); ok {
		if !slices.ContainsFunc(users, func(p models.Provider) bool { return p.ID == id }) {
			return "", "", fmt.Errorf("no thread is at the provider %q", id)
		}
		return id, place, nil
	}
	for _, p := range users {
		if fits(models.VendorOf(p), text) {
			return p.ID, text, nil
		}
	}
	if len(users) == 1 {
		return users[0].ID, text, nil
	}
	if len(users) == 0 {
		return "", "", errors.New("no provider is used, so that no key is needed")
	}
	return "", "", errors.New("whose key is it? Write PROVIDER=" + text)
}

// refer changes the entry of a provider, and makes it where there is none.
func (s *session) refer(id string, change func(*models.Provider)) {
	i := slices.IndexFunc(s.plan.providers, func(p models.Provider) bool { return p.ID == id })
	if i < 0 {
		i, s.plan.providers = len(s.plan.providers), append(s.plan.providers, models.Provider{ID: id})
	}
	p := &s.plan.providers[i]
	p.Key = secret.Ref{}
	change(p)
}

// key asks for the key of one provider.
func (s *session) key(ctx context.Context, p models.Provider) error {
	v := models.VendorOf(p)
	title := cmp.Or(v.Title, p.ID)
	if s.kept(p, title) {
		return nil
	}
	_, missing := p.FindKey(s.env())
	if s.Agree {
		s.result.Missing = append(s.result.Missing, p.ID)
		s.say("%s", lacking(p, title, missing))
		return nil
	}
	text := fmt.Sprintf("There is no key for %s.", title)
	if v.KeyURL != "" {
		text += " One is made at " + v.KeyURL
	}
	s.say("%s", text)
	given := false
	err := s.pick(ctx, "What shall be done?", 0,
		option{"type it", "it is not shown, and kept in a file that you alone can read: " + s.keyFile(p.ID), func() error {
			key, err := s.person.Secret(ctx, "The key of "+title)
			if key = strings.TrimSpace(key); err == nil && key != "" {
				given = true
				s.keepTyped(p.ID, key)
				s.refer(p.ID, func(p *models.Provider) { p.Key.Env = typed(p.ID) })
			}
			return err
		}},
		option{"later", "rules think in its place until it is there", nil})
	if err == nil && !given {
		s.result.Missing = append(s.result.Missing, p.ID)
	}
	return err
}

// kept takes the key that an earlier run has kept, unless the person named
// another place.
func (s *session) kept(p models.Provider, title string) bool {
	path := s.keyFile(p.ID)
	if p.Key != (secret.Ref{}) {
		return false
	}
	if _, err := (secret.Ref{File: path}).Resolve(s.Env); err != nil {
		return false
	}
	s.refer(p.ID, func(p *models.Provider) { p.Key.File = path })
	s.say("The key of %s is in %s already.", title, path)
	return true
}

// lacking says that there is no key, why none where one was named, and what to do
// about it.
func lacking(p models.Provider, title string, missing error) string {
	text := "There is no key for " + title
	if p.Key != (secret.Ref{}) {
		text += fmt.Sprintf(" that can be used: %v", missing)
	}
	text += ". Until there is one, rules think in its place."
	if failure, ok := errors.AsType[*models.Error](missing); ok && failure.Next != "" {
		text += " To give it one: " + failure.Next + "."
	}
	return text
}

// keyFile is where the key of a provider is kept: beside the configuration.
func (s *session) keyFile(provider string) string {
	return filepath.Join(filepath.Dir(s.File), "keys", provider)
}

// writeKeys writes the keys that were typed, each to a file of its own.
func (s *session) writeKeys() error {
	for _, id := range slices.Sorted(maps.Keys(s.plan.keys)) {
		path := s.keyFile(id)
		dir := filepath.Dir(path)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return err
		}
		if err := secret.WriteFile(path, []byte(s.plan.keys[id]+"\n")); err != nil {
			return err
		}
		s.result.KeyFiles = append(s.result.KeyFiles, path)
	}
	return nil
}

// try asks each model of the plan whose key is there one small question. What
// fails is told, and does not keep the plan from being written: it may be the
// network.
func try(ctx context.Context, s *session) error {
	if s.Unchecked || len(s.used(s.plan)) == 0 {
		return nil
	}
	config := s.plan.config()
	opened, err := live.Open(live.Options{Models: config, Budget: budget.DefaultConfig(), Env: s.env(), Now: s.Now})
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }() // closes idle connections, which cannot fail
	for _, p := range s.used(s.plan) {
		if slices.Contains(s.result.Missing, p.ID) {
			continue
		}
		for _, t := range live.Test(ctx, opened, p.ID) {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := t.Provider + "/" + t.Model
			if t.OK {
				s.say("✓ %s answers (%.1f s, $%.4f).", name, t.LatencyMS/1000, t.Cost)
				continue
			}
			s.result.Failed = append(s.result.Failed, name)
			for _, step := range t.Steps {
				if !step.OK {
					s.say("✗ %s: %s\n  → %s", name, step.Detail, step.Next)
				}
			}
		}
	}
	return nil
}
