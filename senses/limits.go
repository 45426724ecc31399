package senses

import "time"

// What one sense instance may bring, and what is kept. Whatever is beyond is
// cut or refused, counted, and said in the health of the sense.
const (
	MaxChanges    = 10_000 // explicit changes in one batch
	MaxStanding   = 50_000 // standing observations of one instance
	MaxIDBytes    = 512
	MaxKindBytes  = 64
	MaxTitleBytes = 200
	maxSaidBytes  = 400 // what is wrong with a sense, and what to do about it
	MaxTextBytes  = 4 << 10
	MaxClassBytes = 256 // a fingerprint
	MaxAttrs      = 40
	MaxAttrBytes  = 256 // a value; a name has at most MaxKindBytes
	MaxLinks      = 16
	MaxLinkBytes  = 256
	MaxCursor     = 4 << 20
	MaxRows       = 1_000_000 // row changes in one batch
	MaxRowKey     = 8 << 10
	MaxRowValue   = 64 << 10
)

const (
	// MaxPending is how many observations wait for one thread.
	MaxPending = 200
	// MaxOccurrences is how many changes of one observation are remembered.
	MaxOccurrences = 8
	// maxThreads is how many threads the ledger can keep apart: a bit for each.
	maxThreads = 64

	// textKept is how long the text of a change can be read back, and how long
	// the history of an observation is kept that no longer stands.
	textKept = 30 * 24 * time.Hour
	// maxPast bounds the observations that are remembered and do not stand.
	maxPast = 20_000
	// maxChangesKept bounds the changes that can be read back.
	maxChangesKept = 100_000
	// blindKept is how long blind periods are remembered.
	blindKept = 366 * 24 * time.Hour
	// pruneStep is how many rows one tick deletes beyond those it added, and
	// pruneEvery how overdue the oldest must be, so that pruning is one write
	// an hour and not one a tick.
	pruneStep  = 500
	pruneEvery = time.Hour
)
