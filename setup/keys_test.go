package setup

import "testing"

// TestDescriptions: every key has a description, and it is a whole sentence
// where it is put together.
func TestDescriptions(t *testing.T) {
	about := map[string]string{}
	root().walk("", func(key string, f field) {
		about[key] = f.about
		if f.about == "" {
			t.Errorf("%s has no description", key)
		}
	})
	for key, want := range map[string]string{
		"senses.health.battery.warn":  "From here down it is worth telling, per cent left.",
		"senses.health.load.critical": "From here on it is urgent, per cent of one process a core.",
		"notify[].ntfy.token_env":     "The variable that holds the access token, where the server wants one.",
		"notify[].ntfy.token_file":    "A file whose first line is the access token, readable by you alone (0600).",
		"models.providers[].key_env":  "The variable that holds the key; without any key_… the vendor's own is looked up.",
		"models.providers[].key_file": "A file whose first line is the key, readable by you alone (0600).",
	} {
		if about[key] != want {
			t.Errorf("%s: %q, want %q", key, about[key], want)
		}
	}
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
