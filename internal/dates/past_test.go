package dates_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/dates"
)

// TestPast: who asks on Wednesday 17 June 2026 looks back.
func TestPast(t *testing.T) {
	now := time.Date(2026, 6, 17, 15, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"what did we say last week about the boiler?":  "06-08..06-15",
		"what happened yesterday, and today?":          "06-16..06-17 06-17..06-18",
		"the day before yesterday":                     "06-15..06-16",
		"who called three days ago":                    "06-14..06-15",
		"two weeks ago":                                "06-01..06-08",
		"what was it in May?":                          "05-01..06-01",
		"what was it in May 2024?":                     "2024-05-01..2024-06-01",
		"in december":                                  "2025-12-01..01-01",
		"the trip of last month":                       "05-01..06-01",
		"the trip in 2023":                             "2023-01-01..2024-01-01",
		"what we said on Friday":                       "06-12..06-13",
		"last Wednesday":                               "06-10..06-11",
		"on 12 May":                                    "05-12..05-13",
		"on 24 December":                               "2025-12-24..2025-12-25",
		"since 2026-06-01":                             "06-01..06-02",
		"this week":                                    "06-15..06-22",
		"next week, in 2031, tomorrow, room 2023b":     "",
		"the last of it may be a march of 5":           "",
		"was war letzte Woche, und was gestern?":       "06-08..06-15 06-16..06-17",
		"vor drei Tagen":                               "06-14..06-15",
		"im März":                                      "03-01..04-01",
		"la semaine dernière, hier, il y a deux jours": "06-08..06-15 06-16..06-17 06-15..06-16",
		"el mes pasado, ayer, hace dos semanas":        "05-01..06-01 06-16..06-17 06-01..06-08",
		"la settimana scorsa, ieri, tre giorni fa":     "06-08..06-15 06-16..06-17 06-14..06-15",
		"o ano passado, ontem, há três dias":           "2025-01-01..01-01 06-16..06-17 06-14..06-15",
	} {
		var got []string
		for _, s := range dates.Past(text, now) {
			for _, at := range []time.Time{s.From, s.To} {
				got = append(got, strings.TrimPrefix(at.Format(time.DateOnly), "2026-"))
			}
		}
		if have := strings.Join(got, " "); have != strings.ReplaceAll(want, "..", " ") {
			t.Errorf("%s: %s, want %s", text, have, want)
		}
	}
}
