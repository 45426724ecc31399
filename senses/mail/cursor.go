package mail

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/senses"
)

// cursorVersion changes when the rows mean something else.
const cursorVersion = 1

// cursor is what is committed beside the rows.
type cursor struct {
	Version int `json:"v"`
	// Account is which one the rows are of.
	Account string `json:"account"`
	// Run and Collect make each cursor another one, so that it says which collect
	// was committed.
	Run     string `json:"run"`
	Collect uint64 `json:"look"` // as it has always been stored

	// Serial is the last number that was given to a folder.
	Serial  uint32             `json:"serial"`
	Folders map[string]*folder `json:"folders"`
	// Left are those of them that are no longer in the configuration.
	Left senses.Left `json:"left,omitempty"`
	Sent *folder     `json:"sent,omitempty"`
	// SentName is the folder of what the person sent, as it was found.
	SentName string `json:"sent_name,omitempty"`
	// Person is the name that the person writes under.
	Person string `json:"person,omitempty"`
	// Learnt is the server that is believed of senders.
	Learnt learnt `json:"learnt,omitzero"`
	// ReadOn are the last days on which the person read a letter, the last one first.
	ReadOn [unreadDays]uint32 `json:"read_on,omitzero"`
	// Forgot: what was received before is no longer known, and passed over
	// wherever it turns up. Unix time.
	Forgot int64 `json:"forgot,omitempty"`

	// Suspect is the message at which reading broke off.
	Suspect *suspect `json:"suspect,omitempty"`
	// Unread is how many messages could not be read, the last one at UnreadAt.
	Unread   int   `json:"unread,omitempty"`
	UnreadAt int64 `json:"unread_at,omitempty"`
}

// folder is how far one folder was looked through.
type folder struct {
	Num      uint32 `json:"n"`
	Validity uint32 `json:"v"`
	// Next is the lowest UID that was not looked at.
	Next imap.UID `json:"next"`
	// Base is the first UID behind the first collect; 0 where that is over.
	Base imap.UID `json:"base,omitempty"`
	// Floor is when the oldest message of a first collect was received that left
	// older ones out; Cut says that it is about to be found. Unix time.
	Floor int64 `json:"floor,omitempty"`
	Cut   bool  `json:"cut,omitempty"`
	// ModSeq, Messages and UIDNext are the folder's when all that stands was
	// last seen in it.
	ModSeq   uint64   `json:"modseq,omitempty"`
	Messages uint32   `json:"messages,omitempty"`
	UIDNext  imap.UID `json:"uidnext,omitempty"`
}

// first reports whether the first collect of the folder goes on.
func (f *folder) first() bool { return f == nil || f.Base > f.Next }

// suspect is a message at which reading broke off.
type suspect struct {
	Num uint32   `json:"n"`
	UID imap.UID `json:"u"`
	// Blamed: it failed alone, and it is not yet seen whether the server answers
	// otherwise. Alone is how often it did in this collect, or in one that ran out of
	// time, and Tries in how many collects it failed often enough.
	Blamed bool `json:"blamed,omitempty"`
	Alone  int  `json:"alone,omitempty"`
	Tries  int  `json:"tries,omitempty"`
}

// clone returns a cursor that may be changed.
func (c *cursor) clone() *cursor {
	n := *c
	n.Folders = make(map[string]*folder, len(c.Folders))
	for name, f := range c.Folders {
		n.Folders[name] = new(*f)
	}
	if c.Sent != nil {
		n.Sent = new(*c.Sent)
	}
	if c.Suspect != nil {
		n.Suspect = new(*c.Suspect)
	}
	return &n
}

// same reports whether two cursors differ in nothing but which collect they are of.
func (c *cursor) same(other *cursor) bool {
	a, b := *c, *other
	a.Run, a.Collect, b.Run, b.Collect = "", 0, "", 0
	return reflect.DeepEqual(a, b)
}

// named returns the folder with that number, "" where there is none any more.
func (c *cursor) named(num uint32) string {
	if c.Sent != nil && c.Sent.Num == num {
		return c.SentName
	}
	for name, f := range c.Folders {
		if f.Num == num {
			return name
		}
	}
	return ""
}

// parseCursor reads a cursor of this account. Another one is as good as none.
func parseCursor(given []byte, account string) (*cursor, error) {
	fresh := &cursor{Version: cursorVersion, Account: account, Folders: map[string]*folder{}}
	if len(given) == 0 {
		return fresh, nil
	}
	var c cursor
	if err := json.Unmarshal(given, &c); err != nil {
		return fresh, fmt.Errorf("the cursor cannot be read: %w", err)
	}
	if c.Version != cursorVersion {
		return fresh, fmt.Errorf("the cursor has version %d, and %d is known here", c.Version, cursorVersion)
	}
	if c.Account != account {
		return fresh, nil
	}
	if c.Folders == nil {
		c.Folders = map[string]*folder{}
	}
	return &c, nil
}

func unix(t time.Time) int64 { return max(t.Unix(), 0) }
