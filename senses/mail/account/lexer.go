package account

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	// maxDepth is how deep lists of an answer may be nested. The library reads
	// them by recursion, without a bound; a body structure, which is not asked
	// for, is the only honest one that goes beyond a handful.
	maxDepth = 60
	// maxLine bounds an answer without its literals, if no more was allowed.
	maxLine = 64 << 10
	// maxSaid bounds what is kept of the words of a BYE.
	maxSaid = 1 << 10
	// maxWord is how much is kept of the word that says what an answer is.
	maxWord = 10
	// maxSize is how many digits the length of a literal may have.
	maxSize = 10
)

// place is where in an answer the lexer stands.
type place uint8

const (
	atTag place = iota
	atWord
	atCode    // behind OK, NO, BAD, BYE: perhaps a code in brackets
	inName    // the first word of the code
	inCode    // the rest of what is within the brackets
	inText    // words for people, to the end of the line
	inFields  // data
	inQuoted  // "…
	inEscape  // "…\
	inSize    // {…
	inSizeEnd // {…}, before the end of the line
	inLiteral
)

// lexer follows what a server sends closely enough to know, as the library
// does, which bytes are a literal, which a quoted string, which words for people
// and which nest. How the stream is cut makes no difference. After an error it
// must not be used.
type lexer struct {
	at    place
	line  int64 // bytes of this answer outside literals
	depth int
	left  int64 // bytes of the literal still to come
	size  int64 // the length being read, and of how many digits
	digit int
	// word is the beginning of the word that says what an answer is, or its code,
	// in capitals; tagged where the answer has a tag.
	word   []byte
	tagged bool
	// said is the beginning of the words of a BYE.
	said []byte
	bye  bool

	maxLine, maxLiteral int64
}

// feed follows data, and masks names of folders in it. An error says what no
// server sends that means well.
func (l *lexer) feed(data []byte) error {
	for len(data) > 0 {
		if l.at == inLiteral {
			n := min(int64(len(data)), l.left)
			l.mask(data[:n])
			data, l.left = data[n:], l.left-n
			if l.left == 0 {
				l.at = inFields
			}
			continue
		}
		if l.line++; l.line > max(l.maxLine, maxLine) {
			return fmt.Errorf("a line of more than %d KiB", max(l.maxLine, maxLine)>>10)
		}
		if err := l.step(data[0]); err != nil {
			return err
		}
		l.mask(data[:1])
		data = data[1:]
	}
	return nil
}

func (l *lexer) step(b byte) error {
	switch l.at {
	case atTag:
		return l.tag(b)
	case atWord:
		return l.kind(b)
	case atCode, inName, inCode, inText:
		return l.text(b)
	case inQuoted, inEscape:
		return l.quoted(b)
	case inSize, inSizeEnd:
		return l.literal(b)
	default:
		return l.field(b)
	}
}

// tag follows what an answer begins with: "*", "+" or a tag.
func (l *lexer) tag(b byte) error {
	switch {
	case b == '\n':
		return errors.New("an empty line")
	case b == '+' && l.line == 1:
		l.at = inText
	case b == ' ':
		l.at, l.word = atWord, l.word[:0]
	case b == '*' && l.line == 1:
	default:
		l.tagged = true
	}
	return nil
}

// kind follows the word that says what an answer is, behind the number that
// there may be.
func (l *lexer) kind(b byte) error {
	if atomByte(b) {
		l.note(b)
		return nil
	}
	if !l.tagged && b == ' ' && len(l.word) > 0 && l.word[0] >= '0' && l.word[0] <= '9' {
		l.word = l.word[:0]
		return nil
	}
	if l.tagged || status(l.word) {
		l.at = atCode
		if l.bye = string(l.word) == "BYE"; l.bye {
			l.said = l.said[:0]
		}
		if b == ' ' {
			return nil
		}
		return l.text(b)
	}
	if !known(l.word) {
		return fmt.Errorf("an answer to what nobody asked: %s", words(string(l.word)))
	}
	l.at = inFields
	return l.field(b)
}

