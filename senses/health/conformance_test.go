package health_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/health"
	"github.com/subconsciousd/subconsciousd/senses/sensetest"
)

// TestConformance runs the suite of all senses over a machine in a file whose
// units fail and recover. Collect follows collect every five minutes.
func TestConformance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine.json")
	exitCodes := map[int]int{}
	write := func(t testing.TB) {
		reading := health.Reading{Memory: &health.Memory{Total: 16 * gb, Available: 8 * gb}}
		for n := range 8 {
			if code := exitCodes[n]; code != 0 {
				reading.Units = append(reading.Units, health.Unit{Name: fmt.Sprintf("sample%d.service", n), Result: "exit-code", ExitCode: code})
			}
		}
		content, err := json.Marshal(reading)
		if err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t)
	at := start
	sensetest.Run(t, sensetest.Harness{
		Open: func(t testing.TB) senses.Sense {
			sense, err := health.New(health.DefaultConfig(), health.Options{Reader: &health.Fixture{Path: path}})
			if err != nil {
				t.Fatal(err)
			}
			return sense
		},
		Add:    func(t testing.TB, n int) { exitCodes[n] = 1; write(t) },
		Change: func(t testing.TB, n int) { exitCodes[n]++; write(t) },
		Remove: func(t testing.TB, n int) { delete(exitCodes, n); write(t) },
		Break: func(t testing.TB) {
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
		},
		Mend: func(t testing.TB) {
			if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
		},
		Now: func() time.Time { at = at.Add(5 * time.Minute); return at },
	})
}
