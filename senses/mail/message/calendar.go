package message

import "strings"

// calendar reads the method and the first UID of a calendar part. The first part
// that has a UID counts.
func (b *body) calendar(p *part) {
	if b.invitation != nil {
		return
	}
	found := Invitation{Method: p.method}
	// A line that begins with a space goes on with the one before it.
	text := strings.NewReplacer("\n ", "", "\n\t", "").Replace(strings.ReplaceAll(toUTF8(p.decoded(), p.charset), "\r\n", "\n"))
	event := false
	for text != "" && found.UID == "" {
		var l string
		l, text = cutLine(text)
		key, value, _ := strings.Cut(l, ":")
		key, _, _ = strings.Cut(key, ";")
		switch strings.ToUpper(key) {
		case "METHOD":
			found.Method = strings.ToLower(value)
		case "BEGIN":
			event = event || strings.EqualFold(strings.TrimSpace(value), "VEVENT")
		case "UID":
			if event {
				found.UID = line(value, maxIdentity)
			}
		}
	}
	if found.UID == "" {
		return
	}
	found.Method = line(found.Method, 20)
	b.invitation = &found
}
