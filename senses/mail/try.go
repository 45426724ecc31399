package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// Tried is what an account showed when it was signed in to.
type Tried struct {
	// Folders are the names of all, in the server's order.
	Folders []string
	// Watched are those that are looked at, with how many messages each has;
	// Missing those that are configured and not there, Refused says of what else
	// cannot be opened why.
	Watched          []TriedFolder
	Missing, Refused []string
	// Sent is the folder of what the person sent; its name is "" where it is not
	// looked at, or none is found. SentWanted: it is looked for.
	Sent       TriedFolder
	SentWanted bool
	// Idle and CondStore are whether the server has them.
	Idle, CondStore bool
}

// TriedFolder is a folder that was opened.
type TriedFolder struct {
	Name     string
	Messages uint32
}

// Try signs in to an account once, without a sense, and says what is there. It
// opens the folders for reading alone, reads no message, and signs out.
func Try(ctx context.Context, config Config, options Options) (Tried, error) {
	if err := config.Validate(); err != nil {
		return Tried{}, fmt.Errorf("mail: %w", err)
	}
	if err := options.validate(config); err != nil {
		return Tried{}, fmt.Errorf("mail %s: %w", config.ID, err)
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	config.fill()
	wait := false // nobody waits for news
	config.Idle = &wait
	opened, err := connect(config, options)
	if err != nil {
		return Tried{}, fmt.Errorf("mail %s: %w", config.ID, err)
	}
	// What was seen is all that matters; the connection ends either way.
	defer func() { _ = opened.Stop(ctx) }()
	var tried Tried
	err = opened.Do(ctx, func(session *account.Session) (err error) {
		tried, err = try(ctx, session, config)
		return err
	})
	return tried, err
}

// try looks at one session.
func try(ctx context.Context, session *account.Session, config Config) (Tried, error) {
	t := Tried{Idle: session.Has(imap.CapIdle), CondStore: session.Has(imap.CapCondStore), SentWanted: config.Sent != noSent}
	folders, err := session.Folders(ctx)
	if err != nil {
		return t, err
	}
	for _, f := range folders {
		t.Folders = append(t.Folders, f.Name)
	}
	for _, name := range config.Folders {
		found, err := openTried(ctx, session, name)
		switch {
		case ends(ctx, err):
			return t, err
		case err != nil:
			t.Refused = append(t.Refused, err.Error())
		case found.Name == "":
			t.Missing = append(t.Missing, name)
		default:
			t.Watched = append(t.Watched, found)
		}
	}
	if !t.SentWanted {
		return t, nil
	}
	name := config.Sent
	if name == "" {
		name = findSent(folders, config.Folders)
	}
	if name == "" {
		return t, nil
	}
	switch t.Sent, err = openTried(ctx, session, name); {
	case ends(ctx, err):
		return t, err
	case err != nil:
		t.Sent, t.Refused = TriedFolder{}, append(t.Refused, err.Error())
	case t.Sent.Name == "" && config.Sent != "":
		t.Missing = append(t.Missing, name)
	}
	return t, nil
}

// openTried opens one folder; without a name where it is not there.
func openTried(ctx context.Context, session *account.Session, name string) (TriedFolder, error) {
	opened, err := session.Examine(ctx, name)
	if errors.Is(err, account.ErrFolder) {
		return TriedFolder{}, nil
	}
	return TriedFolder{name, opened.Messages}, err
}
