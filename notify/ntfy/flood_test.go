package ntfy_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
)

// TestButtonAmongJunk: who found the reply topic holds no button back. What has
// the length of no token costs next to nothing, and signatures are read at 1,000
// a second. The clock is the bubble's: it shows the waits alone.
func TestButtonAmongJunk(t *testing.T) {
	for _, c := range []struct {
		junk, length int
		within       time.Duration
	}{
		{1500, 20, time.Second},
		{1500, 88, 2 * time.Second},
		{100_000, 20, 2 * time.Second},
		{100_000, 88, 101 * time.Second},
	} {
		t.Run(fmt.Sprintf("%d of %d", c.junk, c.length), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				button := strings.Repeat("b", notify.TokenLength)
				lines := []string{opened}
				for n := range c.junk {
					lines = append(lines, line("message", fmt.Sprintf("junk%08d", n), fmt.Sprintf("%0*d", c.length, n)))
				}
				lines = append(lines, line("message", "button000000", button))
				var s scene
				s.serve(t, ntfy.Config{}, func(int, *http.Request) (int, streaming) { return 200, holds(lines...) })
				s.play(t, c.within)
				if !slices.Contains(s.tokens, button) {
					t.Errorf("the button is not there after %s", c.within)
				}
				if c.length != notify.TokenLength {
					return
				}
				var twin scene
				twin.serve(t, ntfy.Config{}, func(int, *http.Request) (int, streaming) { return 200, holds(lines...) })
				ntfy.Slowly(twin.client)
				twin.play(t, c.within)
				if slices.Contains(twin.tokens, button) {
					t.Error("read slowly, it is there as well: the test is for nothing")
				}
			})
		})
	}
}
