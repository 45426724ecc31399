package setup

import "testing"

// TestDescriptions: every key has a description.
func TestDescriptions(t *testing.T) {
	root().walk("", func(key string, f field) {
		if f.about == "" {
			t.Errorf("%s has no description", key)
		}
	})
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"schedul", "schedule", 1}, {"shcedule", "schedule", 1}, {"timezone", "timezone", 0}, {"abc", "xyz", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"*/5 * * * *", "@every 5m", "TZ=UTC * * * * *", "TZ=UTC", "CRON_TZ=", "0 0 30 2 *", "* * * *", "a-b/0 , * * *", "*/0 * * * *"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		schedule, err := ParseSchedule(s)
		if (schedule == nil) == (err == nil) {
			t.Fatalf("ParseSchedule(%q) = %v, %v", s, schedule, err)
		}
	})
}
