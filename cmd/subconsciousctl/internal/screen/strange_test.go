package screen_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/cmd/subconsciousctl/internal/screen"
)

// What strangers write to a reply topic is said, and what helps: in the list at
// once, on the one screen where it cannot be a button that was pressed twice.
func TestStrangeAnswers(t *testing.T) {
	at := time.Date(2026, 3, 14, 14, 5, 0, 0, time.UTC)
	for strange, onScreen := range map[int]bool{0: false, 1: false, 1500: true} {
		phone := api.ChannelStatus{ID: "phone", State: "ok", Answers: true, Refused: strange, RefusedSince: at.Add(-time.Hour)}
		view := screen.View{Width: 200, At: at}
		status := screen.Draw(view, "Status", api.Status{Channels: []api.ChannelStatus{phone}})
		list := screen.Draw(view, "Channels", []api.ChannelStatus{phone})
		const renew = "subconsciousctl notify renew phone"
		if strings.Contains(status, renew) != onScreen || strings.Contains(status, "well: phone") == onScreen || strings.Contains(list, renew) != (strange > 0) {
			t.Errorf("%d: %s\n%s", strange, status, list)
		}
	}
}
