package redaction_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/eval"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

// labelled is a label as it stands in labels.json.
type labelled map[string]any

func label(path, rule, confidence string, line, start, end int, value string) labelled {
	return labelled{"path": path, "rule": rule, "conf": confidence, "sev": "high", "line": line, "s": start, "e": end, "value": value}
}

// entry is a file of an archive.
type entry struct {
	name string
	data string
	kind byte
}

func files(t *testing.T, labels []labelled, texts map[string]string) []entry {
	t.Helper()
	data := testutil.JSON(t, labels)
	entries := []entry{{name: "labels.json", data: string(data)}}
	for name, text := range texts {
		entries = append(entries, entry{name: name, data: text})
	}
	return entries
}

// archive writes a .tar.gz and returns its path.
func archive(t *testing.T, entries []entry) string {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Size: int64(len(e.data)), Mode: 0o600, Typeflag: e.kind}
		if e.kind == 0 {
			header.Typeflag = tar.TypeReg
		}
		if e.kind == tar.TypeSymlink {
			header.Linkname, header.Size = e.data, 0
		}
		if err := out.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if e.kind == 0 {
			if _, err := out.Write([]byte(e.data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "samples.tar.gz")
	testutil.Write(t, path, packed.Bytes())
	return path
}

// folder writes the same entries as files.
func folder(t *testing.T, entries []entry) string {
	t.Helper()
	root := t.TempDir()
	for _, e := range entries {
		path := filepath.Join(root, filepath.FromSlash(e.name))
		testutil.Write(t, path, e.data)
	}
	return root
}

// run carries out `eval redaction args…`.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, bad bytes.Buffer
	code = eval.Run(t.Context(), append([]string{"redaction"}, args...), &out, &bad)
	return code, out.String(), bad.String()
}

// measured is what the suite prints as JSON.
type measured struct {
	Files     int
	Strong    struct{ Recall, Files, Found, Places float64 }
	All       struct{ Recall, Files, Found, Places float64 }
	Precision struct{ Precision, Files, Right, Hits float64 }
	LeftOut   []struct {
		Rule   string
		Labels int
	} `json:"left_out"`
	Nowhere       int
	Missed, Wrong []struct{ Path, Text, Rule string }
}

func measure(t *testing.T, args ...string) measured {
	t.Helper()
	code, stdout, stderr := run(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var m measured
	if err := json.Unmarshal([]byte(stdout), &m); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return m
}

// block is a PEM block of an invented key.
func block() string {
	line := strings.Repeat("q7Rk2ZpX9mT4vB8s", 4)
	return "-----BEGIN RSA PRI" + "VATE KEY-----\n" + line + "\n" + line + "\n-----END RSA PRI" + "VATE KEY-----"
}

func TestRedactionIsScoredByPlace(t *testing.T) {
	pem := strings.Split(block(), "\n")
	texts := map[string]string{
		"pem":   "x\n" + block() + "\n",
		"twice": "ü password: hunter2\n",
		"wrong": "password: guess99\nnothing: here\npassword: other77\n",
		"id":    "api_key: 550e8400e29b41d4a716446655440000x1\n",
	}
	labels := []labelled{
		label("twice", "Password", "moderate", 1, 12, 19, "hunter2"),
		label("twice", "Secret", "strong", 1, 12, 19, "hunter2"),
		label("wrong", "Key", "weak", 2, 9, 13, "here"),
		label("wrong", "Password", "weak", 3, 10, 17, "other77"),
		label("id", "Some App ID", "weak", 1, 9, 43, "550e8400e29b41d4a716446655440000x1"),
	}
	for i, line := range pem {
		labels = append(labels, label("pem", "PEM Private Key", "strong", i+2, 0, len(line), line))
	}
	entries := files(t, labels, texts)
	packed := archive(t, entries)
	for name, path := range map[string]string{"archive": packed, "its folder": filepath.Dir(packed), "folder": folder(t, entries)} {
		t.Run(name, func(t *testing.T) {
			m := measure(t, path)
			if m.Files != 4 || m.All.Places != 4 || m.All.Found != 3 || m.All.Files != 3 || m.All.Recall != (1+1+0.5)/3 {
				t.Errorf("all: %+v", m)
			}
			if m.Strong.Places != 2 || m.Strong.Found != 2 || m.Strong.Recall != 1 {
				t.Errorf("strong: %+v", m.Strong)
			}
			if m.Precision.Hits != 4 || m.Precision.Right != 3 || m.Precision.Files != 3 || m.Precision.Precision != (1+1+0.5)/3 {
				t.Errorf("precision: %+v", m.Precision)
			}
			if len(m.LeftOut) != 1 || m.LeftOut[0].Rule != "Some App ID" || m.LeftOut[0].Labels != 1 {
				t.Errorf("left out: %+v", m.LeftOut)
			}
		})
	}
}

func TestHalvesAreApartAndOnlyOneCanBeLookedAt(t *testing.T) {
	texts := map[string]string{}
	var labels []labelled
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		texts[name] = "the word is sesame\npassword: guess99\n"
		labels = append(labels, label(name, "Password", "strong", 1, 12, 18, "sesame"))
	}
	path := archive(t, files(t, labels, texts))
	tuning, other, all := measure(t, path, "--half", "tuning"), measure(t, path, "--half=other"), measure(t, path)
	if tuning.Files == 0 || other.Files == 0 || tuning.Files+other.Files != len(texts) || all.Files != len(texts) {
		t.Errorf("%d and %d files of %d", tuning.Files, other.Files, all.Files)
	}
	// SHA-256 of "a" begins with ca, of "b" with 3e, of "c" with 2e, of "d" with 18.
	seen := measure(t, path, "--half", "tuning", "--misses", "2")
	if len(seen.Missed) != 2 || len(seen.Wrong) != 2 || seen.Missed[0].Text != "sesame" || seen.Wrong[0].Text != "guess99" || seen.Missed[0].Path != "a" {
		t.Errorf("cases: %+v %+v", seen.Missed, seen.Wrong)
	}
	for _, half := range []string{"other", "all"} {
		if code, _, stderr := run(t, path, "--half", half, "--misses", "1"); code != 2 || !strings.Contains(stderr, "tuning half alone") {
			t.Errorf("%s: exit code %d, %s", half, code, stderr)
		}
	}
}

