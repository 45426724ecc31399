package redact

import (
	"bytes"
	"fmt"
	"io"
	"mime/quotedprintable"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
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
	cards := hasFold(strings.TrimSpace(string(data[:min(len(data), 256)])), "begin:vcard")
	if cards {
		data = unfold(data)
	}
	contacts := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		name, value := "FN", line
		switch {
		case cards:
			name, value = property(line)
		case line == "" || line[0] == '#':
			continue
		}
		if !cards || name == "BEGIN" {
			contacts++
		}
		if contacts > contactNames {
			return nil, fmt.Errorf("there are more than %d contacts; give a file with fewer of them", contactNames)
		}
		switch name {
		case "FN":
			set.addWhole(value)
		case "N":
			set.addParts(value)
		}
	}
	return set.names, nil
}

// nameSet collects names, each once.
type nameSet struct {
	names []string
	seen  map[string]bool
}

// unfold joins the lines that a vCard has broken: those that go on begin with
// white space, or follow a "=" of quoted-printable.
func unfold(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\n "), nil)
	return bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\n\t"), nil), []byte("=\n"), nil)
}

// property splits "item1.FN;CHARSET=UTF-8:Anna", of a vCard of versions 2.1 to 4,
// into name and value. The name is empty where it cannot be read.
func property(line string) (name, value string) {
	name, value, _ = strings.Cut(line, ":")
	name, parameters, _ := strings.Cut(name, ";")
	name = strings.ToUpper(name[strings.LastIndexByte(name, '.')+1:])
	if strings.Contains(strings.ToUpper(parameters), "QUOTED-PRINTABLE") {
		plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value)))
		if err != nil || !utf8.Valid(plain) {
			return "", ""
		}
		value = string(plain)
	}
	if name == "FN" {
		value = unescape(value)
	}
	return name, value
}

var unescaper = strings.NewReplacer(`\,`, ",", `\;`, ";", `\n`, " ", `\N`, " ", `\\`, `\`)

func unescape(value string) string { return strings.TrimSpace(unescaper.Replace(value)) }

// addParts adds what "Family;Given;Additional;Prefix;Suffix" says.
func (s *nameSet) addParts(value string) {
	parts := append(nameParts().FindAllString(value, 3), "", "", "")
	family, given := unescape(parts[0]), unescape(parts[1])
	if family != "" && given != "" {
		s.addWhole(given + " " + family)
		s.add(family + " " + given)
	} else {
		s.addWhole(family + given)
	}
	s.addWhole(unescape(parts[2]))
}

// nameParts matches what stands between the semicolons that no backslash stands before.
var nameParts = lazy.Regexp(`(?:\\.|[^;])*`)

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
