package conversation_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
)

// What an earlier version stored is read on: nothing is told anew, and what was
// open ends by what is said now.
func TestStoredBefore(t *testing.T) {
	for source, kept := range map[string]struct{ cursor, key, row string }{
		"lines": {`{"v":1,"root":"ROOT","run":"a415c54693b720e3","look":2,"begun":true}`, "22dcef54be8e71fe10eae44c",
			`{"n":"roof.jsonl","m":1794819600000000000,"s":215,"o":215,"h":8795688519603029777,"t":8795688519603029777,"i":"y/y2A6EGirREOxPtJjVJIg==","p":[{"k":"1c0214d28183330fa80c","u":1894208400,"t":[2107606884]},{"k":"22493526ed133b44","q":true,"u":1796029215}]}`},
		"markdown": {`{"v":1,"root":"ROOT","run":"36f0ead1a3130366","look":2,"begun":true}`, "a89e8b6320da38f602f681ae",
			`{"n":"roof.md","m":1794819600000000000,"s":72,"o":72,"h":10001877496291031777,"t":10001877496291031777,"i":"coocE8X7c2z9hfGYHUtwXg==","p":[{"k":"1c0214d28183330fa80c","u":1894208400,"t":[2107606884]},{"k":"5e704b1d98f185fd","q":true,"u":1796029215}]}`},
		"log": {`{"v":1,"last":2,"begun":true}`, "roof",
			`[{"k":"1c0214d28183330fa80c","u":1894208400,"t":[2107606884]},{"k":"2","q":true,"u":1796029215}]`},
	} {
		w := newWorld(t, source)
		w.say("roof", "person", "I'll send the plan by 2030-01-02.")
		w.say("roof", "codex", "Shall I begin?")
		w.Keep(senses.Batch{Rows: []senses.Row{{Key: kept.key, Value: []byte(kept.row)}}})
		w.Cursor = []byte(strings.ReplaceAll(kept.cursor, "ROOT", w.dir))
		w.restart()
		if b := w.collect(); len(b.Changes)+len(b.Rows) > 0 || b.Starting {
			t.Errorf("%s: told anew: %s, %d rows", source, titles(b.Changes), len(b.Rows))
		}
		w.say("roof", "person", "Sent the plan.")
		gone := 0
		for _, o := range w.tick() {
			if o.Change == "gone" {
				gone++
			}
		}
		if gone != 2 {
			t.Errorf("%s: %d of the two that were open have ended", source, gone)
		}
	}
}
