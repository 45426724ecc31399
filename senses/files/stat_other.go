//go:build !unix

package files

import "io/fs"

// statOf returns what tells two states of a file apart.
func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
}

// deviceOf returns the device that a folder lies on.
func deviceOf(fs.FileInfo) uint64 { return 0 }
