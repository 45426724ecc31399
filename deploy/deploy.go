// Package deploy holds the service files of this folder, as they are shipped, and
// puts in where the daemon and its configuration are. `subconsciousctl service`
// installs them.
package deploy

import (
	_ "embed"
	"encoding/xml"
	"regexp"
	"strings"
)

//go:embed systemd/subconsciousd.service
var unit string

//go:embed polkit/io.github.subconsciousd.approve.policy
var policy string

//go:embed launchd/com.subconsciousd.subconsciousd.plist
var agent string

var (
	starts    = regexp.MustCompile(`(?m)^ExecStart=.*$`)
	arguments = regexp.MustCompile(`(?s)\t<key>ProgramArguments</key>\n\t<array>\n.*?\t</array>\n`)
)

// Polkit is the policy by which polkit asks who approves an action.
func Polkit() string { return policy }

// Unit is the user unit of systemd that starts this command line.
func Unit(command ...string) string {
	var words []string
	for i, word := range command {
		if i > 0 { // variables are none, and in the program there are none
			word = strings.ReplaceAll(word, "$", "$$")
		}
		words = append(words, unitWord(word))
	}
	return starts.ReplaceAllLiteralString(unit, "ExecStart="+strings.Join(words, " "))
}

// unitWord writes a word as systemd reads it: specifiers are none, and what is not
// plain is quoted. See systemd.service(5), "Command lines".
func unitWord(word string) string {
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "%", "%%").Replace(word)
	if strings.ContainsAny(word, " \t'\"\\;") {
		return `"` + word + `"`
	}
	return word
}

// Agent is the LaunchAgent that starts this command line, for the person of that
// home folder.
func Agent(home string, command ...string) string {
	var list strings.Builder
	for _, word := range command {
		list.WriteString("\t\t<string>" + escaped(word) + "</string>\n")
	}
	text := arguments.ReplaceAllLiteralString(agent, "\t<key>ProgramArguments</key>\n\t<array>\n"+list.String()+"\t</array>\n")
	return strings.ReplaceAll(text, "<string>HOME_FOLDER", "<string>"+escaped(home))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}
