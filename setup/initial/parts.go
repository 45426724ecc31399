package initial

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/setup"
)

// sensesText is the part about what the mind looks at, with comments.
func (s *session) sensesText() string {
	var b strings.Builder
	b.WriteString(`# What the mind looks at. This machine's health is watched unless it is switched
# off; folders, notes, calendars and mail are looked at where they are named.
senses:
  health:
    enabled: true
`)
	for _, kind := range kinds() {
		text := kind.sense + ":\n" + indented(kind.items(s.sources[kind.sense]), 2)
		if len(s.sources[kind.sense]) == 0 {
			text = kind.sense + ":\n" + indented(kind.items([]source{{kind.id, kind.example}}), 2)
			text = "#" + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n#") + "\n"
		}
		b.WriteString(indented(text, 2))
	}
	text := "#mail: # subconsciousctl init finds the server, and tries the account\n#  - id: home\n#    host: imap.example.com\n#    user: me@example.com\n#    password_file: \"~/.config/subconscious/keys/mail-home\"\n"
	if s.mail != nil {
		text = "mail:\n" + indented(mailItem(*s.mail), 2)
	}
	b.WriteString(indented(text, 2))
	return b.String()
}

// quietText is the part about quiet hours, with comments.
func quietText(h escalate.Hours) string {
	return fmt.Sprintf(`# When nothing but what is critical is told, in the time zone; from = to: never.
quiet_hours:
  from: %q
  to: %q
`, h.From, h.To)
}

// notifyText is the part about channels, with comments.
func notifyText(c setup.Channel) string {
	return "# How you are told. docs/notifications.md explains it.\nnotify:\n" + indented(channelItem(c), 2)
}

// channelItem is one channel as an item of a list.
func channelItem(c setup.Channel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- id: %s\n", c.ID)
	if c.Desktop != nil {
		b.WriteString("  desktop: {}\n")
		return b.String()
	}
	fmt.Fprintf(&b, "  # What it may carry: full (title and text), title, or none.\n  content: %s\n  ntfy:\n", c.DefaultContent())
	b.WriteString(fields(4, "url", c.Ntfy.URL, "topic", c.Ntfy.Topic, "token_env", c.Ntfy.TokenEnv, "token_file", c.Ntfy.TokenFile))
	return b.String()
}

// fields are the keys whose values are set, in quotes, each on its line.
func fields(indent int, pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, "%s%s: %q\n", spaces(indent), pairs[i], pairs[i+1])
		}
	}
	return b.String()
}

// modelsText is the part about models, with comments.
func (p plan) modelsText() string {
	var b strings.Builder
	b.WriteString("# Which models think. docs/models.md explains it.\nmodels:\n")
	fmt.Fprintf(&b, "  # Who thinks: %s.\n  preset: %s\n", strings.Join(models.PresetNames(), ", "), p.preset)
	b.WriteString(indented(p.lists(), 2))
	return b.String()
}

// lists are the providers and roles of a plan, at the indent 0.
func (p plan) lists() string {
	var b strings.Builder
	if len(p.providers) > 0 {
		b.WriteString("# Keys are named here and never written here.\nproviders:\n")
	}
	for _, one := range p.providers {
		fmt.Fprintf(&b, "  - id: %s\n", one.ID)
		b.WriteString(fields(4, "vendor", one.Vendor, "base_url", one.BaseURL, "key_env", one.KeyEnv, "key_file", one.KeyFile))
		if one.Local {
			b.WriteString("    # It costs nothing, and is given plain text.\n    local: true\n")
		}
	}
	if len(p.roles) > 0 {
		b.WriteString("roles:\n")
	}
	for _, role := range p.roles {
		fmt.Fprintf(&b, "  - {id: %s, provider: %s, model: %s}\n", role.ID, role.Provider, strconv.Quote(role.Model))
	}
	return b.String()
}

// budgetText is the part about the budget, with comments.
func budgetText() string {
	c := budget.DefaultConfig()
	return fmt.Sprintf(`# What models may cost, in US dollars: hard limits. Rules think where one is
# reached. 0 lets nothing through, -1 is no limit.
budget:
  money_per_day: %v
  money_per_month: %v
  # How often a day threads may ask a model although nothing in their field is
  # new; 0: never.
  exploration_calls_per_day: %d
`, c.MoneyPerDay, c.MoneyPerMonth, c.ExplorationCallsPerDay)
}
