package subconscious

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Person is whose mind it is, as they say themselves.
type Person struct {
	Name      string   `mapstructure:"name" about:"What you are called."`
	Addresses []string `mapstructure:"addresses" about:"Your mail addresses, for accounts and calendars that name none."`
	Language  string   `mapstructure:"language" about:"The language in which models write to you, by its name; empty: the one you write in."`
	// WorkingHours are "09:00-17:00", or empty.
	WorkingHours string   `mapstructure:"working_hours" about:"When you work, as 09:00-17:00; empty: at any time."`
	About        []string `mapstructure:"about" about:"Up to ten lines on what is yours: family, work, projects, accounts. Models are told them."`
}

// MostAbout is how many lines a person may say of themselves, and aboutBytes how
// long one may be.
const MostAbout, aboutBytes = 10, 200

// Validate names every setting that cannot be used, in the order of the fields.
func (p Person) Validate() error {
	var problems []error
	long := func(key, text string) {
		if len(text) > aboutBytes || Printable(text) != text {
			problems = append(problems, fmt.Errorf("%s: must be one line of at most %d bytes", key, aboutBytes))
		}
	}
	long("name", p.Name)
	for i, address := range p.Addresses {
		if name, domain, ok := strings.Cut(address, "@"); !ok || name == "" || domain == "" || len(address) > aboutBytes || strings.ContainsAny(address, " <>,;\"\n") {
			problems = append(problems, fmt.Errorf("addresses[%d]: %q is no mail address; write it as you@example.com", i, Clip(address, 80)))
		}
	}
	long("language", p.Language)
	if from, to, ok := strings.Cut(p.WorkingHours, "-"); p.WorkingHours != "" {
		for _, hour := range [...]string{from, to} {
			if _, err := time.Parse("15:04", strings.TrimSpace(hour)); !ok || err != nil {
				problems = append(problems, fmt.Errorf("working_hours: %q are no hours; write them as 09:00-17:00", Clip(p.WorkingHours, 40)))
				break
			}
		}
	}
	if len(p.About) > MostAbout {
		problems = append(problems, fmt.Errorf("about: has %d lines; it may have %d", len(p.About), MostAbout))
	}
	for i, line := range p.About {
		long(fmt.Sprintf("about[%d]", i), line)
	}
	return errors.Join(problems...)
}