// note keeps b as part of the word.
func (l *lexer) note(b byte) {
	if len(l.word) <= maxWord {
		if b >= 'a' && b <= 'z' {
			b -= 'a' - 'A'
		}
		l.word = append(l.word, b)
	}
}

// known says whether a word is that of an answer to what is asked here. The
// library reads many more, some with less care.
func known(word []byte) bool {
	switch string(word) {
	case capability, "LIST", "FLAGS", "EXISTS", "RECENT", "EXPUNGE", "SEARCH", "ESEARCH", "FETCH", "STATUS":
		return true
	}
	return false
}

// capability is the word of the one answer that the library, at a "(", reads for
// ever, whether or not the connection ends.
const capability = "CAPABILITY"

var errCapability = errors.New("capabilities with a list in them")

func status(word []byte) bool {
	switch string(word) {
	case "OK", "NO", "BAD", "BYE", "PREAUTH":
		return true
	}
	return false
}

func (l *lexer) text(b byte) error {
	switch {
	case b == '\n' && (l.at == inCode || l.at == inName):
		return errors.New("a code in brackets that does not end")
	case b == '\n':
		l.next()
	case l.at == atCode && b == '[':
		l.at, l.word = inName, l.word[:0]
	case l.at == atCode:
		l.at = inText
	case l.at == inName && atomByte(b):
		l.note(b)
	case b == ']' && l.at != inText:
		l.at = inText
	case b == '(' && l.at != inText && string(l.word) == capability:
		return errCapability
	case l.at == inName:
		l.at = inCode
	}
	if l.bye && len(l.said) < maxSaid {
		l.said = append(l.said, b)
	}
	return nil
}

func (l *lexer) quoted(b byte) error {
	switch {
	case b == '\n' || b == '\r':
		return errors.New("a quoted string that does not end")
	case l.at == inEscape:
		l.at = inQuoted
	case b == '\\':
		l.at = inEscape
	case b == '"':
		l.at = inFields
	}
	return nil
}

// literal follows "{123}" to the end of its line, with the space before it that
// some servers write.
func (l *lexer) literal(b byte) error {
	switch {
	case l.at == inSize && b >= '0' && b <= '9' && l.digit < maxSize:
		l.size, l.digit = l.size*10+int64(b-'0'), l.digit+1
	case l.at == inSize && b == '}' && l.digit > 0:
		l.at = inSizeEnd
	case l.at == inSizeEnd && (b == ' ' || b == '\r'):
	case l.at == inSizeEnd && b == '\n':
		if l.size > l.maxLiteral {
			return fmt.Errorf("%d bytes in one piece, where at most %d were asked for", l.size, l.maxLiteral)
		}
		l.at, l.left = inLiteral, l.size
		if l.size == 0 {
			l.at = inFields
		}
	default:
		return errors.New("a length that is none")
	}
	return nil
}

func (l *lexer) field(b byte) error {
	switch b {
	case '\n':
		l.next()
	case '"':
		l.at = inQuoted
	case '{':
		l.at, l.size, l.digit = inSize, 0, 0
	case '(':
		if string(l.word) == capability {
			return errCapability
		}
		if l.depth++; l.depth > maxDepth {
			return fmt.Errorf("lists nested more than %d deep", maxDepth)
		}
	case ')':
		l.depth = max(0, l.depth-1)
	}
	return nil
}

// next begins a new answer.
func (l *lexer) next() {
	l.at, l.line, l.depth, l.tagged, l.bye = atTag, 0, 0, false, false
	l.word = l.word[:0]
}

// goodbye is what the server said in a BYE.
func (l *lexer) goodbye() string { return string(bytes.TrimSpace(l.said)) }

// atomByte says whether the library takes b for a part of a word.
func atomByte(b byte) bool {
	return b > ' ' && b < 0x7f && bytes.IndexByte([]byte(`(){%*"\]`), b) < 0 || b >= 0xa0
}
