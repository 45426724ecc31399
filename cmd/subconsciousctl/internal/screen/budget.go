package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
)

// limit finds a limit by its name; nil is none.
func limit(b api.BudgetStatus, name string) *api.LimitStatus {
	i := slices.IndexFunc(b.Limits, func(l api.LimitStatus) bool { return l.Name == name && l.Limit >= 0 })
	if i < 0 {
		return nil
	}
	return &b.Limits[i]
}

// money writes US dollars: two digits, or more below a cent.
func money(dollars float64) string {
	if dollars <= 0 {
		return "0.00"
	}
	return cents(dollars)
}

// attention reports whether a limit is one of the person's attention.
func attention(name string) bool {
	return name == "notifications_per_day" || name == "escalations_per_hour" || name == "notices_per_day"
}

// exhausted lists the limits that are reached, each with what it means and
// until when.
func (p *page) exhausted(b api.BudgetStatus) []string {
	var words []string
	for _, l := range b.Limits {
		exploring := strings.HasSuffix(l.Name, "exploration_calls_per_day")
		if !l.Exhausted || (exploring || attention(l.Name)) && l.Limit == 0 {
			continue // to explore never is no lack, and to be told nothing may be wanted
		}
		says := " is reached ("
		if l.Used < l.Limit {
			says = " has no room for some calls ("
		}
		text := limitWords(l.Name) + says + limitAmount(l.Name, l.Used) + " of " + limitAmount(l.Name, l.Limit) + ")"
		if !l.Until.IsZero() {
			text += " until " + p.clock(l.Until)
		}
		if attention(l.Name) {
			words = append(words, text+": what is not told waits, or goes into the digest")
			continue
		}
		if exploring {
			words = append(words, text+": where nothing is new, rules look further afield")
			continue
		}
		words = append(words, text+": rules think instead")
	}
	return words
}

// limitWords is what a limit is called: "the watcher's calls per day".
func limitWords(name string) string {
	thread, name, ok := strings.Cut(clean(name), ".")
	if !ok {
		return "the limit of " + strings.ReplaceAll(thread, "_", " ")
	}
	return "the limit of " + strings.ReplaceAll(name, "_", " ") + " for " + thread
}

// limitAmount writes what is counted by a limit in its unit.
func limitAmount(name string, value float64) string {
	if strings.Contains(name, "money") {
		return "$" + money(value)
	}
	return thousands(int(value))
}

// price is an amount of US dollars with as many digits as say something.
func price(dollars float64) string {
	if dollars > 0 && dollars < 0.1 {
		return fmt.Sprintf("%.4f", dollars)
	}
	return money(dollars)
}
