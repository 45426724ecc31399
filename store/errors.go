package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/subconsciousd/subconsciousd/internal/trusted"
)

// Code names what is wrong, for programs.
type Code string

const (
	CodeNewer      Code = "database_newer"       // written by a newer version
	CodeForeign    Code = "database_foreign"     // an SQLite file of another program
	CodeNotADB     Code = "database_not_sqlite"  // no SQLite file at all
	CodeCorrupt    Code = "database_corrupt"     // damaged
	CodeReadOnly   Code = "database_read_only"   // the file or its volume is read-only
	CodeDiskFull   Code = "disk_full"            //
	CodePermission Code = "permission"           // not allowed by the system
	CodeBusy       Code = "database_busy"        // another program holds it
	CodeIO         Code = "disk_error"           // the disk failed to read or write
	CodeClosed     Code = "database_closed"      // used after Close
	CodeMigration  Code = "database_migration"   // a migration could not be applied
	CodeLocked     Code = "mind_locked"          // another daemon holds the state folder
	CodeFolder     Code = "state_folder"         // the state folder, or a file in it, is not to be used
	CodeDocument   Code = "document_unpublished" // what stands in the document's place
	CodeEdited     Code = "document_edited"      // somebody changed the document meanwhile
	CodeBackup     Code = "backup_refused"       // a backup that cannot be made or used
	CodeInput      Code = "input_refused"        // a command that cannot be taken
)

// Error is an error that people see: a plain sentence and what to do next.
type Error struct {
	Code Code
	Path string // the file or folder that it is about, "" for none
	Text string // one plain sentence, without a full stop
	Next string // one plain sentence with the next step, without a full stop
	Err  error  // the cause, or nil
}

// Error joins the sentence, the cause and the next step.
func (e *Error) Error() string {
	text := e.Text
	if e.Err != nil {
		text += " (" + e.Err.Error() + ")"
	}
	if e.Next != "" {
		text += ". " + e.Next
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error with the same code, so that
// errors.Is(err, &store.Error{Code: store.CodeDiskFull}) works.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// CodeOf returns the code of the first *Error in err's chain, or "".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// explain turns what SQLite and the system say about the database at path into
// an *Error, where there is a plain sentence for it. Other errors come back as
// they are.
func explain(path string, err error) error {
	var explained *Error
	if err == nil || errors.As(err, &explained) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if e := Distrust(err); e != nil {
		return e
	}
	var e *Error
	var fromSQLite *sqlite.Error
	if errors.As(err, &fromSQLite) {
		e = plainSQLite(path, fromSQLite.Code())
	} else {
		e = plainSystem(path, err)
	}
	if e == nil {
		return err
	}
	e.Path, e.Err = path, err
	return e
}

// Distrust makes an *Error of what internal/trusted refuses, or returns nil.
func Distrust(err error) error {
	var refused *trusted.Error
	if !errors.As(err, &refused) {
		return nil
	}
	return &Error{Code: CodeFolder, Path: refused.Path, Text: refused.Text, Next: refused.Then()}
}

func plainSQLite(path string, code int) *Error {
	if code == sqlite3.SQLITE_IOERR_SHMSIZE {
		// The index of the write-ahead log could not grow.
		return diskFull(path)
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		return diskFull(path)
	case sqlite3.SQLITE_READONLY:
		return readOnly(path)
	case sqlite3.SQLITE_CORRUPT:
		return &Error{Code: CodeCorrupt, Text: fmt.Sprintf("the database %s is damaged", path),
			Next: "Stop the daemon, and put the newest backup in its place: subconsciousctl restore FILE"}
	case sqlite3.SQLITE_NOTADB:
		return notADatabase(path)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return &Error{Code: CodeBusy, Text: fmt.Sprintf("another program keeps the database %s locked", path),
			Next: "Close the program that has it open, then try again"}
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return &Error{Code: CodePermission, Text: fmt.Sprintf("the database %s, or a file beside it, cannot be opened", path),
			Next: "Check that its folder exists and that this user may write to it"}
	case sqlite3.SQLITE_IOERR:
		return &Error{Code: CodeIO, Text: fmt.Sprintf("the disk failed while the database %s was read or written", path),
			Next: "Check the disk and its free space; nothing that was committed is lost"}
	}
	return nil
}

func plainSystem(path string, err error) *Error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return diskFull(path)
	case errors.Is(err, syscall.EROFS):
		return readOnly(path)
	case errors.Is(err, fs.ErrPermission):
		return &Error{Code: CodePermission, Text: fmt.Sprintf("%s may not be read and written by this user", path),
			Next: fmt.Sprintf("Run as the user who owns it, or give it to this one: chown \"$(id -un)\" %s && chmod u+rw %s", path, path)}
	case errors.Is(err, syscall.EIO):
		return &Error{Code: CodeIO, Text: fmt.Sprintf("the disk failed while %s was read or written", path),
			Next: "Check the disk; nothing that was committed is lost"}
	}
	return nil
}

func diskFull(path string) *Error {
	return &Error{Code: CodeDiskFull, Text: fmt.Sprintf("there is no space left for the database %s", path),
		Next: "Free some space on its volume; what was committed is safe, and writing goes on by itself"}
}

func readOnly(path string) *Error {
	return &Error{Code: CodeReadOnly, Text: fmt.Sprintf("the database %s, or its volume, is read-only", path),
		Next: "Make the file and its folder writable for this user, or choose another state folder"}
}

func notADatabase(path string) *Error {
	return &Error{Code: CodeNotADB, Path: path, Text: fmt.Sprintf("%s is not a database; it was left untouched", path),
		Next: "Move the file away, or choose another state folder"}
}
