package sensetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// RunList checks that what a sense knows of an entry of a list is kept for 30 days
// once the entry has left the configuration. Add and Remove of the harness are of
// what is in an entry that can leave: list says whether it is there when the sense is
// opened next. Now of the harness is when the test begins.
func RunList(t *testing.T, h Harness, list func(whole bool)) {
	h = h.filled()
	began := h.Now()
	for _, test := range []struct {
		name      string
		away      time.Duration
		meanwhile func(t testing.TB)
		back      []string // what is told then
	}{
		{"comes back", time.Hour, nil, nil},
		{"comes back after 29 days", 29 * 24 * time.Hour, nil, nil},
		{"comes back with news", time.Hour, func(t testing.TB) { h.Add(t, 3); h.Remove(t, 1) }, []string{"appeared", "gone"}},
		{"is forgotten", 30 * 24 * time.Hour, nil, []string{"appeared", "appeared"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			at, h := began, h
			h.Now = func() time.Time { return at }
			list(true)
			h.Add(t, 1)
			h.Add(t, 2)
			m := open(t, h)
			defer m.close()
			told := m.baseline()
			in := func(whole bool) {
				list(whole)
				m.restart()
			}
			expect := func(what string, want []string, stands int) {
				t.Helper()
				at = at.Add(time.Minute)
				var got []string
				for _, o := range m.baseline() {
					if o.Change != subconscious.Momentary && !o.BandOnly {
						got = append(got, string(o.Change))
					}
				}
				if slices.Sort(got); !slices.Equal(got, want) || m.ledger.View().Len() != stands {
					t.Errorf("%s: told %q, and %d stand; want %q, %d", what, got, m.ledger.View().Len(), want, stands)
				}
			}
			stood := m.ledger.View().Len()
			if stood < 2 || len(told) < 2 {
				t.Fatalf("%d stand at first", stood)
			}
			for n := range 3 {
				in(false)
				expect(fmt.Sprint("left ", n), nil, stood-2)
				expect(fmt.Sprint("still left ", n), nil, stood-2)
				in(true)
				expect(fmt.Sprint("is back ", n), nil, stood)
			}
			in(false)
			expect("left", nil, stood-2)
			if test.meanwhile != nil {
				test.meanwhile(t)
			}
			at = at.Add(test.away)
			expect("then", nil, stood-2)
			expect("later", nil, stood-2)
			in(true)
			expect("back", test.back, stood)
			expect("and the next time", nil, stood)
			for n := range 3 {
				h.Remove(t, n+1)
			}
		})
	}
}
