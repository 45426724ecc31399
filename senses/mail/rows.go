package mail

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/emersion/go-imap/v2"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The rows of an account in the ledger. A HASH is the first 64 bits of the
// SHA-256 of an identity ("mid:…") or an address, in hexadecimal; its first 50
// bits are the reference of the observation.
//
//	m/HASH  a message that was looked at and is not older than the look-back:
//	        of which thread, when received, and in which folders. About 50
//	        bytes each; at most maxKnown.
//	o/HASH  an observation that stands, by its ID, with all reported of it; at
//	        most maxOpen, of them maxLetters that merely are unread, and as many
//	        that strangers ask.
//	s/HASH  a message that the person sent in the last year: when, and whether
//	        it asked something; at most maxSent.
//	r/HASH  a message that they answered in the last 60 days.
//	c/HASH  an address that they wrote to in the last year, or "@" and a domain
//	        where not anybody has an address, and how often; at most
//	        maxCorrespondents.
//
// What is over is deleted in steps, pruneStep rows a tick.
const (
	maxKnown          = 150_000
	maxOpen           = 2_000
	maxLetters        = 300
	maxSent           = 50_000
	maxAnswered       = 20_000
	maxCorrespondents = 20_000
	pruneStep         = 1_000
	pruneEvery        = time.Hour
)

// hash stands for an identity or an address.
type hash uint64

func hashOf(text string) hash {
	sum := sha256.Sum256([]byte(text))
	return hash(binary.BigEndian.Uint64(sum[:8]))
}

func (h hash) key() string { return fmt.Sprintf("%016x", uint64(h)) }

func parseHash(key string) (hash, bool) {
	n, err := strconv.ParseUint(key, 16, 64)
	return hash(n), err == nil && len(key) == 16
}

// place is a message in a folder: the folder's number, which is another one
// after its UIDs were given anew.
type place struct {
	Num uint32   `json:"n"`
	UID imap.UID `json:"u"`
}

// known is a message that was looked at. It is stored as it stands, as are sent and
// correspondent.
type known struct {
	// Check tells apart messages of one Message-ID: a hash of sender and date.
	Check    uint32
	Thread   hash
	Received uint32 // Unix time
	// Places are the last two that it was seen in.
	Places [2]place
}

// in adds a place; of more than two the last ones are kept.
func (k known) in(p place) known {
	if k.Places[0] != p && k.Places[1] != p {
		k.Places = [2]place{p, k.Places[0]}
	}
	return k
}

// filed is a copy of a message, and whether it was read when it was last seen.
type filed struct {
	place
	Seen bool `json:"s,omitempty"`
}

// item is an observation that stands.
type item struct {
	Observation subconscious.Observation `json:"o"`
	// Of and Thread are the message and its thread.
	Of     hash `json:"m"`
	Thread hash `json:"t"`
	// Received is when the server took the message in.
	Received time.Time `json:"r"`
	// Copies are where it lies, for what stands only as long as it lies there. The
	// first says whether it was read.
	Copies []filed `json:"p,omitempty"`
	// Sent: it stands for what the person wrote, wherever that lies.
	Sent bool `json:"s,omitempty"`
}

// sent is a message of the person's.
type sent struct {
	// When is twice the days since 1970, and one more where it asked something.
	When   uint32
	Thread hash
	Place  place
}

func (s sent) day() uint32 { return s.When >> 1 }
func (s sent) asked() bool { return s.When&1 == 1 }

// correspondent is somebody whom the person wrote to.
type correspondent struct {
	Last uint32 // the day
	// Quarters are the last five in which they did, the newest first.
	Quarters [5]quarter
}

type quarter struct{ Number, Count uint32 }

// encode writes a row: what stands as JSON, all else as its numbers in their order.
func encode(row any) []byte {
	if o, ok := row.(item); ok {
		b, _ := json.Marshal(o) // which times beyond the year 9999 alone fail, and none is kept
		return b
	}
	b, _ := binary.Append(nil, binary.BigEndian, row) // of a fixed size, which cannot fail
	return b
}

// decode reads a row into what row points to, and reports whether it could.
func decode(b []byte, row any) bool {
	if o, ok := row.(*item); ok {
		return json.Unmarshal(b, o) == nil && o.Observation.ID != ""
	}
	_, err := binary.Decode(b, binary.BigEndian, row)
	return err == nil
}

// dayOf returns the days since 1970.
func dayOf(t time.Time) uint32 { return uint32(max(t.Unix(), 0) / 86400) }
