package api

import "testing"

func TestShortVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v0.1.0": "v0.1.0", "(devel)": "(devel)", "v1.2.3-rc.1": "v1.2.3-rc.1",
		"v0.0.0-20261122141516-bef71ba0c1d2":              "devel 2026-11-22 bef71ba",
		"v0.0.0-20261122141516-bef71ba0c1d2+dirty":        "devel 2026-11-22 bef71ba+dirty",
		"v0.2.1-0.20261122141516-bef71ba0c1d2":            "devel 2026-11-22 bef71ba",
		"v0.2.1-rc.1.0.20261122141516-bef71ba0c1d2+dirty": "devel 2026-11-22 bef71ba+dirty",
	} {
		if got := shortVersion(version); got != want {
			t.Errorf("%s becomes %q, want %q", version, got, want)
		}
	}
}
