package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/store/mind"
)

var (
	made     = time.Date(2026, 7, 2, 15, 4, 5, 0, time.UTC)
	restored = made.Add(48 * time.Hour)
)

// waiting is what waits in a mind, in each way that it can.
const waiting = `
INSERT INTO notify_outbox (key, channel, sequence, kind, incident, at, title, text, urgent, expires, link, answers, state, due, changed, attempts, repeated, sent, receipt, error, next)
	VALUES ('a', 'phone', 's', 'incident', 'i-1', 1, 'A', '', 0, 9e18, '', '[]', 'pending', 0, 1, 0, 0, 0, '', '', ''),
		('b', 'phone', 's', 'incident', 'i-1', 1, 'B', '', 0, 9e18, '', '[]', 'sending', 0, 1, 1, 0, 0, '', '', ''),
		('c', 'phone', 's', 'incident', 'i-1', 1, 'C', '', 0, 9e18, '', '[]', 'sent', 0, 1, 1, 0, 1, '', '', '');
INSERT INTO notify_key VALUES (1, x'00');
INSERT INTO actions_proposals VALUES (1, 'k', 'order', '{}', '[]', '/', 'h', 'paper is out', 'i-1', '', '', 'act', '', 1, 9e18, 'pending', 1);
INSERT INTO actions_runs (key, claim, action, arguments, argv, folder, hash, reason, incident, deliberation, trusts, clause, why, proposal, undoes, started, ended, state, exit, output, left_out, problem, undo_until, noticed)
	VALUES ('r', '', 'order', '{}', '[]', '/', 'h', '', '', '', '', '', '', '', '', 1, 0, 'started', 0, '', 0, '', 0, 0),
		('u', '', 'order', '{}', '[]', '/', 'h', '', '', '', '', '', '', '', '', 1, 2, 'succeeded', 0, '', 0, '', 9e18, 1);
INSERT INTO escalations (id, tick, incident, person, at, critical, expires, state, body) VALUES ('d-1', 1, 'x', 'i-1', 1, 0, 0, 'running', x'00');
INSERT INTO mind_notices (code, key, at, zone, text, next) VALUES ('sense_blind', '', 1, 0, 'blind', '');
INSERT INTO mind_habits VALUES ('letters', 1, '{}');
`

// aMind is a state folder with all that one has, in a folder of its own. Its name
// would be a pattern that does not match it.
func aMind(t *testing.T, migrations []store.Migration, sql ...string) string {
	t.Helper()
	dir := filepath.Join(testutil.Folder(t), "st[a]te")
	for path, text := range map[string]string{"subconscious.json": "{}\n", "trial/2026-07-01.md": "- told\n", "sign-in/mail-home.json": "token", "lock": "", "socket": ""} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	inDatabase(t, dir, migrations, func(db *store.DB) {
		for _, text := range sql {
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.Exec(t.Context(), text) }); err != nil {
				t.Fatal(err)
			}
		}
	})
	return dir
}

