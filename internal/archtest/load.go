package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Name                                                        string
	GoFiles, CgoFiles, IgnoredGoFiles, InvalidGoFiles, TestGoFiles, XTestGoFiles []string
}

// Load reads all packages of the module in the folder root. Files that are left
// out on this system are read too, so that a rule holds on every system. A
// package that does not compile is read all the same; a file that does not
// parse is an error.
func Load(ctx context.Context, root string) ([]Package, error) {
	command := exec.CommandContext(ctx, "go", "list", "-e", "-json=ImportPath,Dir,Name,GoFiles,CgoFiles,IgnoredGoFiles,InvalidGoFiles,TestGoFiles,XTestGoFiles", "./...")
	command.Dir = root
	command.Env = append(os.Environ(), "GOWORK=off")
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w: %s", root, err, complaints.String())
	}
	var packages []Package
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what go list says: %w", err)
		}
		if l.ImportPath != Module && !strings.HasPrefix(l.ImportPath, Module+"/") {
			return nil, fmt.Errorf("go list in %s: %s is not of the module %s: %s", root, l.ImportPath, Module, complaints.String())
		}
		p, err := l.load()
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// load parses the files of a package.
func (l listed) load() (Package, error) {
	p := Package{Folder: strings.TrimPrefix(strings.TrimPrefix(l.ImportPath, Module), "/"), Name: l.Name}
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles, l.IgnoredGoFiles, l.InvalidGoFiles, l.TestGoFiles, l.XTestGoFiles) {
		file, imported, err := parse(filepath.Join(l.Dir, name))
		if err != nil {
			return Package{}, err
		}
		file.Path = path.Join(p.Folder, name)
		if file.Test = strings.HasSuffix(name, "_test.go"); file.Test {
			p.TestImports = append(p.TestImports, imported...)
		} else {
			p.Imports = append(p.Imports, imported...)
		}
		p.Files = append(p.Files, file)
	}
	for _, imported := range []*[]string{&p.Imports, &p.TestImports} {
		slices.Sort(*imported)
		*imported = slices.Compact(*imported)
	}
	return p, nil
}

// clocks are the functions of package time that read or wait for the clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// parse reads one file and its imports.
func parse(name string) (File, []string, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return File{}, nil, fmt.Errorf("read a source file: %w", err)
	}
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, name, content, parser.SkipObjectResolution)
	if err != nil {
		return File{}, nil, fmt.Errorf("parse a source file: %w", err)
	}
	file := File{Lines: bytes.Count(content, []byte("\n"))}
	var imported []string
	clock := "" // what the file calls package time
	for _, spec := range tree.Imports {
		where, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, nil, fmt.Errorf("parse an import of %s: %w", name, err)
		}
		imported = append(imported, where)
		if where == "time" {
			clock = "time"
			if spec.Name != nil {
				clock = spec.Name.Name
			}
		}
	}
	line := func(node ast.Node) int { return positions.Position(node.Pos()).Line }
	ast.Inspect(tree, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				file.Inits = append(file.Inits, line(n))
			}
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == clock && slices.Contains(clocks, n.Sel.Name) {
				file.Clocks = append(file.Clocks, line(n))
			}
		case *ast.Ident:
			if clock == "." && slices.Contains(clocks, n.Name) {
				file.Clocks = append(file.Clocks, line(n))
			}
		}
		return true
	})
	return file, imported, nil
}
