package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// TestCommandsHaveWords: what a command does and what commands.txt says of it go
// together, flag by flag.
func TestCommandsHaveWords(t *testing.T) {
	a := &app{}
	root := newRoot(a)
	flags := 0
	for path, does := range a.commands() {
		cmd, _, err := root.Find(strings.Fields(strings.TrimPrefix(path, "subconsciousctl")))
		if err != nil || path != "subconsciousctl" && cmd.CommandPath() != "subconsciousctl "+path {
			t.Fatalf("commands.txt does not have %q: %v", path, err)
		}
		for flag := range does.flags {
			flags++
			if cmd.Flag(flag) == nil {
				t.Errorf("commands.txt does not have --%s of %s", flag, path)
			}
		}
	}
	if words := strings.Count(commandWords, "\n--"); words != flags || flags == 0 {
		t.Errorf("commands.txt has %d flags, and %d are set by it", words, flags)
	}
}

// printed is a command in a text that is shown to people.
var printed = regexp.MustCompile(`subconsciousctl((?: (?:--?[a-z][a-z-]*|[a-z][a-z0-9-]*|"[^"]*"))+)`)

// TestPrintedCommands: each command that missed and why print is one, and takes
// what it is given.
func TestPrintedCommands(t *testing.T) {
	checked := 0
	for _, file := range []string{"../../daemon/view/missed.go", "internal/screen/pages/missed.txt", "internal/screen/pages/why.txt"} {
		for _, text := range texts(t, file) {
			for _, found := range printed.FindAllStringSubmatch(text, -1) {
				checked++
				checkPrinted(t, file, found[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d commands were found", checked)
	}
}

func checkPrinted(t *testing.T, file, line string) {
	t.Helper()
	var args []string
	for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
		args = append(args, strings.Trim(word, `"`))
	}
	command, rest, err := newRoot(&app{}).Find(args)
	if err == nil {
		err = command.ParseFlags(rest)
	}
	if err == nil {
		err = command.ValidateArgs(command.Flags().Args())
	}
	if err != nil || !command.HasParent() {
		t.Errorf("%s prints subconsciousctl%s: %v", filepath.Base(file), line, err)
	}
}

// texts are the texts of a file, with a word for what is put into them.
func texts(t *testing.T, file string) (all []string) {
	t.Helper()
	if strings.HasSuffix(file, ".txt") { // a template
		text := testutil.Read(t, file)
		return []string{regexp.MustCompile(`{{.*?}}`).ReplaceAllString(string(text), "word")}
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text func(ast.Expr) string
	text = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BinaryExpr:
			return text(e.X) + text(e.Y)
		case *ast.BasicLit:
			if said, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
				return strings.NewReplacer("%s", "watcher", "%d", "7", "%q", `"word"`).Replace(said)
			}
		}
		return "word"
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.BinaryExpr:
			all = append(all, text(e))
			return e.Op != token.ADD
		case *ast.BasicLit:
			all = append(all, text(e))
		}
		return true
	})
	return all
}