func TestHostileArchives(t *testing.T) {
	good := label("a", "Password", "strong", 1, 0, 3, "abc")
	tests := []struct {
		name    string
		entries []entry
		want    string
	}{
		{"climbs", append(files(t, []labelled{good}, nil), entry{name: "../a", data: "abc"}), "not a path within the set"},
		{"absolute", append(files(t, []labelled{good}, nil), entry{name: "/a", data: "abc"}), "not a path within the set"},
		{"label climbs", files(t, []labelled{label("../a", "x", "", 1, 0, 3, "abc")}, nil), "not a path within the set"},
		{"a link for a file", append(files(t, []labelled{good}, nil), entry{name: "a", data: "/etc/passwd", kind: tar.TypeSymlink}), `labels.json names "a"`},
		{"a large file", append(files(t, []labelled{good}, nil), entry{name: "a", data: strings.Repeat("a", 16<<20+1)}), "larger than 16 MB"},
		{"unpacks without end", many(17, strings.Repeat("a", 16<<20-1)), "more than 256 MB"},
		{"many files", many(20_001, ""), "more than 20000 entries"},
		{"no labels", []entry{{name: "a", data: "abc"}}, "no labels.json"},
		{"an empty list", []entry{{name: "labels.json", data: "[]"}}, "has 0 labels"},
		{"not a list", []entry{{name: "labels.json", data: `{"path": 1}`}}, "it is a list of"},
		{"not JSON", []entry{{name: "labels.json", data: `[{]`}}, "it is a list of"},
		{"no place", files(t, []labelled{label("a", "x", "", 0, 5, 3, "")}, nil), "no place in a file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := run(t, archive(t, test.entries))
			if code != 1 || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %q", code, stdout, stderr, test.want)
			}
		})
	}
}

// many returns entries that each hold the same data.
func many(n int, data string) []entry {
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = entry{name: "f" + string(rune('a'+i%26)) + strings.Repeat("x", i/26%50), data: data}
	}
	return entries
}

func TestLinksOutOfAFolderAreNotFollowed(t *testing.T) {
	root := folder(t, files(t, []labelled{label("a", "Password", "strong", 1, 0, 3, "abc")}, nil))
	outside := filepath.Join(t.TempDir(), "secret")
	testutil.Write(t, outside, "abc")
	if err := os.Symlink(outside, filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, root); code != 1 || !strings.Contains(stderr, "escapes") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

// TestLabelsThatPointBesideTheText: places are clipped, whatever they say.
func TestLabelsThatPointBesideTheText(t *testing.T) {
	m := measure(t, archive(t, files(t, []labelled{
		label("a", "Password", "strong", 1, 4, 11, "hunter2"),
		label("a", "Password", "strong", 1, 500, 600, "elsewhere"),
		label("a", "Password", "strong", 9, 0, 600, "elsewhere"),
	}, map[string]string{"a": "password: hunter2"})))
	if m.All.Places != 1 || m.All.Found != 1 || m.Nowhere != 2 {
		t.Errorf("%+v", m.All)
	}
}
