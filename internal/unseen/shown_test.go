package unseen_test

import (
	"encoding/json"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/internal/unseen"
)

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext – ünïcödé 日本 👍": "plain\n\ttext – ünïcödé 日本 👍",
		"\x1b[2Jgone\r\a\x7f":          `\u001b[2Jgone\u000d\u0007\u007f`,
		"\u009b31m\u202egnorw\u200b":   `\u009b31m\u202egnorw\u200b`,
		"\x9b31m":                      "\ufffd31m",
		"\U000e0041tag":                `\udb40\udc41tag`,
		"\x1b[1mbold\x1b[8mhidden":     "\x1b[1mbold" + `\u001b[8mhidden`,
	} {
		if got := unseen.Shown(text, "\x1b[1m"); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
		encoded := testutil.JSON(t, text)
		var before, after string
		if err := json.Unmarshal([]byte(unseen.Shown(string(encoded))), &after); err != nil || json.Unmarshal(encoded, &before) != nil || after != before {
			t.Errorf("%q is %q in JSON, %v", text, after, err)
		}
	}
}
