package message

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// check holds a message against what is promised of every message.
func check(t *testing.T, m Message) {
	t.Helper()
	if m.ID == "" && m.Text != "" {
		t.Error("no ID")
	}
	oneLine := map[string]string{"ID": m.ID, "subject": m.Subject, "list": m.List}
	for i, a := range slices.Concat([]Address{m.From, m.Sender}, m.ReplyTo, m.To, m.Cc) {
		oneLine["name "+itoa(i)], oneLine["address "+itoa(i)] = a.Name, a.Addr
		if len(a.Name) > maxName || len(a.Addr) > maxAddress || a.Addr != strings.ToLower(a.Addr) {
			t.Errorf("address %q", a)
		}
	}
	for i, id := range slices.Concat(m.InReplyTo, m.References) {
		oneLine["identity "+itoa(i)] = id
		if id == "" || len(id) > maxIdentity || identity("<"+id+">") != id {
			t.Errorf("identity %q", id)
		}
	}
	for i, name := range m.Attachments {
		oneLine["attachment "+itoa(i)] = name
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
