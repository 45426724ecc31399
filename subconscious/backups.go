package subconscious

import "time"

// Backups are those that are made by themselves.
type Backups struct {
	// Made is the file that was made last, "" for none, and SHA256 what it holds.
	Made   string `json:"made"`
	SHA256 string `json:"sha256"`
	// Checked is when one was checked last, zero for never, and File which.
	Checked time.Time `json:"checked,omitzero"`
	File    string    `json:"file"`
	// Restored: it was restored aside, and is whole; false where it is encrypted and its
	// key is not here: then it is as it was made.
	Restored bool   `json:"restored"`
	Error    string `json:"error,omitempty"` // what is wrong with it
	Next     string `json:"next,omitempty"`  // what to do about Error
}
