package backup_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
)

// aKey makes a key of age, and returns the file that holds it.
func aKey(t *testing.T) (recipient, path string) {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(testutil.Folder(t), "key.txt")
	testutil.Write(t, path, "# a key\n"+key.String()+"\n")
	return key.Recipient().String(), path
}

// TestEncrypted: what is encrypted has the sign-ins, and is read with its key alone.
func TestEncrypted(t *testing.T) {
	dir := aMind(t, backup.Migrations())
	recipient, key := aKey(t)
	_, other := aKey(t)
	options := backup.Options{StateDir: dir, Path: testutil.Folder(t), Recipient: recipient, At: made}
	one, err := backup.Make(t.Context(), options)
	if err != nil || !strings.HasSuffix(one.Path, "/subconscious-20260702T150405Z.tar.gz.age") {
		t.Fatal(one.Path, err)
	}
	whole := testutil.Read(t, one.Path)
	cut := filepath.Join(testutil.Folder(t), "cut.age")
	testutil.Write(t, cut, whole[:len(whole)-100])
	changed := filepath.Join(testutil.Folder(t), "changed.age")
	testutil.Write(t, changed, flipped(whole, len(whole)/2))
	head := filepath.Join(testutil.Folder(t), "head.age")
	testutil.Write(t, head, whole[:60])
	for _, test := range []struct{ path, key, want string }{
		{one.Path, "", "is encrypted"},
		{one.Path, other, "is encrypted to another key than the one in " + other},
		{one.Path, dir + "/nothing", "cannot be read"},
		{one.Path, one.Path, "holds no private key of age"},
		{cut, key, "is damaged"},
		{changed, key, "is damaged"},
		{head, key, "is damaged"},
	} {
		before := contents(t, filepath.Dir(dir))
		_, err := backup.Restore(t.Context(), backup.RestoreOptions{Path: test.path, Identity: test.key, StateDir: dir, At: restored})
		if store.CodeOf(err) != store.CodeBackup || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v; want %q", err, test.want)
		}
		if after := contents(t, filepath.Dir(dir)); after != before {
			t.Errorf("%s: there is now %s", test.want, after)
		}
	}
	elsewhere := filepath.Join(testutil.Folder(t), "state")
	if _, err := backup.Restore(t.Context(), backup.RestoreOptions{Path: one.Path, Identity: key, StateDir: elsewhere, At: restored}); err != nil {
		t.Fatal(err)
	}
	if got := testutil.Read(t, filepath.Join(elsewhere, "sign-in/mail-home.json")); string(got) != "token" {
		t.Errorf("the sign-in is %q", got)
	}
	if plain := testutil.Read(t, backUp(t, dir)); bytes.Contains(plain, []byte("token")) || len(entries(t, plain)) != 4 {
		t.Error("a backup that is not encrypted has the sign-in")
	}
	options.Recipient = "AGE-SECRET-KEY-1QQQ"
	if _, err := backup.Make(t.Context(), options); err == nil || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), "is no public key of age") {
		t.Error("a private key for a recipient:", err)
	}
}