func inDatabase(t *testing.T, dir string, migrations []store.Migration, do func(*store.DB)) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "mind.db")}, migrations...)
	if err != nil {
		t.Fatal(err)
	}
	do(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func backUp(t *testing.T, dir string) string {
	t.Helper()
	one, err := backup.Make(t.Context(), backup.Options{StateDir: dir, Path: testutil.Folder(t), Version: "v1", At: made})
	if err != nil {
		t.Fatal(err)
	}
	return one.Path
}

func restore(ctx context.Context, path, dir string) (backup.Restored, error) {
	return backup.Restore(ctx, backup.RestoreOptions{Path: path, StateDir: dir, At: restored})
}

func TestWhatWaitedIsClosed(t *testing.T) {
	dir := aMind(t, backup.Migrations(), waiting)
	path := backUp(t, dir)
	if stat, err := os.Stat(path); err != nil || stat.Mode() != 0o600 || filepath.Base(path) != "subconscious-20260702T150405Z.tar.gz" {
		t.Errorf("%s: %v, %v", path, stat, err)
	}
	done, err := restore(t.Context(), path, dir)
	if want := (backup.Closed{Messages: 2, Proposals: 1, Runs: 1, Escalations: 1}); err != nil || done.Closed != want {
		t.Fatalf("%v, %v", done.Closed, err)
	}
	if done.Kept != dir+".before-restore-20260704T150405Z" {
		t.Error("kept as", done.Kept)
	}
	if got, want := strings.Join(tree(t, dir), " "), "mind.db sign-in/mail-home.json subconscious.json trial/2026-07-01.md"; got != want {
		t.Errorf("the restored mind has %s, want %s", got, want)
	}
	if !slices.Contains(tree(t, done.Kept), "mind.db") {
		t.Error("what was there is gone")
	}
	inDatabase(t, dir, backup.Migrations(), func(db *store.DB) {
		for query, want := range map[string]string{
			"SELECT group_concat(state) FROM notify_outbox":                                  "expired,expired,sent",
			"SELECT error FROM notify_outbox WHERE key = 'a'":                                "restored: it waited when the backup was made",
			"SELECT count(*) || '' FROM notify_key":                                          "0",
			"SELECT state || ': ' || reason FROM actions_proposals":                          "expired: restored, and so closed: paper is out",
			"SELECT group_concat(state || noticed) FROM actions_runs":                        "unknown1,succeeded1",
			"SELECT count(*) || '' FROM actions_runs WHERE undo_until > 1783177445000000000": "0",
			"SELECT state FROM escalations":                                                  "ended",
			"SELECT told || '' FROM mind_notices":                                            "1",
			"SELECT name FROM mind_habits":                                                   "letters",
		} {
			got, _, err := store.One(t.Context(), db, store.Value[string], query)
			if err != nil || got != want {
				t.Errorf("%s: %q, %v; want %q", query, got, err, want)
			}
		}
		if at, err := mind.New(db).Restored(t.Context()); err != nil || !at.Equal(restored) {
			t.Errorf("restored at %s, %v", at, err)
		}
	})
}

func TestOlderMindIsMigratedAside(t *testing.T) {
	all := backup.Migrations()
	dir := aMind(t, all[:len(all)-1])
	path := backUp(t, dir)
	elsewhere := filepath.Join(testutil.Folder(t), "new", "state")
	done, err := restore(t.Context(), path, elsewhere)
	if err != nil || done.Kept != "" || done.Backup.Schema != len(all)-1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if schema, err := store.SchemaOf(filepath.Join(elsewhere, "mind.db")); err != nil || schema != len(all) {
		t.Errorf("schema %d, %v", schema, err)
	}
}

func TestUsedFolder(t *testing.T) {
	dir := aMind(t, backup.Migrations())
	path := backUp(t, dir)
	lock, err := mind.LockDir(dir, made)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	before := tree(t, filepath.Dir(dir))
	_, err = restore(t.Context(), path, dir)
	if store.CodeOf(err) != store.CodeLocked || !strings.Contains(err.Error(), "systemctl --user stop subconsciousd") {
		t.Error(err)
	}
	if after := tree(t, filepath.Dir(dir)); !slices.Equal(before, after) {
		t.Errorf("it left %v, and there was %v", after, before)
	}
	if _, err := backup.Make(t.Context(), backup.Options{StateDir: dir, Path: path, At: made}); store.CodeOf(err) != store.CodeBackup {
		t.Errorf("a file that is there: %v", err)
	}
	if _, err := backup.Make(t.Context(), backup.Options{StateDir: dir, Path: path, At: made, Force: true}); err != nil {
		t.Errorf("by force: %v", err)
	}
}

// TestLeftByAKill: copies that nobody works on are removed, and nothing else.
func TestLeftByAKill(t *testing.T) {
	dir, kept, elsewhere := aMind(t, backup.Migrations()), testutil.Folder(t), filepath.Join(testutil.Folder(t), "state")
	path := backUp(t, dir)
	left := []struct {
		path, holds string
		age         time.Duration // when it is restored, two days after the backup
		stays       bool
	}{
		{dir + "/backup-1.part", "mind.db", 97 * time.Hour, false},
		{kept + "/.subconscious-1.part", "x", 97 * time.Hour, false},
		{kept + "/.subconscious-2.part", "x", 95 * time.Hour, true},
		{kept + "/.subconscious-mine.part", "x", 97 * time.Hour, true},
		{dir + ".restoring-1", "mind.db", time.Hour, false},
		{dir + ".restoring-2", "lock", 97 * time.Hour, true}, // what was there, killed before it was renamed
		{dir + ".restoring-mine", "x", 97 * time.Hour, true},
		{elsewhere + ".restoring-1", "mind.db", 49 * time.Hour, false},
		{elsewhere + ".restoring-2", "mind.db", time.Hour, true}, // nothing is there to lock
	}
	for _, one := range left {
		testutil.Write(t, filepath.Join(one.path, one.holds), "")
		if err := os.Chtimes(one.path, restored, restored.Add(-one.age)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := backup.Make(t.Context(), backup.Options{StateDir: dir, Path: kept, At: made})
	_, again := os.Stat(dir + "/backup-1.part") // which the restored mind lacks in any case
	_, here := restore(t.Context(), path, dir)
	_, there := restore(t.Context(), path, elsewhere)
	if err := errors.Join(err, here, there); err != nil || again == nil {
		t.Fatal(err, again)
	}
	for _, one := range left {
		if _, err := os.Stat(one.path); (err == nil) != one.stays {
			t.Errorf("%s of %s: %v; stays: %v", one.path, one.age, err, one.stays)
		}
	}
}

func TestUnreadableSource(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := aMind(t, backup.Migrations())
	for _, source := range []string{filepath.Join(dir, "trial/2026-07-01.md"), filepath.Join(dir, "trial")} {
		if err := os.Chmod(source, 0); err != nil {
			t.Fatal(err)
		}
		_, err := backup.Make(t.Context(), backup.Options{StateDir: dir, Path: testutil.Folder(t), At: made})
		if err := os.Chmod(source, 0o700); err != nil {
			t.Fatal(err)
		}
		if wrong, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(wrong.Text, source+" cannot be read") || wrong.Next != "let this user read it: chmod u+r "+source {
			t.Error(err)
		}
	}
}

// entry is one of an archive.
type entry struct {
	tar.Header
	content string
}

// TestHostileArchives: whatever is wrong with an archive is said, and changes
// nothing.
func TestHostileArchives(t *testing.T) {
	ctx := t.Context()
	dir := aMind(t, backup.Migrations())
	whole := testutil.Read(t, backUp(t, dir))
	good := entries(t, whole)
	database := []byte(good[1].content)
	// with changes the archive, and says in the manifest what it holds.
	with := func(change func(*backup.Manifest, []entry) []entry) []byte {
		var manifest backup.Manifest
		if err := json.Unmarshal([]byte(good[0].content), &manifest); err != nil {
			t.Fatal(err)
		}
		return packed(t, change(&manifest, slices.Clone(good[1:])), &manifest)
	}
	replaced := func(content []byte) []byte {
		return with(func(m *backup.Manifest, all []entry) []entry {
			sum := sha256.Sum256(content)
			m.Files[0].Size, m.Files[0].SHA256, all[0].content = int64(len(content)), hex.EncodeToString(sum[:]), string(content)
			return all
		})
	}
	named := func(name string) []byte {
		return with(func(m *backup.Manifest, all []entry) []entry {
			m.Files[1].Name, all[1].Name = name, name
			return all
		})
	}
	typed := func(kind byte) []byte {
		return with(func(_ *backup.Manifest, all []entry) []entry {
			all[1].Typeflag, all[1].Linkname, all[1].content = kind, "/etc/passwd", ""
			return all
		})
	}
	trigger := aMind(t, backup.Migrations(), "CREATE TRIGGER evil AFTER INSERT ON mind_meta BEGIN DELETE FROM mind_ticks; END")
	foreign := bytes.Clone(database)
	copy(foreign[68:], "else")
	for name, test := range map[string]struct {
		archive []byte
		want    string
	}{
		"empty":                {nil, "it is no tar.gz"},
		"a text":               {[]byte("hello\n"), "it is no tar.gz"},
		"only begun":           {whole[:20], "is cut off"},
		"half":                 {whole[:len(whole)/2], "is cut off"},
		"all but a byte":       {whole[:len(whole)-1], "is cut off"},
		"a flipped bit":        {flipped(whole, len(whole)/2), "is damaged"},
		"a flipped checksum":   {flipped(whole, len(whole)-6), "is damaged"},
		"another tar":          {packed(t, good[1:], nil), "does not begin with a manifest"},
		"a path that leads up": {named("../evil"), `it holds "../evil"`},
		"an absolute path":     {named("/tmp/evil"), `it holds "/tmp/evil"`},
		"a note that leads up": {named("trial/../../evil.md"), `it holds "trial/../../evil.md"`},
		"a sign-in":            {named("sign-in/mail-home.json"), `it holds "sign-in/mail-home.json"`},
		"a symbolic link":      {typed(tar.TypeSymlink), "it has a link or a special file"},
		"a hard link":          {typed(tar.TypeLink), "it has a link or a special file"},
		"a pipe":               {typed(tar.TypeFifo), "it has a link or a special file"},
		"a device":             {typed(tar.TypeChar), "it has a link or a special file"},
		"a file twice": {with(func(m *backup.Manifest, all []entry) []entry {
			m.Files = append(m.Files[:1], m.Files...)
			return append(all[:1], all...)
		}), "or a file twice"},
		"a file too many": {with(func(_ *backup.Manifest, all []entry) []entry {
			return append(all, entry{tar.Header{Name: "zzz"}, "z"})
		}), `it has "zzz", which its manifest does not name`},
		"a file too few": {with(func(_ *backup.Manifest, all []entry) []entry { return all[:1] }), "it lacks subconscious.json"},
		"other content": {with(func(_ *backup.Manifest, all []entry) []entry {
			all[1].content = "[]\n"
			return all
		}), "subconscious.json is not what was backed up"},
		"a bomb": {with(func(m *backup.Manifest, all []entry) []entry {
			m.Files[0].Size = 200 << 20
			return all
		}), "it would unpack to more than"},
		"a negative size": {with(func(m *backup.Manifest, all []entry) []entry {
			m.Files[0].Size = -1
			return all
		}), "it would unpack to more than"},
		"a bomb behind the end": {append(bytes.Clone(whole), zipped(t, make([]byte, 4<<20))...), "it goes on behind its end"},
		"no database": {with(func(m *backup.Manifest, all []entry) []entry {
			m.Files = m.Files[1:]
			return all[1:]
		}), "names no mind.db"},
		"a newer format": {with(func(m *backup.Manifest, all []entry) []entry {
			m.Format, m.Version = 2, "v9"
			return all
		}), "made by a newer version, v9: it has format 2"},
		"a newer schema":         {replaced(schemaOf(database, 999)), "it has schema 999, and this program knows "},
		"a text for a database":  {replaced([]byte(strings.Repeat("no database\n", 100))), "is no database"},
		"another's database":     {replaced(foreign), "is a database of another program"},
		"half a database":        {replaced(database[:len(database)/2]), "is damaged"},
		"a page of junk":         {replaced(junk(database)), "is damaged"},
		"a database with a trap": {testutil.Read(t, backUp(t, trigger)), "tables or triggers that no version of subconsciousd makes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(testutil.Folder(t), "b.tar.gz")
			if err := os.WriteFile(path, test.archive, 0o600); err != nil {
				t.Fatal(err)
			}
			refused(t, ctx, path, dir, test.want)
		})
	}
	refused(t, ctx, filepath.Join(dir, "nothing.tar.gz"), dir, "there is no file")
	refused(t, ctx, filepath.Dir(dir), dir, "is no file")
}

// refused restores, and wants to hear why not, and what to do, and that nothing is
// changed.
func refused(t *testing.T, ctx context.Context, path, dir, want string) {
	t.Helper()
	before := contents(t, filepath.Dir(dir))
	_, err := restore(ctx, path, dir)
	wrong, ok := errors.AsType[*store.Error](err)
	if !ok || !strings.Contains(wrong.Text, want) || wrong.Next == "" || strings.Contains(wrong.Text, "restoring-") {
		t.Errorf("%v; want %q and a next step", err, want)
	}
	if after := contents(t, filepath.Dir(dir)); after != before {
		t.Errorf("there is now %s, and there was %s", after, before)
	}
}

// tree are the files below a folder.
func tree(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// contents are the files below a folder with what is in them, but for the lock, which
// says who held it last.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range tree(t, folder) {
		if filepath.Base(name) != "lock" {
			sum := sha256.Sum256(testutil.Read(t, filepath.Join(folder, name)))
			all.WriteString(name + " " + hex.EncodeToString(sum[:4]) + "\n")
		}
	}
	return all.String()
}

func entries(t *testing.T, archive []byte) (all []entry) {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(unzipped); ; {
		header, err := in.Next()
		if err == io.EOF {
			return all
		}
		content, failed := io.ReadAll(in)
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		all = append(all, entry{tar.Header{Name: header.Name}, string(content)})
	}
}

// packed is an archive of entries, with a manifest where there is one.
func packed(t *testing.T, all []entry, manifest *backup.Manifest) []byte {
	t.Helper()
	if manifest != nil {
		text, err := json.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		all = append([]entry{{tar.Header{Name: "manifest.json"}, string(text)}}, all...)
	}
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, e := range all {
		e.Size, e.Mode = int64(len(e.content)), 0o600
		if err := archive.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped(t, out.Bytes())
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func flipped(content []byte, at int) []byte {
	content = bytes.Clone(content)
	content[at] ^= 0x10
	return content
}

// schemaOf is a database that says that it has that schema.
func schemaOf(database []byte, version uint16) []byte {
	database = bytes.Clone(database)
	database[62], database[63] = byte(version>>8), byte(version)
	return database
}

// junk is a database with a page that is none.
func junk(database []byte) []byte {
	database = bytes.Clone(database)
	for i := range 4096 {
		database[len(database)/2/4096*4096+i] = 0xa5
	}
	return database
}

// TestDamagedMind: a mind that is damaged is not backed up, and is put right by a
// backup of before.
func TestDamagedMind(t *testing.T) {
	dir := aMind(t, backup.Migrations(), waiting)
	path := backUp(t, dir)
	for _, name := range []string{"mind.db-wal", "mind.db-shm"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	testutil.Write(t, filepath.Join(dir, "mind.db"), junk(testutil.Read(t, filepath.Join(dir, "mind.db"))))
	before := contents(t, filepath.Dir(dir))
	_, err := backup.Make(t.Context(), backup.Options{StateDir: dir, Path: filepath.Join(filepath.Dir(dir), "b.tar.gz"), At: made})
	if store.CodeOf(err) != store.CodeCorrupt || !strings.Contains(err.Error(), "subconsciousctl restore FILE") {
		t.Error(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(contents(t, filepath.Dir(dir))), "\n") {
		if !strings.Contains(before, line) && !strings.Contains(line, "mind.db-") {
			t.Error("it left", line)
		}
	}
	if _, err := restore(t.Context(), path, dir); err != nil {
		t.Fatal(err)
	}
	if err := store.CheckFile(t.Context(), filepath.Join(dir, "mind.db")); err != nil {
		t.Error(err)
	}
}
