package message

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"
)

// TestDamaged: messages with pieces taken out, doubled and put in keep what is
// promised, and give the same twice.
func TestDamaged(t *testing.T) {
	var whole [][]byte
	for _, path := range goldens(t) {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, crlf(archive.Files[0].Data))
	}
	pieces := []string{"\x00", "\r", "\n", "\r\n\r\n", "\xff", "\u202e", "=?utf-8?q?", "?=", "--b", "--b--", "<", ">", "\"", "(", "<div style='display:none'>", "</div>", "<blockquote>",
		"> ", "-- ", "\nOn 1 May a@example.org wrote:\n", "\nFrom: x\nSent: y\nTo: z\n", "Content-Type: multipart/mixed; boundary=b\r\n", "Content-Transfer-Encoding: base64\r\n", "charset=utf-16", "begin 644 x\n"}
	rapid.Check(t, func(r *rapid.T) {
		raw := slices.Clone(rapid.SampledFrom(whole).Draw(r, "message"))
		for range rapid.IntRange(1, 6).Draw(r, "damages") {
			from := rapid.IntRange(0, len(raw)).Draw(r, "from")
			to := min(len(raw), from+rapid.IntRange(0, 200).Draw(r, "length"))
			switch rapid.IntRange(0, 2).Draw(r, "damage") {
			case 0:
				raw = slices.Delete(raw, from, to)
			case 1:
				raw = slices.Insert(raw, to, slices.Clone(raw[from:to])...)
			case 2:
				raw = slices.Insert(raw, from, []byte(rapid.SampledFrom(pieces).Draw(r, "piece"))...)
			}
		}
		m, err := Parse(raw)
		if err != nil {
			return
		}
		check(t, m)
		if again, err := Parse(raw); err != nil || !reflect.DeepEqual(m, again) || t.Failed() {
			r.Fatalf("of %q: another result the second time, or out of bounds: %v", raw, err)
		}
	})
}

// check holds a message against what is promised of every message.
func check(t *testing.T, m Message) {
	t.Helper()
	if m.ID == "" && m.Text != "" {
		t.Error("no ID")
	}
	oneLine := map[string]string{"ID": m.ID, "subject": m.Subject, "list": m.List}
	for i, a := range slices.Concat([]Address{m.From, m.Sender}, m.ReplyTo, m.To, m.Cc) {
		oneLine["name "+strconv.Itoa(i)], oneLine["address "+strconv.Itoa(i)] = a.Name, a.Addr
		if len(a.Name) > maxName || len(a.Addr) > maxAddress || a.Addr != strings.ToLower(a.Addr) {
			t.Errorf("address %q", a)
		}
	}
	for i, id := range slices.Concat(m.InReplyTo, m.References) {
		oneLine["identity "+strconv.Itoa(i)] = id
		if id == "" || len(id) > maxIdentity || identity("<"+id+">") != id {
			t.Errorf("identity %q", id)
		}
	}
	for i, name := range m.Attachments {
		oneLine["attachment "+strconv.Itoa(i)] = name
		if len(name) > maxName {
			t.Errorf("attachment %q", name)
		}
	}
	if m.Invitation != nil {
		oneLine["uid"], oneLine["method"] = m.Invitation.UID, m.Invitation.Method
	}
	for name, value := range oneLine {
		if strings.ContainsAny(value, "\n\t") {
			t.Errorf("%s %q is not one line", name, value)
		}
		checkText(t, name, value)
	}
	checkText(t, "text", m.Text)
	checkText(t, "fresh", m.Fresh)
	if len(m.ID) > maxIdentity || len(m.Subject) > maxSubject || len(m.List) > maxName || len(m.Text) > maxText || len(m.Fresh) > len(m.Text) ||
		len(m.To) > maxTo || len(m.Cc) > maxTo || len(m.ReplyTo) > maxTo || len(m.References) > maxThread || len(m.InReplyTo) > maxThread || len(m.Attachments) > maxFiles || len(m.Cut) > 20 {
		t.Errorf("out of bounds: %d bytes of ID, %d of subject, %d of text, %d of fresh, %d recipients", len(m.ID), len(m.Subject), len(m.Text), len(m.Fresh), len(m.To))
	}
	checkFresh(t, m.Text, m.Fresh)
}

// checkText: valid UTF-8, no control characters but newline and tab, nothing that
// is not seen.
func checkText(t *testing.T, name, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is no valid UTF-8: %.200q", name, text)
	}
	for _, r := range text {
		if dropped(r) {
			t.Errorf("%s has %U", name, r)
			return
		}
	}
}

// checkFresh: the lines of what is fresh are lines of the text, in its order.
func checkFresh(t *testing.T, text, fresh string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for l := range strings.SplitSeq(fresh, "\n") {
		if l == "" {
			continue
		}
		i := slices.Index(lines, l)
		if i < 0 {
			t.Errorf("the line %q is not in the text, or not in its order", l)
			return
		}
		lines = lines[i+1:]
	}
}
