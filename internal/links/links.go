// Package links reads the identities of things that a text names: addresses in
// the web, disks, units of the machine, invoices, orders and tickets. What two
// senses report under the same link is joined by it.
//
// It stores nothing; senses/notes and senses/mail call it.
package links

import (
	"maps"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// maxLinks is how many identities are read of one text, and of each kind.
const maxLinks = 12

var (
	urlLink  = lazy.Regexp(`https?://[^\s<>"'` + "`" + `\])}]+`)
	diskLink = lazy.Regexp("(?:^|[\\s(\"'`„“])(/[A-Za-z][A-Za-z0-9_-]*(?:/[A-Za-z0-9_-]+){0,2})(?:$|[\\s)\"'`“”,;:!?]|\\.(?:\\s|$))")
	unitLink = lazy.Regexp(`(?:^|[^A-Za-z0-9@_.:/-])([A-Za-z0-9][A-Za-z0-9@_:-]*(?:\.[A-Za-z0-9@_:-]+)*\.(?:service|timer|socket|mount))(?:$|[^A-Za-z0-9_-])`)
	// numbered reads "invoice 4711", "Rechnung Nr. RE-2026-4711", "facture n° 12".
	numbered = lazy.Regexp(`(?i)(?:^|[^\p{L}])(invoice|rechnung|rechnungsnummer|facture|factura|order|bestellung|commande|pedido|ticket)` +
		`(?:[ \t]*(?:number|no|nr|nummer|num|numéro|número|n°|nº|#|:)\.?){0,2}[ \t]*[#:]?[ \t]*((?:[A-Z]{1,4}-?)?\d[\d/-]{1,20}\d|\d{2,20})(?:$|[^\p{L}\d])`)
)

// unitKinds and numbers are what a text has to have before it is searched for these.
var unitKinds, numbers = []string{".service", ".timer", ".socket", ".mount"}, slices.Collect(maps.Keys(numberKinds))

var numberKinds = map[string]string{
	"invoice": "invoice", "rechnung": "invoice", "rechnungsnummer": "invoice", "facture": "invoice", "factura": "invoice",
	"order": "order", "bestellung": "order", "commande": "order", "pedido": "order", "ticket": "ticket",
}

// Of returns the identities that a text names, each once and at most 12: "url:…",
// "disk:/…", "unit:…", "invoice:…", "order:…" and "ticket:…".
func Of(text string) []string {
	var links []string
	seen := map[string]bool{}
	add := func(link string) {
		if !seen[link] && len(links) < maxLinks {
			seen[link] = true
			links = append(links, link)
		}
	}
	if strings.Contains(text, "://") {
		for _, u := range urlLink().FindAllString(text, maxLinks) {
			add("url:" + strings.TrimRight(u, ".,;:!?*_"))
		}
	}
	bare := text
	if len(links) > 0 { // the parts of an address are nothing of their own
		bare = urlLink().ReplaceAllString(text, " ")
	}
	if strings.Contains(bare, "/") {
		for _, m := range diskLink().FindAllStringSubmatch(bare, maxLinks) {
			add("disk:" + m[1])
		}
	}
	if slices.ContainsFunc(unitKinds, func(kind string) bool { return strings.Contains(bare, kind) }) {
		for _, m := range unitLink().FindAllStringSubmatch(bare, maxLinks) {
			add("unit:" + m[1])
		}
	}
	if low := strings.ToLower(bare); strings.ContainsAny(low, "0123456789") && slices.ContainsFunc(numbers, func(word string) bool { return strings.Contains(low, word) }) {
		for _, m := range numbered().FindAllStringSubmatch(bare, maxLinks) {
			add(numberKinds[strings.ToLower(m[1])] + ":" + strings.ToLower(m[2]))
		}
	}
	return links
}
