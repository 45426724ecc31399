package health

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestQuantities(t *testing.T) {
	for text, want := range map[string]float64{"85%": 85, " 99.5 % ": 99.5, "0%": 0, "250%": 250, "85": -1, "": -1, "%": -1, "-5%": -1, "1e9%": -1,
		"NaN%": -1, "Inf%": -1, "5.%": -1, "85%%": -1, "99999%": -1, "0x1%": -1} {
		var p Percent
		err := p.UnmarshalText([]byte(text))
		if (err != nil) != (want < 0) || err == nil && p.value != want {
			t.Errorf("%q is %v, error %v", text, p, err)
		}
		if err != nil && !strings.Contains(err.Error(), "such as 85%") {
			t.Errorf("%q: the error does not say how it is written: %v", text, err)
		}
	}
	for text, want := range map[string]float64{"85°C": 85, "70.5C": 70.5, "70 °C": 70, "85": -1, "185F": -1, "°C": -1} {
		var c Celsius
		err := c.UnmarshalText([]byte(text))
		if (err != nil) != (want < 0) || err == nil && c.value != want {
			t.Errorf("%q is %v, error %v", text, c, err)
		}
	}
	for _, p := range []Percent{Percent{85}, Percent{99.5}, Percent{0}} {
		text, err := p.MarshalText()
		var back Percent
		if err != nil || back.UnmarshalText(text) != nil || back != p {
			t.Errorf("%v is written %q and read as %v, error %v", p, text, back, err)
		}
	}
}

func TestConfigNamesTheKey(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Errorf("the default is not valid: %v", err)
	}
	for want, change := range map[string]func(*Config){
		"disk.warn: 0% is not":                 func(c *Config) { c.Disk.Warn = Percent{} },
		"disk.critical: 85% is not above":      func(c *Config) { c.Disk.Critical = Percent{85} },
		"disk.critical: 101% is more":          func(c *Config) { c.Disk.Critical = Percent{101} },
		"disk.paths[0]: \"work\" is not":       func(c *Config) { c.Disk.Paths = []string{"work"} },
		"disk.paths[1]: \"/var/\" is there tw": func(c *Config) { c.Disk.Paths = []string{"/var", "/var/"} },
		"disk.paths: 33 paths":                 func(c *Config) { c.Disk.Paths = make([]string, 33) },
		"inodes.warn":                          func(c *Config) { c.Inodes.Warn = Percent{120} },
		"memory.critical":                      func(c *Config) { c.Memory.Critical = Percent{1} },
		"swap.critical":                        func(c *Config) { c.Swap.Critical = Percent{1} },
		"load.critical":                        func(c *Config) { c.Load.Critical = Percent{1} },
		"temperature.critical: 80°C is not":    func(c *Config) { c.Temperature.Critical = Celsius{80} },
		"battery.critical: 30% is not below":   func(c *Config) { c.Battery.Critical = Percent{30} },
		"battery: warn (100%)":                 func(c *Config) { c.Battery.Warn = Percent{100} },
		"restarts.count: 1":                    func(c *Config) { c.Restarts.Count = 1 },
		"restarts.within: 5ns":                 func(c *Config) { c.Restarts.Within = 5 },
	} {
		c := DefaultConfig()
		change(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
		if _, err := New(c, Options{}); err == nil {
			t.Errorf("New takes a configuration without %q", want)
		}
	}
}

func TestFixtureReadsTheFileAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine.json")
	f := &Fixture{Path: path}
	for content, want := range map[string]string{
		`{"load":{"load15":1.5,"cores":2}}`:    "",
		`{"lode":{}}`:                          "unknown field",
		`{} {}`:                                "something follows",
		`[`:                                    "health reading",
		`{"disks":[{"path":"/","used":-1}]}`:   "health reading",
		`"` + strings.Repeat("x", 1<<20) + `"`: "larger than",
		`{"units":[{"name":"a","since":"noon"}]}`: "health reading",
	} {
		testutil.Write(t, path, content)
		reading, err := f.Read(context.Background())
		switch {
		case want == "" && (err != nil || reading.Load == nil || reading.Load.Cores != 2):
			t.Errorf("%v, error %v", reading, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%.40s: error %v, want %q in it", content, err, want)
		}
	}
}

func FuzzParseReading(f *testing.F) {
	f.Add([]byte(`{"disks":[{"path":"/","used":9,"available":1,"inodes_used":1,"inodes_total":2}],"units":[{"name":"a.service","status":"/x: No space left on device"}]}`))
	f.Add([]byte(`{"services":[{"name":"a","restarts":4294967295}],"battery":{"percent":1e308,"discharging":true},"clock":{"kept":true}}`))
	f.Add([]byte(`{"temperatures":[{"sensor":"","celsius":90,"limit":1e300}],"load":{"load15":-1e308,"cores":1},"failed":{"disks":"\u0000"}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		reading, err := ParseReading(content)
		if err != nil {
			return
		}
		s, err := New(DefaultConfig(), Options{Reader: &Fixture{Reading: reading}})
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
		first, err := s.Collect(t.Context(), at, nil)
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Collect(t.Context(), at.Add(5*time.Minute), first.Cursor)
		if err != nil {
			t.Fatal(err)
		}
		if second.Cursor != nil {
			t.Errorf("the cursor of an unchanged machine changes: %s, then %s", first.Cursor, second.Cursor)
		}
		if len(first.Degraded) > 500 {
			t.Errorf("degraded has %d bytes", len(first.Degraded))
		}
	})
}

func TestPowerSupplies(t *testing.T) {
	supply := func(fs fstest.MapFS, name string, words ...string) {
		for i := 0; i < len(words); i += 2 {
			fs[name+"/"+words[i]] = &fstest.MapFile{Data: []byte(words[i+1] + "\n")}
		}
	}
	laptop := fstest.MapFS{}
	supply(laptop, "AC", "type", "Mains", "online", "0")
	supply(laptop, "BAT0", "type", "Battery", "status", "Discharging", "capacity", "10", "present", "1")
	supply(laptop, "BAT1", "type", "Battery", "status", "Unknown", "capacity", "30")
	supply(laptop, "mouse", "type", "Battery", "status", "Discharging", "capacity", "1", "scope", "Device")
	supply(laptop, "BAT2", "type", "Battery", "status", "Discharging", "capacity", "strange")
	b, err := powerSupplies(laptop)
	if diff := cmp.Diff(&Battery{Percent: 20, Discharging: true}, b); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if b, err := powerSupplies(os.DirFS(t.TempDir() + "/none")); b != nil || err != nil {
		t.Errorf("without power supplies: %v, error %v", b, err)
	}
}

func TestPmset(t *testing.T) {
	for output, want := range map[string]*Battery{
		"Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1234)\t15%; discharging; 0:45 remaining present: true\n": {Percent: 15, Discharging: true},
		"Now drawing from 'AC Power'\n -InternalBattery-0 (id=1234)\t15%; charging; 2:45 remaining present: true\n":         {Percent: 15},
		"Now drawing from 'AC Power'\n -InternalBattery-0 (id=1234)\t80%; AC attached; not charging present: true\n":        {Percent: 80},
		"Now drawing from 'AC Power'\n": nil,
		"":                              nil,
	} {
		if diff := cmp.Diff(want, pmset(output)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", output, diff)
		}
	}
}
