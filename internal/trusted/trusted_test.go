package trusted_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/trusted"
)

func TestPath(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(root string) error // root/a/b/file is there, and nobody else may write to it
		path string
		want string // in the error; "" for none
	}{
		{"right", func(string) error { return nil }, "a/b/file", ""},
		{"not there", func(string) error { return nil }, "a/b/none", "no such file or directory"},
		{"a file of the group", func(root string) error { return os.Chmod(root+"/a/b/file", 0o660) }, "a/b/file", "chmod go-w ROOT/a/b/file"},
		{"a folder of all", func(root string) error { return os.Chmod(root+"/a/b", 0o777) }, "a/b", "chmod go-w ROOT/a/b"},
		{"a parent of all, and one of the group", func(root string) error {
			return errors.Join(os.Chmod(root+"/a", 0o777), os.Chmod(root+"/a/b", 0o770))
		}, "a/b/file", "chmod go-w ROOT/a ROOT/a/b"},
		{"not there, below a parent of all", func(root string) error { return os.Chmod(root+"/a", 0o777) }, "a/none", "chmod go-w ROOT/a"},
		{"a sticky parent", func(root string) error { return os.Chmod(root+"/a", 0o777|os.ModeSticky) }, "a/b/file", ""},
		{"itself sticky", func(root string) error { return os.Chmod(root+"/a", 0o777|os.ModeSticky) }, "a", "chmod go-w ROOT/a"},
		{"a link to what is right", func(root string) error { return os.Symlink("../a/b", root+"/c/b") }, "c/b/file", ""},
		{"a link to what is not", func(root string) error {
			return errors.Join(os.Chmod(root+"/a", 0o777), os.Symlink(root+"/a/b/", root+"/c/b"))
		}, "c/b/file", "chmod go-w ROOT/a"},
		{"a link in what is not", func(root string) error {
			return errors.Join(os.Chmod(root+"/c", 0o777), os.Symlink(root+"/a/b", root+"/c/b"))
		}, "c/b/file", "chmod go-w ROOT/c"},
		{"a link to itself", func(root string) error { return os.Symlink("b", root+"/c/b") }, "c/b", "too many links"},
		{"of another user", func(root string) error { return os.Chown(root+"/a", 65534, 65534) }, "a/b/file", "ROOT/a belongs to user 65534"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err == nil {
				err = errors.Join(os.Mkdir(root+"/c", 0o700), os.MkdirAll(root+"/a/b", 0o700), os.WriteFile(root+"/a/b/file", nil, 0o600), test.make(root))
			}
			if errors.Is(err, fs.ErrPermission) && os.Getenv("CI") != "true" {
				t.Skip("this needs root")
			}
			if err != nil {
				t.Fatal(err)
			}
			err = trusted.Path(filepath.Join(root, test.path))
			want := strings.ReplaceAll(test.want, "ROOT", root)
			said := fmt.Sprint(err)
			if (err == nil) != (want == "") || !strings.HasSuffix(said, want) && (strings.HasPrefix(want, "chmod") || !strings.Contains(said, want)) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}
