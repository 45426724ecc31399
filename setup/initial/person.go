package initial

import (
	"context"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// who asks who the person is; each answer may be left empty. What the configuration
// says of them already stays.
func who(ctx context.Context, s *session) error {
	if s.Agree || s.there != nil && s.there.has("person") {
		return nil
	}
	p := &s.who
	line := func(question string, set func(*subconscious.Person, string)) (string, error) {
		return s.typeUntil(ctx, question, "", func(text string) error {
			told := *p
			if set(&told, text); told.Validate() != nil {
				return told.Validate()
			}
			*p = told
			return nil
		})
	}
	if _, err := line("What are you called? Enter for nothing", func(p *subconscious.Person, text string) { p.Name = text }); err != nil {
		return err
	}
	if _, err := line("In which language shall models write to you, such as Deutsch? Enter for the one you write in",
		func(p *subconscious.Person, text string) { p.Language = text }); err != nil {
		return err
	}
	for question := "What is yours: family, work, projects, accounts? A line each, which models are told; Enter for no more"; len(p.About) < subconscious.MostAbout; question = "And?" {
		if text, err := line(question, func(p *subconscious.Person, text string) { p.About = append(p.About, text) }); err != nil || text == "" {
			return err
		}
	}
	return nil
}
