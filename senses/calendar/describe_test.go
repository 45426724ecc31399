package calendar

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
)

// describe writes what a set holds, two lines an event, and all of it where
// show is "all".
func describe(sets []senses.Set, show string) string {
	if len(sets) == 0 {
		return "no set\n"
	}
	var out strings.Builder
	for _, item := range sets[0].Items {
		fmt.Fprintf(&out, "%s\n  %s\n", item.Title, item.ID)
		if show == "" {
			continue
		}
		fmt.Fprintf(&out, "  due %s until %s, %s\n", item.Due.Format(time.RFC3339), item.Until.Format(time.RFC3339), item.Trust)
		var names []string
		for name := range item.Attrs {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			fmt.Fprintf(&out, "  %s=%s\n", name, item.Attrs[name])
		}
		for _, link := range item.Links {
			fmt.Fprintf(&out, "  -> %s\n", link)
		}
		for line := range strings.Lines(item.Text) {
			fmt.Fprintf(&out, "  | %s\n", strings.TrimRight(line, "\n"))
		}
	}
	if out.Len() == 0 {
		return "nothing ahead\n"
	}
	return out.String()
}
