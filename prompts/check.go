package prompts

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
)

// check finds fields that there are none of, wherever they stand: also in a
// branch that is seldom taken.
func check(t *template.Template) error {
	var problems []error
	for _, one := range t.Templates() {
		if one.Tree == nil {
			continue
		}
		walk(reflect.ValueOf(one.Root), func(node parse.Node, field string) {
			if _, ok := reflect.TypeFor[page]().FieldByName(field); !ok {
				where, _ := one.ErrorContext(node)
				problems = append(problems, fmt.Errorf("%s: there is no .%s; there are %s", where, field, strings.Join(fields(), " ")))
			}
		})
	}
	return errors.Join(distinct(problems)...)
}

// fields are what a template may print.
func fields() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[page]()) {
		names = append(names, "."+f.Name)
	}
	return names
}

// walk calls found for each field that is named in a node, or below it.
func walk(v reflect.Value, found func(node parse.Node, field string)) {
	switch v.Kind() {
	case reflect.Interface:
		walk(v.Elem(), found)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), found)
			}
		}
	case reflect.Pointer:
		switch n := v.Interface().(type) {
		case *parse.FieldNode:
			found(n, n.Ident[0])
		case *parse.VariableNode:
			if n.Ident[0] == "$" && len(n.Ident) > 1 {
				found(n, n.Ident[1])
			}
		default:
			walk(v.Elem(), found)
		}
	}
}

// try prints both parts with everything there and with nothing.
func try(t *template.Template) error {
	for _, p := range [...]page{sample(), {}} {
		for _, part := range [...]string{systemPart, userPart} {
			text, err := execute(t, part, p)
			if err != nil {
				return err
			}
			if part == systemPart && strings.TrimSpace(text) == "" {
				return fmt.Errorf("%s:1: its part %q prints nothing", t.Name(), part)
			}
		}
	}
	return nil
}

// execute prints a part.
func execute(t *template.Template, part string, p page) (string, error) {
	var out bounded
	err := t.ExecuteTemplate(&out, part, p)
	if errors.Is(err, errPrintsTooMuch) {
		return "", fmt.Errorf("%s:1: its part %q %w; shorten it, or remove the file to use the embedded one", t.Name(), part, err)
	}
	if err != nil {
		return "", fmt.Errorf("%s; mend it, or remove the file to use the embedded one", strings.TrimPrefix(err.Error(), "template: "))
	}
	return strings.TrimSpace(out.String()) + "\n", nil
}

var errPrintsTooMuch = fmt.Errorf("prints more than %d bytes", printedBytes)

// bounded takes what a template prints, up to a bound.
type bounded struct{ strings.Builder }

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > printedBytes {
		return 0, errPrintsTooMuch
	}
	return b.Builder.Write(p)
}
