package desktop

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/notify"
)

// source is all that osascript is told to do. What is shown comes as arguments,
// so that no title can become a part of it.
const source = `on run argv
	display notification (item 2 of argv) with title (item 1 of argv)
end run
`

// script shows notifications on macOS. They have no buttons there, and an app of
// its own would be needed to learn which one was tapped.
type script struct {
	program string
	now     func() time.Time
}

var _ notify.Notifier = (*script)(nil)

// Send runs the script once.
func (s *script) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return notify.Receipt{}, late(notify.Unavailable, err)
	}
	title, text := words(message)
	// "-" reads the script from the input, and ends the options: what follows
	// are arguments, whatever they begin with.
	command := exec.CommandContext(ctx, s.program, "-", title, text)
	command.Stdin = strings.NewReader(source)
	command.WaitDelay = time.Second
	err := command.Run()
	switch _, refused := errors.AsType[*exec.ExitError](err); {
	case err == nil:
		return notify.Receipt{At: s.now()}, nil
	case ctx.Err() != nil:
		return notify.Receipt{}, late(notify.Unknown, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrPermission):
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Err: err, Text: s.program + " cannot be run to show a notification",
			Next: "look whether it is there; it is a part of macOS"}
	case refused:
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unavailable, Err: err, Text: "macOS did not show the notification",
			Next: "run the daemon as an agent of your own login (subconsciousctl service install), and allow notifications of Script Editor in the settings"}
	default:
		return notify.Receipt{}, &notify.Error{Trouble: notify.Unknown, Err: err, Text: "nobody knows whether macOS showed the notification", Next: unsure}
	}
}

// late is a message whose time was over.
func late(trouble notify.Trouble, err error) *notify.Error {
	return &notify.Error{Trouble: trouble, Err: err, Text: "the desktop did not answer in time",
		Next: "log in to the desktop; if you are, restart its notifications"}
}
