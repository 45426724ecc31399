package subconscious_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestNewRef(t *testing.T) {
	// SHA-256 of "disk:/var" begins with the bytes that base32 writes so.
	if got := subconscious.NewRef("health", "disk:/var"); got != "health:"+refOf("disk:/var") {
		t.Errorf("%s", got)
	}
	if a, b := subconscious.NewRef("files", "a"), subconscious.NewRef("notes", "a"); a == b || a.Sense() != "files" || b.Sense() != "notes" {
		t.Errorf("%s and %s", a, b)
	}
	o := subconscious.Observation{Sense: "mail", ID: "mid:1@example.com"}
	if o.Ref() != subconscious.NewRef("mail", "mid:1@example.com") || o.Key() != "mail:mid:1@example.com" {
		t.Errorf("%s %s", o.Ref(), o.Key())
	}
	o.Attrs = map[string]string{"thread": "0@example.com"}
	if o.Key() != "thread:0@example.com" {
		t.Errorf("%s", o.Key())
	}
}

func TestParseCitation(t *testing.T) {
	for text, want := range map[string]subconscious.Citation{
		"notes:abcdefghij":                       {Ref: "notes:abcdefghij"},
		" notes:a2b3c4d5e6 \n":                   {Ref: "notes:a2b3c4d5e6"},
		"my_sense-2:abcdefghij@42":               {Ref: "my_sense-2:abcdefghij", Seq: 42},
		"notes:abcdefghij@999999999999999999":    {Ref: "notes:abcdefghij", Seq: 999999999999999999},
		"notes:abcdefghij@0":                     {Ref: "notes:abcdefghij"},
		"":                                       {},
		"notes":                                  {},
		"notes:":                                 {},
		":abcdefghij":                            {},
		"notes:abcdefghi":                        {},
		"notes:abcdefghijk":                      {},
		"notes:abcdefghi1":                       {},
		"notes:abcdefghi8":                       {},
		"notes:Abcdefghij":                       {},
		"Notes:abcdefghij":                       {},
		"no tes:abcdefghij":                      {},
		"notes:abcdefghij@":                      {},
		"notes:abcdefghij@-1":                    {},
		"notes:abcdefghij@1x":                    {},
		"notes:abcdefghij@1@2":                   {},
		"notes:abcdefghij@9999999999999999999":   {},
		"notes:work:abcdefghij":                  {},
		"w-invoice-3k0":                          {},
		"nötes:abcdefghij":                       {},
		"notes:abcdefghi\x00":                    {},
		"notes:" + strings.Repeat("a", 100) + "": {},
	} {
		got, ok := subconscious.ParseCitation(text)
		if ok != (want.Ref != "") || got != want {
			t.Errorf("%q is %+v %v, want %+v", text, got, ok, want)
		}
	}
}

var citationForm = regexp.MustCompile(`^[a-z0-9_-]+:[a-z2-7]{10}(@[0-9]{1,18})?$`)

func FuzzParseCitation(f *testing.F) {
	for _, seed := range []string{"notes:abcdefghij", "notes:abcdefghij@42", "a:bbbbbbbbbb@007", "", "@", ":@", "notes:abcdefghij@99999999999999999999", "Ⅻ:abcdefghij"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := subconscious.ParseCitation(text)
		if want := citationForm.MatchString(strings.TrimSpace(text)); ok != want {
			t.Fatalf("%q is a citation: %v", text, ok)
		}
		if again, _ := subconscious.ParseCitation(c.String()); ok && again != c {
			t.Fatalf("%q is %+v, and %q is %+v", text, c, c.String(), again)
		}
	})
}

func TestPairs(t *testing.T) {
	if subconscious.PairKey("a", "b") != subconscious.PairKey("b", "a") {
		t.Error("the order makes a difference")
	}
	all := []subconscious.IncidentKey{"files:a", "files:a & files:b", "files:b", "files:b & files:a", "files:&", "files:& ", "files: &", "files:a &", "& files:a", "", " & ", "&&"}
	keys := map[subconscious.IncidentKey][2]subconscious.IncidentKey{}
	for i, a := range all {
		for _, b := range all[i:] {
			key := subconscious.PairKey(a, b)
			if before, taken := keys[key]; taken {
				t.Errorf("%q and %q have the key of %q", a, b, before)
			}
			keys[key] = [2]subconscious.IncidentKey{a, b}
			if !key.IsPair() || key.IsPattern() {
				t.Errorf("%q is no pair", key)
			}
			for _, part := range all {
				if got := key.Pairs(part); got != (part == a || part == b) {
					t.Errorf("%q is in %q: %v", part, key, got)
				}
			}
		}
	}
	pattern := subconscious.PatternKey("files:a")
	if !pattern.IsPattern() || pattern.IsPair() || pattern.Pairs("files:a") || subconscious.IncidentKey("files:a").Pairs("files:a") {
		t.Errorf("%q", pattern)
	}
}
