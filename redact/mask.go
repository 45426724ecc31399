package redact

import (
	"strconv"
	"strings"
	"sync"
)

// MaskOptions say which personal data a Mask replaces. The zero value replaces
// nothing.
type MaskOptions struct {
	MailAddresses bool
	PhoneNumbers  bool
	// Names are replaced as whole words, whatever their case; ReadNames reads
	// them from a person's contacts. Names that are everyday words too ("Will",
	// "Rose") are replaced only where they begin with a capital.
	Names []string
}

// Mask replaces personal data by placeholders ("[mail-1]"), and puts the data
// back. It remembers one conversation: the same value has the same placeholder,
// numbered by first appearance; another spelling of it ("ANNA") has a second
// number ("[name-1-2]"), so that each comes back as it was. Text that looks like
// a placeholder is replaced too, and so survives. References ("files:abcdefghij@42")
// and marks ("[redacted:card]") are left alone.
//
// For every text, Restore(Mask(text)) is text. Mask is for text from this side:
// what was masked before must be restored before it is masked again.
//
// A Mask may be used by several goroutines.
type Mask struct {
	options MaskOptions
	names   *nameTable

	mu sync.Mutex
	// placeholders by kind and exact text, values by placeholder without its
	// brackets, known by kind and folded text.
	placeholders map[maskKey]string
	values       map[string]string
	known        map[maskKey]*numbered
	counts       map[string]int
}

type maskKey struct{ kind, value string }

// numbered is one value in all the spellings that were met.
type numbered struct{ number, spellings int }

// NewMask returns a Mask for one conversation.
func NewMask(options MaskOptions) *Mask {
	return newMask(options, newNameTable(options.Names))
}

// New returns a Mask with the same options for another conversation. It shares
// the table of names, which is what is costly about NewMask.
func (m *Mask) New() *Mask { return newMask(m.options, m.names) }

func newMask(options MaskOptions, names *nameTable) *Mask {
	return &Mask{options: options, names: names, placeholders: map[maskKey]string{}, values: map[string]string{},
		known: map[maskKey]*numbered{}, counts: map[string]int{}}
}

// Kinds of what is masked, as they stand in placeholders.
const (
	maskMail  = "mail"
	maskPhone = "phone"
	maskName  = "name"
	maskText  = "text" // what looks like a placeholder
	maskKeep  = ""     // what is never masked
)

// Mask replaces the personal data in text.
func (m *Mask) Mask(text string) string {
	if !m.options.MailAddresses && !m.options.PhoneNumbers && m.names.empty() {
		return text
	}
	found := between(nil, text, findPlaceholders)
	found = between(found, text, findOwn)
	if m.options.MailAddresses {
		found = between(found, text, findMails)
	}
	if m.options.PhoneNumbers {
		found = between(found, text, findPhones)
	}
	if !m.names.empty() {
		found = between(found, text, m.names.find)
	}
	if len(found) == 0 {
		return text
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	b.Grow(len(text) + 4*len(found))
	last := 0
	for _, span := range found {
		if span.Kind == maskKeep {
			continue
		}
		b.WriteString(text[last:span.Start])
		b.WriteString(m.placeholder(span.Kind, text[span.Start:span.End]))
		last = span.End
	}
	b.WriteString(text[last:])
	return b.String()
}

// between adds what find returns for the stretches of text that found leaves;
// spans are in order and without overlap before and after.
func between(found []Span, text string, find func(spans []Span, text string, from, to int) []Span) []Span {
	if len(found) == 0 {
		return find(nil, text, 0, len(text))
	}
	all := make([]Span, 0, len(found)+8)
	last := 0
	for _, span := range found {
		all = find(all, text, last, span.Start)
		all = append(all, span)
		last = span.End
	}
	return find(all, text, last, len(text))
}

// placeholder returns that of a value, a new one where it has none.
func (m *Mask) placeholder(kind, value string) string {
	if have, ok := m.placeholders[maskKey{kind, value}]; ok {
		return have
	}
	key := maskKey{kind, folded(kind, value)}
	same := m.known[key]
	if same == nil {
		m.counts[kind]++
		same = &numbered{number: m.counts[kind]}
		m.known[key] = same
	}
	same.spellings++
	name := kind + "-" + strconv.Itoa(same.number)
	if same.spellings > 1 {
		name += "-" + strconv.Itoa(same.spellings)
	}
	m.values[name] = strings.Clone(value)
	placeholder := "[" + name + "]"
	m.placeholders[maskKey{kind, strings.Clone(value)}] = placeholder
	return placeholder
}

// folded returns what the spellings of one value have in common.
func folded(kind, value string) string {
	switch kind {
	case maskPhone:
		return foldPhone(value)
	case maskName:
		return foldName(value)
	case maskMail:
		return strings.ToLower(value)
	}
	return value
}

// Restore puts back what Mask replaced, also where a model changed the case of
// a placeholder or its brackets ("<Mail-1>"). Placeholders that Mask did not
// give out stay as they are.
func (m *Mask) Restore(text string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.values) == 0 {
		return text
	}
	var b strings.Builder
	last := 0
	for i := 0; i < len(text); {
		name, end := placeholderAt(text, i)
		if end == 0 {
			i++
			continue
		}
		if value, ok := m.values[name]; ok {
			b.WriteString(text[last:i])
			b.WriteString(value)
			last = end
		}
		i = end
	}
	if last == 0 {
		return text
	}
	b.WriteString(text[last:])
	return b.String()
}
