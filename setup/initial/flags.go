package initial

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/subconsciousd/subconsciousd/notify/ntfy"
)

// readFlags looks at what was asked for beforehand, so that a slip in it is told
// before anything is tried or sent.
func readFlags(ctx context.Context, s *session) error {
	for _, kind := range s.kinds() {
		if err := s.eachNamed(ctx, kind, func(watched, string, string) {}); err != nil {
			return err
		}
	}
	if s.Quiet != "" {
		if _, err := parseHours(s.Quiet); err != nil {
			return mistake("--quiet: %w", err)
		}
	}
	if err := s.readMailFlags(); err != nil {
		return err
	}
	config := s.Ntfy
	named := config.URL != "" || config.Topic != ""
	switch {
	case named && s.Desktop:
		return mistake("--desktop: is given beside a topic; name one of the two, and run init again for the other")
	case !named && config != (ntfy.Config{}):
		return mistake("--ntfy-token-env, --ntfy-token-file: name the server too, with --ntfy-url")
	case !named:
		return nil
	}
	config.URL, config.Topic = orPublic(config.URL), cmp.Or(config.Topic, "made-later")
	if err := config.Validate(); err != nil {
		return mistake("%w", flagged("--ntfy-", err))
	}
	return nil
}

// flagged names the flags that begin so instead of the keys.
func flagged(prefix string, err error) error {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		key, text, _ := strings.Cut(line, ": ")
		key = strings.NewReplacer("oauth.provider", "oauth", "oauth.", "", "addresses[0]", "address", "addresses", "address", "_", "-").Replace(key)
		lines[i] = prefix + key + ": " + text
	}
	return errors.New(strings.Join(lines, "\n"))
}
