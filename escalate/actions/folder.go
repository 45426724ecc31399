package actions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// below returns the absolute path of what is, or could be made, below root.
// The path is relative to root or begins with it. It is looked at when it is
// proposed and again right before its program starts; what is changed there
// after that is the program's to notice.
func below(root, path string) (string, error) {
	if len(path) > maxPath {
		return "", fmt.Errorf("has %d bytes, more than %d", len(path), maxPath)
	}
	if bad := notText(path, false); bad != "" {
		return "", fmt.Errorf("has %s", bad)
	}
	root = filepath.Clean(root)
	if filepath.IsAbs(path) {
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return "", fmt.Errorf("must be below %s", root)
		}
		path = relative
	}
	if !filepath.IsLocal(path) {
		return "", fmt.Errorf("must be below %s", root)
	}
	path = filepath.Clean(path)
	folder, err := os.OpenRoot(root)
	if err != nil {
		return "", fmt.Errorf("cannot be looked for: the folder %s cannot be opened", root)
	}
	defer folder.Close()
	if _, err := folder.Stat(path); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("is not to be reached below %s, or over a link that leads out of it", root)
		}
		// What is not there yet needs a folder that is.
		if parent, err := folder.Stat(filepath.Dir(path)); err != nil || !parent.IsDir() {
			return "", fmt.Errorf("is neither there nor in a folder that is, below %s", root)
		}
	}
	return filepath.Join(root, path), nil
}
