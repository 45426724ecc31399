package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/internal/trusted"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// maxBytes bounds a configuration file.
const maxBytes = 1 << 20

// read returns the bytes of the file at path, which is trusted, UTF-8 and not too
// long. It names programs that run as the person: nobody else may have written it.
func read(path string, trust func(path string) error) ([]byte, *Error) {
	wrong := func(problem, fix string) *Error {
		return &Error{Code: CodeUnreadable, File: path, Problem: problem, Fix: fix}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wrong("there is no such file", "give another path with --config, or copy config.example.yaml there")
	case err != nil:
		return nil, wrong(fmt.Sprintf("cannot be looked at (%v)", err), "check the permissions of the file and of its folder")
	case !info.Mode().IsRegular():
		return nil, wrong("is not a regular file", "give the path of a YAML file")
	case info.Size() > maxBytes:
		return nil, tooLong(path)
	}
	err = trust(path)
	if refused := Distrust(path, err); refused != nil {
		return nil, refused
	}
	if err != nil {
		return nil, wrong(fmt.Sprintf("cannot be looked at (%v)", err), "check the permissions of the folders above it")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, wrong(fmt.Sprintf("cannot be opened (%v)", err), "make it readable for the user that the daemon runs as")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, wrong(fmt.Sprintf("cannot be read (%v)", err), "check the disk, then try again")
	}
	return data, checkBytes(path, data)
}

// Distrust makes an *Error of a refusal of path since others could have written
// it, or returns nil.
func Distrust(path string, err error) *Error {
	var refused *trusted.Error
	if !errors.As(err, &refused) {
		return nil
	}
	return &Error{Code: CodeUntrusted, File: path, Problem: refused.Text, Fix: refused.Next}
}

func tooLong(path string) *Error {
	return &Error{Code: CodeUnreadable, File: path, Problem: "is longer than 1 MiB, which no configuration is",
		Fix: "check that it is the right file"}
}

// checkBytes refuses what is not text of a reasonable length.
func checkBytes(path string, data []byte) *Error {
	if len(data) > maxBytes {
		return tooLong(path)
	}
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return &Error{Code: CodeUnreadable, File: path, Line: lineAt(data, at),
				Problem: fmt.Sprintf("holds the byte 0x%02x, which is not UTF-8", data[at]), Fix: "save the file as UTF-8"}
		}
		at += n
	}
	return nil
}

func lineAt(data []byte, at int) int { return 1 + bytes.Count(data[:at], []byte("\n")) }

// parse returns the one mapping of the document, or nil where the file holds
// nothing but comments.
func parse(path string, data []byte) (*yaml.Node, *Error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxError(path, data, err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, &Error{Code: CodeSyntax, File: path, Line: second.Line,
			Problem: `a second document begins after "---"`, Fix: "keep one document and remove the other"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(path, data, err)
	}
	node := document.Content[0]
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" && node.Value == "" {
		return nil, nil
	}
	if node.Kind != yaml.MappingNode {
		return nil, &Error{Code: CodeType, File: path, Line: node.Line, Problem: "the file is " + describe(node) + ", not a mapping of keys",
			Fix: `write keys and values, such as "schedule: \"*/5 * * * *\""`}
	}
	return node, nil
}

var yamlLine = lazy.Regexp(`line (\d+): `)

// syntaxError makes sense of what the parser says.
func syntaxError(path string, data []byte, err error) *Error {
	e := &Error{Code: CodeSyntax, File: path, Fix: "check the indentation, the quotes and the brackets around this line"}
	problem := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine().FindStringSubmatchIndex(problem); m != nil {
		e.Line, _ = strconv.Atoi(problem[m[2]:m[3]]) // the pattern holds digits alone; 0 is "no line"
		problem = problem[:m[0]] + problem[m[1]:]
	}
	e.Problem = "is not YAML: " + clip(problem)
	if line := starLine(data); line > 0 && strings.Contains(problem, "alphabetic or numeric") {
		e.Line, e.Problem, e.Fix = line, "a value that begins with * or & is read as an alias", `put it in quotes: "*/5 * * * *"`
	}
	e.Line = max(e.Line, 1) // the parser names no line for the first one
	if line := tabLine(data); line > 0 {
		e.Line, e.Problem, e.Fix = line, "a tab indents this line, which YAML does not allow", "use spaces"
	}
	return e
}

var starValue = lazy.Regexp(`^[^#"']*(:|-)\s+[*&]`)

// starLine returns the first line with a value that begins with a star, or 0.
func starLine(data []byte) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if starValue().Match(line) {
			return i + 1
		}
	}
	return 0
}

// tabLine returns the first line that a tab indents, or 0.
func tabLine(data []byte) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.IndexByte(indent, '\t') >= 0 {
			return i + 1
		}
	}
	return 0
}
