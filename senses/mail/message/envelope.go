package message

import (
	"cmp"
	"net/mail"
	"strings"
	"time"
)

// readEnvelope reads what the header says of who wrote what to whom. Of fields
// that should stand once and stand twice the first usable one counts.
func (m *Message) readEnvelope(h header, notes *cuts) {
	for _, value := range h.all("message-id") {
		if m.ID = identity(value); m.ID != "" {
			break
		}
	}
	if m.ID == "" {
		m.ID, m.Made = madeIdentity(h), true
	}
	m.InReplyTo = identities(h.all("in-reply-to"))
	m.References = identities(h.all("references"))
	m.From = first(h, "from", notes)
	m.Sender = first(h, "sender", notes)
	m.ReplyTo = addresses(h.all("reply-to"), notes)
	m.To = addresses(h.all("to"), notes)
	m.Cc = addresses(h.all("cc"), notes)
	m.Subject = line(decodeWords(h.get("subject")), maxSubject)
	for _, value := range h.all("date") {
		if m.Date = readDate(value); !m.Date.IsZero() {
			break
		}
	}
}

// first returns the first address of the first field of that name that has one.
func first(h header, name string, notes *cuts) Address {
	return append(addresses(h.all(name), notes), Address{})[0]
}

// addresses reads the addresses of fields, at most maxTo.
func addresses(values []string, notes *cuts) []Address {
	var found []Address
	for _, value := range values {
		for value != "" {
			var item string
			item, value = cutAddress(value)
			a, ok := readAddress(item)
			if !ok {
				continue
			}
			if len(found) == maxTo {
				notes.note("addresses beyond the first %d of a field", maxTo)
				return found
			}
			found = append(found, a)
		}
	}
	return found
}

// cutAddress returns the first item of a list of addresses, and what follows.
// Commas within quotes, comments and brackets do not part items, nor does one in a
// name ("Mason, Sam <sam@example.org>"); the name of a group ("friends:
// a@example.org, b@example.org;") is left away.
func cutAddress(value string) (item, rest string) {
	quoted, comment, angle, start := false, 0, false, 0
	address := false // the item has one by now
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && (quoted || comment > 0):
			i++
		case c == '"' && comment == 0:
			quoted = !quoted && strings.IndexByte(value[i+1:], '"') >= 0
		case quoted:
		case c == '(' && strings.IndexByte(value[i+1:], ')') >= 0:
			comment++
		case c == ')' && comment > 0:
			comment--
		case comment > 0:
		case c == '<' && strings.IndexByte(value[i+1:], '>') >= 0:
			angle = true
		case c == '>':
			angle, address = false, true
		case angle:
		case c == '@':
			address = true
		case c == ':':
			start, address = i+1, false
		case c == ';' || c == ',' && (address || strings.TrimSpace(value[start:i]) == ""):
			return value[start:i], value[i+1:]
		}
	}
	return value[start:], ""
}

// readAddress reads "Name <address>", "address (Name)" or "address".
func readAddress(item string) (Address, bool) {
	item, comment := uncomment(item)
	name, address := "", item[strings.LastIndexByte(item, ',')+1:]
	if open := strings.LastIndexByte(item, '<'); open >= 0 {
		name = strings.TrimSpace(item[:open])
		address, _, _ = strings.Cut(item[open+1:], ">")
	}
	address = strings.ToLower(strings.Trim(toUTF8(address, ""), " \t\"'"))
	if len(address) > maxAddress || strings.ContainsFunc(address, foreignToAddress) {
		address = ""
	}
	if at := strings.LastIndexByte(address, '@'); at <= 0 || at == len(address)-1 {
		address = ""
	}
	return Address{Name: personName(cmp.Or(name, comment)), Addr: strings.Clone(address)}, address != ""
}

// uncomment takes the comments out of a value (RFC 5322, 3.2.2), which may nest,
// and returns the words of the last one. What is quoted or encoded is none, nor
// what is not closed.
func uncomment(value string) (plain, comment string) {
	var out, said strings.Builder
	depth, open, quoted := 0, 0, false
	for i := 0; i < len(value); i++ {
		size := 1
		if value[i] == '\\' && (quoted || depth > 0) {
			size = min(2, len(value)-i)
		} else if depth == 0 {
			if word, ok := readWord(value[i:]); ok {
				size = word.length
			}
		}
		c := value[i : i+size]
		i += size - 1
		switch {
		case depth == 0 && c == `"`:
			quoted = !quoted
		case !quoted && c == "(":
			if depth++; depth == 1 {
				open = i
				said.Reset()
				continue
			}
		case depth > 0 && c == ")":
			if depth--; depth == 0 {
				continue
			}
		}
		if depth == 0 {
			out.WriteString(c)
		} else {
			said.WriteString(c[size/2:])
		}
	}
	if depth > 0 {
		return out.String() + value[open:], ""
	}
	return out.String(), strings.TrimSpace(said.String())
}

func foreignToAddress(r rune) bool {
	return r <= ' ' || r == '<' || r == '>' || r == ',' || r == 0x7f || dropped(r) || r == '\uFFFD'
}

// personName decodes the name that stands beside an address.
func personName(name string) string {
	name = line(decodeWords(unquoteName(name)), maxName)
	// Some programs quote what they encode, and then quote it again.
	if n := len(name); n > 1 && (name[0] == '"' && name[n-1] == '"' || name[0] == '\'' && name[n-1] == '\'') {
		name = strings.TrimSpace(name[1 : n-1])
	}
	return name
}

func unquoteName(name string) string {
	name = strings.TrimSpace(name)
	if len(name) > 1 && name[0] == '"' {
		name = strings.TrimSuffix(name[1:], `"`)
		name = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(name)
	}
	return name
}

// looseDates are forms of dates that are met though no standard knows them.
var looseDates = [...]string{
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05", "2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05",
	"Mon, 2 Jan 2006 15:04 -0700", "Mon Jan 2 15:04:05 2006", "Mon Jan 2 15:04:05 MST 2006", "Mon Jan 2 15:04:05 2006 -0700",
	"Mon, 2 Jan 06 15:04:05 -0700", "Mon, 2 Jan 06 15:04:05 MST", "Mon, 2-Jan-2006 15:04:05 -0700", "2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05", time.RFC3339,
}

// readDate reads a Date; the zero time where it is none, or lies where no mail
// can come from.
func readDate(value string) time.Time {
	value, _ = uncomment(value)
	value, _, _ = strings.Cut(value, "(") // one that is not closed
	if value = strings.ReplaceAll(strings.Join(strings.Fields(value), " "), " ,", ","); len(value) > 100 {
		return time.Time{}
	}
	at, err := time.Parse(looseDates[0], value) // nearly all
	if err != nil {
		at, err = mail.ParseDate(value)
	}
	if err != nil {
		for _, form := range looseDates {
			if at, err = time.Parse(form, value); err == nil {
				break
			}
		}
	}
	if err != nil || at.Year() < 1970 || at.Year() > 2200 {
		return time.Time{}
	}
	return at
}
