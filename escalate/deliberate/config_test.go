package deliberate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/deliberate"
)

func TestConfig(t *testing.T) {
	if err := deliberate.DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*deliberate.Config){
		"rounds: is 0, must be 1 to 8":                  func(c *deliberate.Config) { c.Rounds = 0 },
		"rounds: is 9, must be 1 to 8":                  func(c *deliberate.Config) { c.Rounds = 9 },
		"deadline: is 29s, must be 30s to 15m":          func(c *deliberate.Config) { c.Deadline = 29 * time.Second },
		"deadline: is 15m1s, must be 30s to 15m":        func(c *deliberate.Config) { c.Deadline = 901 * time.Second },
		"critical_deadline: is 4s, must be 5s to 3m":    func(c *deliberate.Config) { c.CriticalDeadline = 4 * time.Second },
		"critical_deadline: is 3m1s, must be 5s to 3m":  func(c *deliberate.Config) { c.CriticalDeadline = 181 * time.Second },
		"max_cost: is -1, must be 0 to 100 dollars":     func(c *deliberate.Config) { c.MaxCost = -1 },
		"max_cost: is NaN, must be 0 to 100 dollars":    func(c *deliberate.Config) { c.MaxCost = math.NaN() },
		"max_cost: is 100.01, must be 0 to 100 dollars": func(c *deliberate.Config) { c.MaxCost = 100.01 },
	} {
		config := deliberate.DefaultConfig()
		spoil(&config)
		if err := config.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := (deliberate.Config{MaxCost: -1}).Validate(); strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("four settings cannot be used: %v", err)
	}
}
