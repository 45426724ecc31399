package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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

// criticalClasses are the classes of incidents that may pass quiet hours.
var criticalClasses = []string{"disk", "unit", "machine", "event", "deadline"}

// weekdays as digests name them.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// validateQuiet checks the quiet hours.
func validateQuiet(h escalate.Hours) error {
	var errs []error
	for _, hour := range [...]struct{ key, text string }{{"from", h.From}, {"to", h.To}} {
		if err := timeOfDay(hour.text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", hour.key, err))
		}
	}
	return errors.Join(errs...)
}

// validateEscalation checks what stands below the key escalation.
func validateEscalation(r escalate.Rules) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	span := func(key string, d, most time.Duration) {
		if d < 0 || d > most {
			wrong("%s: is %s; it must be 0s to %s", key, d, most)
		}
	}
	span("cooldown", r.Cooldown, 24*time.Hour)
	share := func(key string, v float64) {
		if !(v >= 0 && v <= 1) {
			wrong("%s: is %v; it must be 0 to 1", key, v)
		}
	}
	share("push_from", r.PushFrom)
	share("digest_from", r.DigestFrom)
	if r.DigestFrom > r.PushFrom {
		wrong("digest_from: is %v, above push_from (%v); make it lower, since a digest takes what is too little for a push", r.DigestFrom, r.PushFrom)
	}
	if text := r.Digest.Daily; text != "" {
		if err := timeOfDay(text); err != nil {
			wrong(`digest.daily: %w, or "" for none`, err)
		}
	}
	if text := r.Digest.Weekly; text != "" {
		day, hour, _ := strings.Cut(text, " ")
		if !slices.Contains(weekdays, day) || timeOfDay(hour) != nil {
			wrong(`digest.weekly: %q is not a day and a time; write it as "sun 18:00" (%s), or "" for none`, clip(text), strings.Join(weekdays, ", "))
		}
	}
	for i, class := range r.Critical {
		switch {
		case !contains(criticalClasses, class):
			wrong("critical[%d]: %q is no class; use %s", i, clip(class), oneOf(criticalClasses)+meant(class, criticalClasses))
		case slices.Index(r.Critical, class) != i:
			wrong("critical[%d]: %q is there twice; keep one of the two", i, class)
		}
	}
	span("hold_engaged", r.HoldEngaged, 24*time.Hour)
	span("hold_busy", r.HoldBusy, 24*time.Hour)
	span("notice_after", r.NoticeAfter, 7*24*time.Hour)
	return errors.Join(errs...)
}

// timeOfDay refuses what is not written as "23:00".
func timeOfDay(text string) error {
	if _, err := time.Parse("15:04", text); err != nil || len(text) != len("15:04") {
		return fmt.Errorf(`%q is not a time of day; write it as "23:00"`, clip(text))
	}
	return nil
}
