package screen

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
	"unicode"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// files are the screens, one file a noun, and the words for what the daemon
// names by a code.
//
//go:embed pages/*.txt words.txt
var files embed.FS

// sources are the texts of the templates by their names.
var sources = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	const begins = `{{define "`
	nouns, _ := files.ReadDir("pages") // which is embedded
	for _, noun := range nouns {
		source, _ := files.ReadFile("pages/" + noun.Name())
		for _, part := range strings.Split(string(source), begins)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			all[name] = begins + part
		}
	}
	return all
})

// open is an empty page with the template of that name and those that it names,
// and no others, since reading all takes longer than to draw one. A template
// whose name begins with a capital letter is a page or some lines of one; any
// other is a phrase, a text without line breaks.
func open(view View, name string) *page {
	p := newPage(view)
	t := template.New("").Funcs(p.functions())
	p.templates = t
	var need func(name string)
	need = func(name string) {
		source, ok := sources()[name]
		if !ok || t.Lookup(name) != nil {
			return
		}
		template.Must(t.Parse(source))
		first, _ := utf8.DecodeRuneInString(name)
		prepare(t.Lookup(name).Root, !unicode.IsUpper(first))
		for _, named := range strings.Split(source, `"`) {
			need(named)
		}
	}
	need(name)
	return p
}

// say executes a template. What keeps it from ending is a mistake in the
// template: the rest is left out, and it says so.
func (p *page) say(name string, data any) markup {
	var out strings.Builder
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		out.WriteString("\n✗ " + clean(err.Error()) + "; --json shows all\n")
	}
	return markup(out.String())
}

// phrase is say for a text within a line: it is empty where all of its values
// are, so that the line can be left out in turn.
func (p *page) phrase(name string, data any) markup {
	text, ok := valued(string(p.say(name, data)))
	if !ok {
		return ""
	}
	return markup(strings.TrimSpace(text))
}

// signs are those of markup in the text of a template.
var signs = strings.NewReplacer("\n# ", "\n"+string(heading), "\n#\n", "\n"+string(heading)+"\n", "\n~\n", "\n"+string(blank)+"\n", "|", string(stop), "¦", string(hang), "»", string(right),
	"<fit>", string(manner)+string(fit), "<exact>", string(manner)+string(exact), "<as is>", string(manner)+string(unwraps),
	"<2>", string(manner)+"2", "<3>", string(manner)+"3", "<4>", string(manner)+"4",
	"</>", string(off), "<bold>", string(rune(on+1)), "<dim>", string(rune(on+2)), "<red>", string(rune(on+3)), "<green>", string(rune(on+4)), "<yellow>", string(rune(on+5)))

// prepare makes markup of the signs in a template's text, and has every value
// shown by show.
func prepare(node parse.Node, phrase bool) {
	branch := func(b parse.BranchNode) {
		prepare(b.List, phrase)
		if b.ElseList != nil {
			prepare(b.ElseList, phrase)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, inner := range n.Nodes {
			prepare(inner, phrase)
		}
	case *parse.IfNode:
		branch(n.BranchNode)
	case *parse.WithNode:
		branch(n.BranchNode)
	case *parse.RangeNode:
		branch(n.BranchNode)
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{parse.NewIdentifier("show").SetPos(n.Pos)}})
		}
	case *parse.TextNode:
		text := string(n.Text)
		if phrase {
			lines := strings.Split(text, "\n")
			for i := range lines[1:] {
				lines[i], lines[i+1] = strings.TrimRight(lines[i], " "), strings.TrimLeft(lines[i+1], " ")
			}
			text = strings.Join(lines, "")
		}
		n.Text = []byte(signs.Replace(text))
	}
}

// markup is text that holds nothing from outside but what can be shown.
type markup string

// show makes one printable line of whatever was stored, so that nothing from
// outside can move the cursor or take part in the layout.
func show(value any) markup {
	switch shown := text(value); {
	case strings.Contains(shown, "\n"): // lines of their own
		return markup(shown)
	case shown == "" && fmt.Sprint(value) == "":
		return markup(gone)
	default:
		return markup(string(kept) + shown)
	}
}

// valued takes the marks of values out of a text, and reports whether it says
// anything: one of its values is not empty, or it has words of its own and none.
func valued(marked string) (string, bool) {
	text := unmarked.Replace(marked)
	says := strings.ContainsRune(marked, kept) || !strings.ContainsRune(marked, gone) && strings.TrimFunc(text, func(r rune) bool { return r <= ' ' && r != blank && r != heading }) != ""
	return text, says
}

var unmarked = strings.NewReplacer(string(kept), "", string(gone), "")

// text is a value as it is shown; "" where there is nothing to see.
func text(value any) string {
	if m, ok := value.(markup); ok {
		return string(m)
	}
	return clean(fmt.Sprint(value))
}

// clean makes one printable line of whatever was stored.
func clean(text string) string { return strings.TrimSpace(subconscious.Printable(text)) }

// styles in the order of their numbers.
var styles = []style{plain, bold, dim, red, green, yellow}

// in returns text in a style.
func in(s style, value any) markup {
	for i, known := range styles {
		if shown := text(value); known == s && s != plain && shown != "" {
			return markup(string(rune(on+i)) + shown + string(off))
		}
	}
	return markup(text(value))
}

var styleNames = map[string]style{"bold": bold, "dim": dim, "red": red, "green": green, "yellow": yellow}

// together joins the values that are not empty.
func together(between string, values []any) markup {
	var parts []string
	for _, value := range values {
		if part := text(value); part != "" {
			parts = append(parts, part)
		}
	}
	return markup(strings.Join(parts, between))
}

// word is what the daemon names by a code, in words for people, with its sign.
type word struct {
	sign   string
	colour style
	words  string
}

// glossary is words.txt: below the name of a table, lines of a code, a sign
// with its colour where there is one, and words, two spaces between them.
var glossary = sync.OnceValue(func() map[string]word {
	source, err := files.ReadFile("words.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	all := map[string]word{}
	table := ""
	for line := range strings.Lines(string(source)) {
		line = strings.TrimRight(line, "\n")
		var parts []string
		for part := range strings.SplitSeq(line, "  ") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
		switch {
		case strings.HasPrefix(line, "# "):
			table = line[2:]
		case len(parts) == 2:
			all[table+" "+parts[0]] = word{words: parts[1]}
		case len(parts) == 3:
			sign, colour, _ := strings.Cut(parts[1], " ")
			all[table+" "+parts[0]] = word{sign, styleNames[colour], parts[2]}
		}
	}
	return all
})

// lookup finds a code in a table: "-" stands for none, and "*" for any other,
// which is shown by its name where the table has no words for it.
func lookup(table string, code any) word {
	key := text(code)
	if key == "" {
		key = "-"
	}
	found, ok := glossary()[table+" "+key]
	if !ok {
		found = glossary()[table+" *"]
	}
	switch found.words {
	case "", "*":
		found.words = strings.ReplaceAll(text(code), "_", " ")
	case "-":
		found.words = ""
	}
	return found
}

func words(table string, code any) markup { return markup(lookup(table, code).words) }

// mark is the sign of a code in its colour.
func mark(table string, code any) markup {
	w := lookup(table, code)
	return in(w.colour, w.sign)
}

// coloured gives a text the colour of a code.
func coloured(table string, code, value any) markup { return in(lookup(table, code).colour, value) }

// sentenceCase sets the first letter large.
func sentenceCase(value any) string {
	shown := text(value)
	if shown == "" {
		return ""
	}
	return strings.ToUpper(shown[:1]) + shown[1:]
}
