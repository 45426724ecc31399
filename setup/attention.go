package setup

import (
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/escalate"
)

// Gate is the settings of the gate, with the quiet hours and the limits of
// attention, which have places of their own in the configuration.
func (c *Config) Gate() escalate.Rules {
	rules := c.Escalation
	rules.Quiet = c.QuietHours
	rules.NotificationsPerDay = c.Budget.NotificationsPerDay
	rules.EscalationsPerHour = c.Budget.EscalationsPerHour
	rules.NoticesPerDay = c.Budget.NoticesPerDay
	return rules
}

// defaultEscalation is what Gate has not from elsewhere.
func defaultEscalation() escalate.Rules {
	rules := escalate.DefaultRules()
	rules.Quiet = escalate.Hours{}
	rules.NotificationsPerDay, rules.EscalationsPerHour, rules.NoticesPerDay = 0, 0, 0
	return rules
}

// gate names what of the gate's settings cannot be used, under the keys where
// they are written. What stands in the budget is checked there.
func (c *Config) gate() []error {
	var errs []error
	for _, err := range flatten(c.Gate().Validate()) {
		key, message, _ := strings.Cut(err.Error(), ": ")
		switch {
		case strings.HasSuffix(key, "_per_day"), strings.HasSuffix(key, "_per_hour"):
		case key == "quiet_hours":
			errs = append(errs, fmt.Errorf("%s.%s", key, message))
		default:
			errs = append(errs, fmt.Errorf("escalation.%w", err))
		}
	}
	return errs
}
