package senses_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
)

func TestClick(t *testing.T) {
	for template, good := range map[string]bool{
		"": true, "https://mail.example.com/search/{id}": true, "http://nas.local:8080/#m/{id}/show": true,
		"https://mail.example.com/": false, "https://{id}/": false, "https://{id}.example.com/{id}": false, "mail.example.com/{id}": false,
		"javascript:{id}": false, "message://{id}": false, "https:///{id}": false,
	} {
		if err := senses.CheckClick(template); (err == nil) != good {
			t.Errorf("%q: %v", template, err)
		}
	}
	for id, want := range map[string]string{
		"": "", "a b+c@example.org": "https://e.org/a%20b%2Bc%40example.org", "//evil.example?x#y": "https://e.org/%2F%2Fevil.example%3Fx%23y",
		strings.Repeat("/", 400): "",
	} {
		if got := senses.Click("https://e.org/{id}", id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
	if got := senses.Click("", "a@example.org"); got != "" {
		t.Errorf("without a template: %q", got)
	}
}
