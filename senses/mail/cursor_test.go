package mail

import (
	"encoding/json"
	"testing"
)

// A cursor that an earlier version stored is read as it was: one whose collects
// cannot be told forgets the whole account.
func TestStoredCursor(t *testing.T) {
	var c cursor
	const stored = `{"v":1,"account":"a","run":"r","look":7,"serial":2,"folders":{"INBOX":{"n":1,"v":2,"next":9,"base":3,"floor":4,"cut":true,"modseq":5,"messages":6,"uidnext":9}},"sent_name":"Sent","person":"Sam","forgot":8,"unread":1,"unread_at":2}`
	if err := json.Unmarshal([]byte(stored), &c); err != nil || c.Collect != 7 {
		t.Fatalf("%+v, %v", c, err)
	}
	if again, err := json.Marshal(c); err != nil || string(again) != stored {
		t.Errorf("%s, %v", again, err)
	}
}
