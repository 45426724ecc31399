package store

import (
	"fmt"
	"io/fs"
)

// Migration is one step forward of one package's tables.
type Migration struct {
	Package string // whose tables: "store/mind"
	Version int    // 1 for the package's first, then one more each
	SQL     string // statements, run in the transaction of all pending ones
}

// Migrations are the files of a package's folder migrations, 1.sql and on.
func Migrations(of string, files fs.FS) []Migration {
	var all []Migration
	for version := 1; ; version++ {
		text, err := fs.ReadFile(files, fmt.Sprintf("migrations/%d.sql", version))
		if err != nil {
			return all
		}
		all = append(all, Migration{Package: of, Version: version, SQL: string(text)})
	}
}

// applicationID marks an SQLite file as ours ("SCMD"), in its header.
const applicationID = 0x53434d44

const createMigrations = `
CREATE TABLE IF NOT EXISTS store_migrations (
	package TEXT NOT NULL,
	version INTEGER NOT NULL,
	at TEXT NOT NULL,
	PRIMARY KEY (package, version)
) WITHOUT ROWID;`

// checkMigrations refuses sets in which a package does not count 1, 2, 3, ….
func checkMigrations(migrations []Migration) error {
	last := map[string]int{}
	for _, m := range migrations {
		if m.Package == "" || m.SQL == "" {
			return fmt.Errorf("migration %q %d: the package and the SQL must be given", m.Package, m.Version)
		}
		if m.Version != last[m.Package]+1 {
			return fmt.Errorf("migration %q %d: it follows version %d", m.Package, m.Version, last[m.Package])
		}
		last[m.Package] = m.Version
	}
	return nil
}
