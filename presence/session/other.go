//go:build !linux

package session

import (
	"context"
	"errors"

	"github.com/subconsciousd/subconsciousd/presence"
)

// ask finds nobody to ask.
func (*Reader) ask(context.Context) (presence.Session, error) {
	return presence.Session{}, errors.New("this system says nothing of sessions")
}
