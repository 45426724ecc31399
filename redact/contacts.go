package redact

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/quotedprintable"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	contactBytes = 5 << 20
	contactNames = 50_000
	// shortName is the least length of a single name, in characters: shorter
	// ones are syllables of every text.
	shortName = 3
)

// ReadContacts reads the names of a file of contacts; see ReadNames.
func ReadContacts(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read contacts: %w; name a vCard file, or a text file with one name a line", err)
	}
	defer file.Close()
	names, err := ReadNames(file)
	if err != nil {
		return nil, fmt.Errorf("read contacts of %s: %w", path, err)
	}
	return names, nil
}

// ReadNames reads the names of contacts, from vCards (the FN and N lines) or
// from a text with one name a line ("#" begins a comment). Of each it returns the
// whole and its words of 3 letters and more, without titles and particles. At
// most 5 MB and 50,000 contacts are read; more is an error.
func ReadNames(r io.Reader) ([]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, contactBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > contactBytes {
		return nil, fmt.Errorf("the contacts are larger than %d MB; give a file with fewer of them", contactBytes>>20)
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("the contacts are not UTF-8; save them as UTF-8 and try again")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	set := &nameSet{seen: map[string]bool{}}
	if hasFold(strings.TrimSpace(string(data[:min(len(data), 256)])), "begin:vcard") {
		err = set.readCards(data)
	} else {
		err = set.readLines(data)
	}
	return set.names, err
}

// nameSet collects names, each once.
type nameSet struct {
	names    []string
	seen     map[string]bool
	contacts int
}

func (s *nameSet) readLines(data []byte) error {
	for line := range strings.SplitSeq(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := s.count(); err != nil {
			return err
		}
		s.addWhole(line)
	}
	return nil
}

func (s *nameSet) count() error {
	if s.contacts++; s.contacts > contactNames {
		return fmt.Errorf("there are more than %d contacts; give a file with fewer of them", contactNames)
	}
	return nil
}

// readCards reads vCards of versions 2.1 to 4.
func (s *nameSet) readCards(data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(unfold(data)))
	lines.Buffer(make([]byte, 0, 64<<10), contactBytes+1)
	for lines.Scan() {
		name, value, ok := property(lines.Text())
		if !ok {
			continue
		}
		switch name {
		case "BEGIN":
			if err := s.count(); err != nil {
				return err
			}
		case "FN":
			s.addWhole(unescape(value))
		case "N":
			s.addParts(value)
		}
	}
	return lines.Err()
}

// unfold joins the lines that a vCard has broken: those that go on begin with
// white space, or follow a "=" of quoted-printable.
func unfold(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\n "), nil)
	return bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\n\t"), nil), []byte("=\n"), nil)
}

// property splits "item1.FN;CHARSET=UTF-8:Anna" into name and value.
func property(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(strings.TrimSpace(line), ":")
	if !ok {
		return "", "", false
	}
	name, parameters, _ := strings.Cut(name, ";")
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	if strings.Contains(strings.ToUpper(parameters), "QUOTED-PRINTABLE") {
		plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value)))
		if err != nil || !utf8.Valid(plain) {
			return "", "", false
		}
		value = string(plain)
	}
	return strings.ToUpper(name), value, true
}

var unescaper = strings.NewReplacer(`\,`, ",", `\;`, ";", `\n`, " ", `\N`, " ", `\\`, `\`)

func unescape(value string) string { return strings.TrimSpace(unescaper.Replace(value)) }

// addParts adds what "Family;Given;Additional;Prefix;Suffix" says.
func (s *nameSet) addParts(value string) {
	var parts [3]string
	for i, part := range splitUnescaped(value) {
		if i < len(parts) {
			parts[i] = unescape(part)
		}
	}
	family, given := parts[0], parts[1]
	if family != "" && given != "" {
		s.addWhole(given + " " + family)
		s.add(family + " " + given)
	} else {
		s.addWhole(family + given)
	}
	s.addWhole(parts[2])
}

// splitUnescaped splits at the semicolons that no backslash stands before.
func splitUnescaped(value string) []string {
	var parts []string
	from := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case ';':
			parts = append(parts, value[from:i])
			from = i + 1
		}
	}
	return append(parts, value[from:])
}

// addWhole adds a name and its words.
func (s *nameSet) addWhole(name string) {
	if strings.ContainsRune(name, '@') {
		return // an address for want of a name
	}
	s.add(name)
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool {
		return r == ' ' || r == ',' || r == '.' || r == '\t' || r == '(' || r == ')' || r == '"'
	}) {
		if !notNames.get().has(foldWord(word)) {
			s.add(word)
		}
	}
}

// add adds a name, unless it is too short to be told from other words.
func (s *nameSet) add(name string) {
	key := foldName(name)
	long := strings.Contains(key, " ") || utf8.RuneCountInString(key) >= shortName
	if key == "" || !long || s.seen[key] {
		return
	}
	s.seen[key] = true
	s.names = append(s.names, name)
}

// notNames are titles and particles.
var notNames = setOfWords("titles")
