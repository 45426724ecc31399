// Package files is the sense that notices what happens to the files below a
// folder: which were created, saved, renamed or deleted since the last collect.
//
// Kind "file", always momentary. The identity is the instance and the path
// below the root: "work/report.md" for a file, "work/src/" for a folder that
// was renamed, "work/src/*" for a burst of changes. Attributes:
//
//	action   created, changed, renamed, deleted or burst
//	path     the absolute path
//	dir      the folder below the root, "." for the root itself
//	from     where a renamed file or folder was, below the root
//	ext      the extension in lower case, without the dot
//	size     in bytes
//	files    how many files a renamed folder holds, or a burst touched
//	created, changed, renamed, deleted  the parts of a burst
//	secret   "true" for what looks like a secret; such files are never read
//	config   "true" for configuration that decides what a machine does
//
// The first collect is silent. What was seen is kept as one row a file, keyed by
// the path below the root, in the same commit as the cursor; see senses.Row.
// Files are looked at through os.Root, so that no symlink leads out of the
// folder; symlinks themselves are not followed. The daemon makes one sense for
// each configured folder.
package files
