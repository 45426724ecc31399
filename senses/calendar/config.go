package calendar

import (
	"errors"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Config configures one calendar file.
type Config struct {
	// ID names the instance: "home".
	ID string `mapstructure:"id"`
	// ICS is the path of an iCalendar file, at most 16 MiB.
	ICS string `mapstructure:"ics"`
	// Addresses are the owner's mail addresses. They tell the sense which of
	// an event's attendees is the owner.
	Addresses []string `mapstructure:"addresses"`
	// Trust is whose word the file is; empty means outsider, since anyone can
	// send an invitation.
	Trust subconscious.Trust `mapstructure:"trust"`
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
	return errors.Join(wrong...)
}
