package links_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/links"
)

func TestOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"see https://example.com/a?b=c#d.", "url:https://example.com/a?b=c#d"},
		{"(http://example.com)", "url:http://example.com"},
		{"move /var to the new disk", "disk:/var"},
		{"/home is full", "disk:/home"},
		{"clean up `/srv/backup`, soon", "disk:/srv/backup"},
		{"read /etc/hosts.conf", ""},
		{"and/or", ""},
		{"half of it: 1/2", ""},
		{"restart nginx.service", "unit:nginx.service"},
		{"look at subconsciousd@me.service and backup.timer.", "unit:subconsciousd@me.service unit:backup.timer"},
		{"mail to a@b.service", "unit:a@b.service"},
		{"good.services", ""},
		{"pay invoice 4711", "invoice:4711"},
		{"Rechnung Nr. 4711 bezahlen", "invoice:4711"},
		{"Rechnungsnummer: RE-2026-17", "invoice:re-2026-17"},
		{"la facture n° 4711", "invoice:4711"},
		{"la factura número 4711", "invoice:4711"},
		{"Order #123456 and ticket 9001", "order:123456 ticket:9001"},
		{"Bestellung 123-456", "order:123-456"},
		{"in order 3 of them", ""},
		{"invoices 4711", ""},
	} {
		if got := strings.Join(links.Of(c.text), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{
		"see https://example.com/a?b=c#d. and http://example.org", "/var is full, /home too", "restart nginx.service", "Rechnung Nr. RE-2026-17",
		"order #123456 ticket 9001", "invoice number no. # 12", "https://\xff\xfe", strings.Repeat("https://example.com/a ", 20),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		for _, link := range links.Of(text) {
			scheme, rest, ok := strings.Cut(link, ":")
			if !ok || scheme == "" || rest == "" || seen[link] {
				t.Fatalf("link %q", link)
			}
			if utf8.ValidString(text) && !utf8.ValidString(link) {
				t.Fatalf("%q is cut within a character", link)
			}
			seen[link] = true
		}
		if len(seen) > 12 {
			t.Fatalf("%d links", len(seen))
		}
	})
}
