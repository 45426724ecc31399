package daemon

import (
	"fmt"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/senses"
)

// Line is a tick in one line, for people.
func Line(report api.TickReport) string {
	var what []string
	counts := map[aggregator.What]int{}
	for _, c := range report.Changes {
		switch c.What {
		case aggregator.Added, aggregator.Reinforced, aggregator.Restated, aggregator.Over, aggregator.Promoted, aggregator.Returned:
			what = append(what, fmt.Sprintf("%s %q", c.What, c.Summary))
		case aggregator.Faded, aggregator.Dropped, aggregator.Parked:
			counts[c.What]++
		}
	}
	const shown = 3
	if len(what) > shown {
		what = append(what[:shown], fmt.Sprintf("and %d more", len(what)-shown))
	}
	for _, name := range []aggregator.What{aggregator.Parked, aggregator.Faded, aggregator.Dropped} {
		if n := counts[name]; n > 0 {
			what = append(what, fmt.Sprintf("%d %s", n, name))
		}
	}
	for _, t := range report.Threads {
		if t.Mode == view.Failed {
			what = append(what, fmt.Sprintf("the %s failed: %s", t.Name, t.Reason))
		}
	}
	for _, s := range report.Senses {
		if s.State == string(senses.Blind) {
			what = append(what, fmt.Sprintf("%s is blind: %s", name(s), s.Error))
		}
	}
	if len(what) == 0 {
		what = []string{"nothing new"}
	}
	return fmt.Sprintf("%s  tick %d (%s, %.0f ms)  %s", report.At.Format(time.TimeOnly), report.Tick, report.Kind, report.ElapsedMS, strings.Join(what, "; "))
}

func name(s api.SenseReport) string {
	if s.ID == "" || s.ID == s.Kind {
		return s.Kind
	}
	return s.Kind + " " + s.ID
}
