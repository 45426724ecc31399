package initial

import (
	"context"
	"errors"
	"strings"

	"github.com/subconsciousd/subconsciousd/notify/ntfy"
)

// readFlags looks at what was asked for beforehand, so that a slip in it is told
// before anything is tried or sent.
func readFlags(ctx context.Context, s *session) error {
	for _, kind := range kinds() {
		for _, path := range kind.named(s) {
			if _, err := s.check(ctx, kind, &path); err != nil {
				return mistake("--%s %s: %w", flagOf(kind), path, err)
			}
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
	named := s.NtfyURL != "" || s.NtfyTopic != ""
	switch {
	case named && s.Desktop:
		return mistake("--desktop: is given beside a topic; name one of the two, and run init again for the other")
	case !named && (s.NtfyTokenEnv != "" || s.NtfyTokenFile != ""):
		return mistake("--ntfy-token-env, --ntfy-token-file: name the server too, with --ntfy-url")
	case !named:
		return nil
	}
	topic := s.NtfyTopic
	if topic == "" {
		topic = "made-later"
	}
	config := ntfy.Config{URL: orPublic(s.NtfyURL), Topic: topic, TokenEnv: s.NtfyTokenEnv, TokenFile: s.NtfyTokenFile}
	if err := config.Validate(); err != nil {
		return mistake("%w", unjoined("ntfy-", err))
	}
	return nil
}

// unjoined names the flags instead of the keys.
func unjoined(prefix string, err error) error {
	return errors.New("--" + prefix + strings.ReplaceAll(err.Error(), "\n", "\n--"+prefix))
}
