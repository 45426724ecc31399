package calendar

import (
	"errors"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config configures one calendar file.
type Config struct {
	ID        string             `mapstructure:"id" about:"A short name, unique among the calendars."`
	ICS       string             `mapstructure:"ics" path:"file" about:"The path of an iCalendar file (.ics), at most 16 MiB."`
	Addresses []string           `mapstructure:"addresses" about:"Your mail addresses, to tell which of those invited is you."`
	Trust     subconscious.Trust `mapstructure:"trust" about:"Whose word the calendar is: owner, machine, agent or outsider (the default)."`
	Click     string             `mapstructure:"click" about:"What a message on the phone opens when it is tapped: an address with {id} where the event's UID belongs. Left out: nothing."`
}

// Validate returns what is wrong, each error beginning with the key.
func (c Config) Validate() error {
	var wrong []error
	if strings.TrimSpace(c.ID) == "" {
		wrong = append(wrong, errors.New("id: is missing; give the calendar a short name such as home"))
	}
	switch path := strings.TrimSpace(c.ICS); {
	case path == "":
		wrong = append(wrong, errors.New("ics: is missing; give the path of an .ics file"))
	case strings.ContainsRune(path, 0):
		wrong = append(wrong, errors.New("ics: holds a zero byte; give the path of an .ics file"))
	case strings.Contains(path, "://"):
		wrong = append(wrong, fmt.Errorf("ics: %q is an address; give the path of a file on this machine", path))
	}
	for i, address := range c.Addresses {
		if at := strings.IndexByte(address, '@'); at <= 0 || at == len(address)-1 || strings.ContainsAny(address, " \t<>") {
			wrong = append(wrong, fmt.Errorf("addresses[%d]: %q is not a mail address; write it as name@example.com", i, address))
		}
	}
	switch c.Trust {
	case "", subconscious.Owner, subconscious.Machine, subconscious.Agent, subconscious.Outsider:
	default:
		wrong = append(wrong, fmt.Errorf("trust: %q is unknown; use owner, machine, agent or outsider", c.Trust))
	}
	return errors.Join(append(wrong, senses.CheckClick(c.Click))...)
}

// Opens is the address at which an event of the calendar is opened, "" for none:
// one without a UID has none of its own.
func (c Config) Opens(o subconscious.Observation) string {
	id := o.ID[:max(0, strings.LastIndexByte(o.ID, '/'))]
	if o.Sense != senseName || o.Instance != c.ID || strings.HasPrefix(id, noUID) || strings.HasPrefix(id, longUID) {
		return ""
	}
	return senses.Click(c.Click, id)
}
