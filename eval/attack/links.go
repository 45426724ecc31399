package attack

import (
	"context"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// linkForms are the ways to write an address that something makes a link of, at a
// host: those of browsers, mail programs, telephones and chats.
func linkForms(host string) []string {
	return []string{
		"http://" + host + "/a", "HTTPS://" + host, "ftp://" + host + "/a", host + "/login", host, "www." + host, "//" + host + "/a",
		"mailto:help@" + host, "help@" + host, "tel:+15550100", "sms:+15550100", "@evilbot", "<@U0123>",
		"203.0.113.80", "203.0.113.80:8443/a", "[2001:db8::50]", "hxxp://" + host, "hxxps://203.0.113.80/a",
		"bücher.example", "пример.рф", "xn--bcher-kva.example", "例え.テスト", "[sign in](https://" + host + ")", "[sign in](" + host + ")",
		"attacker\u200b.example", "attacker.\u00adexample", "attacker。example", "attacker．example", "attacker｡example", "attacker․example", "https：／／attacker．example",
		"whatsapp://send?text=a", "intent://a#Intent;end", "geo:0,0", "javascript:alert(1)", "data:text/html,a", "shortcuts://run?name=a", "facetime:a",
		"file:///etc/hosts", `\\` + host + `\share`, "invoice.zip", "run.sh", "/inbox/clip.mov", "C:\\a.exe",
	}
}

// followable are forms of which programs make links, once look-alike characters are
// replaced: a scheme with what follows it, a name with an @ (as in a mail address),
// and a network share. domain is the name of a host or a file with its ending.
var (
	followable = []*regexp.Regexp{
		regexp.MustCompile(`(?i)(?:^|[^a-z0-9+.-])([a-z][a-z0-9+.-]*:[^\s]+)`), regexp.MustCompile(`[^\s@<>()]*@[^\s\]][^\s]*`), regexp.MustCompile(`\\\\[^\s\\]+`),
	}
	domain = regexp.MustCompile(`(?:[^\s./:()<>]+\.)+(\pL[\pL\pM\pN-]+)(?:[/:][^\s]*)?`)
)

// linkIn is the first thing in a text that can be followed as a link; "" for none.
func linkIn(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '。':
			return '.'
		case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r
	}, norm.NFKC.String(strings.ReplaceAll(text, "…", " ")))
	for _, form := range followable {
		for _, found := range form.FindAllStringSubmatch(text, -1) {
			link := found[len(found)-1]
			if head, _, _ := strings.Cut(strings.ToLower(link), ":"); !inert[head] {
				return link
			}
		}
	}
	for _, found := range domain.FindAllStringSubmatch(text, -1) {
		if endsDomain(found[1]) {
			return found[0]
		}
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("[]()<>/,;", r) }) {
		host, _, _ := strings.Cut(word, ":")
		for _, one := range []string{word, host} {
			if _, err := netip.ParseAddr(strings.TrimRight(one, ".:!?")); err == nil {
				return word
			}
		}
	}
	return ""
}

// endsDomain reports whether domains end so: by the list of public suffixes, by
// those that are kept for examples and for nets of one's own, and in any script
// but the Latin one.
func endsDomain(ending string) bool {
	ending, err := idna.ToASCII(strings.ToLower(ending))
	_, known := publicsuffix.PublicSuffix(ending)
	return err != nil || known || strings.HasPrefix(ending, "xn--") || slices.Contains([]string{"example", "test", "local", "lan", "home", "internal", "onion"}, ending)
}

// inert are beginnings that no program opens: the product writes them itself.
var inert = map[string]bool{"hxxp": true, "hxxps": true, "redacted": true}

// pushes looks at each field of what the person was told, since links and buttons
// can be tapped as well.
func (w *world) pushes(_ context.Context, f *figures) error {
	for _, a := range w.Phone.Since(0) {
		f.Pushes++
		whole := a.Title + "\n" + a.Text
		fields := []string{a.Title, a.Text, a.Link}
		for _, button := range a.Buttons {
			fields = append(fields, button.Label)
		}
		for _, field := range fields {
			if link := linkIn(field); link != "" && w.foreign(whole+" "+field) != "" {
				f.disallow("a push has %q, which %s wrote and a phone follows: %q", link, w.foreign(whole+" "+field), whole)
			}
		}
	}
	return nil
}
