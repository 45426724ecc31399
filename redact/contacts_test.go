package redact_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/redact"
)

func TestReadNames(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"lines", "# friends\nAnna Müller\n\n  Bo\nLi Wei\nDr. Jan van der Berg\r\n", []string{"Anna Müller", "Anna", "Müller", "Li Wei", "Wei", "Dr. Jan van der Berg", "Jan", "Berg"}},
		{"once", "Anna\nanna\nANNA B.", []string{"Anna", "ANNA B."}},
		{"addresses are no names", "anna@example.com", nil},
		{"empty", "", nil},
		{"cards", "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Anna Müller\r\nN:Müller;Anna;Maria;Dr.;\r\nEMAIL:a@example.com\r\nEND:VCARD\r\nbegin:vcard\nfn:Bob\nend:vcard\n",
			[]string{"Anna Müller", "Anna", "Müller", "Müller Anna", "Maria", "Bob"}},
		{"groups, parameters, escapes", "BEGIN:VCARD\nitem1.FN;CHARSET=UTF-8:Lee\\, Kim\nN:O\\;Hara;Sue\nEND:VCARD", []string{"Lee, Kim", "Lee", "Kim", "Sue O;Hara", "Sue", "O;Hara", "O;Hara Sue"}},
		{"folded lines", "BEGIN:VCARD\nFN:Anna Mül\n ler\nEND:VCARD", []string{"Anna Müller", "Anna", "Müller"}},
		{"quoted printable", "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg M=C3=\n=BCller\nEND:VCARD", []string{"Jörg Müller", "Jörg", "Müller"}},
		{"byte order mark", "\ufeffAnna", []string{"Anna"}},
		{"Han", "王小明", []string{"王小明"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := redact.ReadNames(strings.NewReader(test.in))
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v\nwant %q", got, err, test.want)
			}
		})
	}
}

func TestReadNamesIsBounded(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"large":     {strings.Repeat("Anna\n", 1<<20+1), "larger than 5 MB"},
		"many":      {strings.Repeat("Anna\n", 50_001), "more than 50000 contacts"},
		"cards":     {strings.Repeat("BEGIN:VCARD\nFN:A\n", 50_001), "more than 50000 contacts"},
		"not UTF-8": {"Anna M\xfcller", "save them as UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := redact.ReadNames(strings.NewReader(test.in)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestReadContacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "contacts.vcf")
	testutil.Write(t, path, "BEGIN:VCARD\nFN:Anna\nEND:VCARD\n")
	names, err := redact.ReadContacts(path)
	if err != nil || !slices.Equal(names, []string{"Anna"}) {
		t.Errorf("got %q, %v", names, err)
	}
	if _, err := redact.ReadContacts(path + ".missing"); err == nil || !strings.Contains(err.Error(), "one name a line") {
		t.Errorf("missing: %v", err)
	}
}

func FuzzReadNames(f *testing.F) {
	for _, s := range []string{"Anna\nBob", "BEGIN:VCARD\nFN:Anna\nN:a;b;c\\;;d\nEND:VCARD", "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:=C3=\n=B6", "N:;;;;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names, err := redact.ReadNames(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, name := range names {
			if strings.TrimSpace(name) == "" {
				t.Fatalf("an empty name in %q", names)
			}
		}
	})
}
