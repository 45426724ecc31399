package message

import "strings"

// calendar reads the method and the first UID of a calendar part. The first part
// that has a UID counts.
func (b *body) calendar(p *part) {
	if b.invitation != nil {
		return
	}
	found := Invitation{Method: p.method}
	text := toUTF8(p.decoded(), p.charset)
	text = strings.ReplaceAll(text, "\r\n", "\n")
	event := false
	for text != "" && found.UID == "" {
		var l string
		l, text = cutLine(text)
		key, value, _ := strings.Cut(l, ":")
		key, _, _ = strings.Cut(key, ";")
		value, text = unfoldCalendar(value, text)
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

// unfoldCalendar joins the lines that continue a value.
func unfoldCalendar(value, rest string) (string, string) {
	if rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return value, rest
	}
	var b strings.Builder
	b.WriteString(value)
	for rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
		var more string
		more, rest = cutLine(rest)
		if b.Len() < maxValue {
			b.WriteString(more[1:])
		}
	}
	return b.String(), rest
}
