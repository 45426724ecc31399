package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
)

const (
	// maxFolders bounds the folders that are listed.
	maxFolders = 10_000
	// folderBytes is what the line of a folder may take on average.
	folderBytes = 256
	// shownFolders is how many an error names.
	shownFolders = 20
)

// Session is a connection that is signed in, for the time of one Do. It is for
// one goroutine.
type Session struct {
	account *Account
	conn    *connection // nil when Do has ended
}

// errOver is returned of a session whose Do has ended.
var errOver = errors.New("the session is over: it is for the time of one Do")

// command runs a command and says of an error what was being done.
func (s *Session) command(ctx context.Context, doing string, a allowance, run func() error) error {
	if s.conn == nil {
		return errOver
	}
	if err := s.conn.command(ctx, a, run); err != nil {
		return fmt.Errorf("%s: %s: %w", s.account.options.Host, doing, err)
	}
	return nil
}

// Has reports whether the server says, behind the sign-in, that it can do
// something: imap.CapIdle, imap.CapCondStore.
func (s *Session) Has(what imap.Cap) bool { return s.conn != nil && s.conn.caps.Has(what) }

// Folders lists the folders of the account with their special uses, at most
// maxFolders of them, in the server's order.
func (s *Session) Folders(ctx context.Context) ([]Folder, error) {
	var folders []Folder
	err := s.command(ctx, "listing the folders", allowance{bytes: maxFolders * folderBytes}, func() error {
		var options *imap.ListOptions
		if s.conn.caps.Has(imap.CapSpecialUse) && s.conn.caps.Has(imap.CapListExtended) {
			options = &imap.ListOptions{ReturnSpecialUse: true}
		}
		list := s.conn.client.List("", "*", options)
		for item := list.Next(); item != nil; item = list.Next() {
			if len(folders) < maxFolders {
				name, ok := folderName(item.Mailbox)
				folders = append(folders, Folder{Name: name, Broken: !ok, Attrs: item.Attrs})
			}
		}
		return list.Close()
	})
	return folders, err
}

// Examine opens a folder for reading alone; what is asked afterwards is asked of
// it. Where there is no such folder the error is an ErrFolder and names those
// that there are; what else the server refuses is said of this folder alone.
// UIDValidity is 0 where the server has no lasting UIDs there.
func (s *Session) Examine(ctx context.Context, name string) (Opened, error) {
	if s.conn == nil {
		return Opened{}, errOver
	}
	opened, err := s.conn.examine(ctx, name)
	if err == nil {
		if strings.EqualFold(name, s.account.options.IdleFolder) {
			s.account.seen = opened
		}
		return opened, nil
	}
	err = fmt.Errorf("%s: opening the folder %q: %w", s.account.options.Host, name, err)
	var answer *answerError
	if !errors.As(err, &answer) {
		return Opened{}, err
	}
	return Opened{}, s.explainFolder(ctx, name, err)
}

// explainFolder says of a folder that cannot be opened which ones there are.
func (s *Session) explainFolder(ctx context.Context, name string, err error) error {
	folders, listErr := s.Folders(ctx)
	if listErr != nil {
		return err
	}
	var names []string
	for _, f := range folders {
		if f.Name == name && f.Broken {
			return fmt.Errorf("%w; its name is not written as names of folders are (modified UTF-7), so that no program can ask for it: rename it on the server", err)
		}
		if f.Name == name && !f.has(imap.MailboxAttrNoSelect) && !f.has(imap.MailboxAttrNonExistent) {
			return err // it is there, and refused for another reason
		}
		if len(names) < shownFolders {
			names = append(names, words(f.Name))
		}
	}
	there := cmp.Or(strings.Join(names, ", "), "none")
	if more := len(folders) - len(names); more > 0 {
		there += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("%w: %w; there are: %s", ErrFolder, err, there)
}

func (f Folder) has(attr imap.MailboxAttr) bool {
	return slices.ContainsFunc(f.Attrs, func(a imap.MailboxAttr) bool { return strings.EqualFold(string(a), string(attr)) })
}

// examine opens a folder for reading.
func (c *connection) examine(ctx context.Context, name string) (Opened, error) {
	c.opened = Opened{}
	var opened *imap.SelectData
	err := c.command(ctx, allowance{}, func() (err error) {
		opened, err = c.client.Select(name, &imap.SelectOptions{
			ReadOnly: true, CondStore: c.caps.Has(imap.CapCondStore),
		}).Wait()
		return err
	})
	if err != nil {
		return Opened{}, err
	}
	c.opened = Opened{
		Name: name, UIDValidity: opened.UIDValidity, UIDNext: opened.UIDNext,
		Messages: opened.NumMessages, ModSeq: opened.HighestModSeq,
	}
	return c.opened, nil
}
