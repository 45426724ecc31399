package account

import (
	"context"
	"net"
	"testing"
	"time"
)

// TestAContextThatHasEndedEndsNothingLater: once a turn is over, its context ends
// nothing more, in the turn of somebody else.
func TestAContextThatHasEndedEndsNothingLater(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 1000 {
		conn, server := net.Pipe()
		g := newGuard(conn, conn, time.Minute)
		g.under(ended)()
		if g.reason() == nil {
			t.Fatal("the turn is over, and the connection is still to end")
		}
		_ = server.Close() // a pipe, which cannot fail
	}
}
