package daemon_test

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/backup"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// schemas are the migrations in the order in which they came, those of one version on
// one line: each line is a schema that minds had.
const schemas = `
senses 1, store/mind 1
budget 1
store/mind 2
notify 1
store/mind 3
notify 2
notify 3
chat 1, memory 1
escalate/deliberate 1
store/mind 4
escalate/actions 1
notify 4
escalate/actions 2, notify 5
senses 2
escalate/deliberate 2
notify 6
store/mind 5
senses/source 1
store/mind 6
store/mind 7, senses 3, notify 7, chat 2, memory 2, escalate/actions 3, escalate/deliberate 3
memory 3, escalate/deliberate 4`

// renamed are tables and columns that had another name before.
var renamed = map[string]string{"ledger_things": "ledger_observations", "thing": "observation", "deliberation_cases": "escalations"}

func nameNow(name string) string {
	if now, ok := renamed[name]; ok {
		return now
	}
	return name
}

// fromOnce are rows of what the lived mind lacks.
const fromOnce = `
INSERT INTO notify_replies VALUES ('phone', 'x', 0, 0);
INSERT INTO notify_answers VALUES (1, 'x', 'phone', 1, 2);
INSERT INTO mind_missed (at, zone, text, person) VALUES (1, 0, 'the boiler', '');
INSERT INTO mind_told VALUES ('x', 1);
INSERT INTO mind_notices (code, key, at, zone, text, next) VALUES ('sense_blind', 'gone', 1, 0, 'blind', '');
INSERT INTO mind_habits VALUES ('letters', 1, '{}');
INSERT INTO ledger_blind VALUES ('files', 'work', 1, 2, 'away');
INSERT INTO ledger_rows VALUES ('files', 'gone', 'x', x'00');
INSERT INTO mind_pushes (at, zone, kind) VALUES (1, 0, 'incident');
INSERT INTO mind_entries_gone (entry, incident, at, body) VALUES ('w-gone-1', 'x', 1, '{}');
INSERT INTO mind_scores VALUES ('watcher', 'x', 'y', 1, '{}');
INSERT INTO ledger_pending VALUES ('gone', 'x', 1, 'changed', 1, 0);
INSERT INTO memory_keys VALUES ('trusted', 'y', 'z', 1);
INSERT INTO memory_records SELECT n + 1, 'm-xxxxxxxxxx', version, kind, title, summary, 'a rumour', tags, topic, project, '', session, turn, place, said, source, deliberation, incident, origin, citations, derived,
	supersedes, superseded_by, 'quarantine', 'outsider', status, confidence, validity, checked, created, updated, last_seen, seen, used, last_used, pinned, x'00' FROM memory_records ORDER BY n DESC LIMIT 1;
INSERT INTO memory_apart (rowid, text, tags) SELECT n, text, tags FROM memory_records WHERE lane = 'quarantine';
INSERT INTO memory_conflicts VALUES ('m-a', 'm-b', 1);
INSERT OR IGNORE INTO memory_recalled VALUES ('d-1', 'm-a', 1, 1, 0.5);
INSERT INTO memory_refused VALUES ('empty', 1, 1);
INSERT INTO memory_state VALUES ('x', '{}');
INSERT INTO budget_carried VALUES ('2026-11-22', 'watcher', 1, 1, 1, 0, 0);
INSERT INTO source_reports (source, at, body) VALUES ('gone', 1, '[]');
INSERT INTO source_tokens VALUES ('gone', x'00');
`

// ofFirstCut are columns that held something else before memory 3.
var ofFirstCut = map[string]string{
	"memory_keys.lane":      "CASE lane WHEN 'agents' THEN 'agent' WHEN 'quarantine' THEN 'outsider' ELSE lane END",
	"memory_records.lane":   "CASE lane WHEN 'agents' THEN 'agent' WHEN 'quarantine' THEN 'outsider' ELSE lane END",
	"memory_records.status": "CASE lane WHEN 'trusted' THEN status ELSE 'quarantined' END",
}

// lived is a mind that has a row in every table.
func lived(t *testing.T) *world {
	w := newWorld(t)
	phoned(w)
	w.acting(escalate.ApproveNever)
	w.deliberating(oneByOne(act))
	w.options.Config.Senses.Files[0].Trust = subconscious.Outsider
	w.begin()
	w.tick()
	testutil.Write(t, filepath.Join(w.files, "authorized_keys"), "key")
	w.command(subconscious.Command{Kind: subconscious.CommandNote, Text: "the boiler makes a noise"})
	w.tick()
	w.concluded()
	page, err := w.d.Proposals(t.Context(), api.ProposalQuery{})
	if err != nil || len(page.Proposals) != 1 {
		t.Fatal(page, err)
	}
	if _, err := w.d.Decide(t.Context(), api.ProposalDecision{ID: page.Proposals[0].ID, Hash: page.Proposals[0].Hash, Approve: true}); err != nil {
		t.Fatal(err)
	}
	for _, as := range []string{"", "helper"} {
		_, unkept := w.d.AddMemory(t.Context(), api.MemoryAddition{As: as, Text: "the boiler is from 1987"})
		_, unsaid := w.d.Post(t.Context(), api.PostRequest{As: as, Text: "I will look at the boiler"})
		if err := errors.Join(unkept, unsaid); err != nil {
			t.Fatal(err)
		}
	}
	w.tick()
	w.stop()
	w.change(fromOnce)
	return w
}

// table is one of a database, with its columns.
type table struct {
	name    string
	columns []string
}

// tablesOf are the tables of a database, but for those that an index of words keeps, and
// the books of the store itself.
func tablesOf(t *testing.T, db *sql.DB) (all []table) {
	t.Helper()
	rows, err := db.Query(`SELECT name, (SELECT group_concat(name) FROM pragma_table_info(l.name)) FROM pragma_table_list l
		WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'store_%' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var one table
		var columns string
		if err := rows.Scan(&one.name, &columns); err != nil {
			t.Fatal(err)
		}
		one.columns = strings.Split(columns, ",")
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// rowsOf are the rows of a table as text, in some order that is always the same.
func rowsOf(t *testing.T, db *sql.DB, name string, columns []string) (all []string) {
	t.Helper()
	rows, err := db.Query("SELECT quote(" + strings.Join(columns, ") || ', ' || quote(") + ") FROM " + name + " ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func mustExec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func opened(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestUpgradeFromEverySchema: a mind of each schema there ever was keeps all its rows, and
// a copy from before, and thinks on; a program that knows less refuses what has become of it.
func TestUpgradeFromEverySchema(t *testing.T) {
	t.Parallel()
	all, was := backup.Migrations(), lived(t)
	have := opened(t, filepath.Join(was.state, "mind.db"))
	columns := map[string][]string{}
	for _, one := range tablesOf(t, have) {
		columns[one.name] = one.columns
		if len(rowsOf(t, have, one.name, one.columns[:1])) == 0 {
			t.Errorf("the mind to upgrade has nothing in %s", one.name)
		}
	}
	var known []store.Migration
	for line := range strings.Lines(strings.TrimSpace(schemas)) {
		for one := range strings.SplitSeq(strings.TrimSpace(line), ", ") {
			i := slices.IndexFunc(all, func(m store.Migration) bool { return fmt.Sprint(m.Package, " ", m.Version) == one })
			if i < 0 {
				t.Fatalf("there is no migration %s", one)
			}
			known = append(known, all[i])
		}
		name := fmt.Sprintf("schema %d", len(known))
		then := slices.Clone(known)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			path := filepath.Join(w.state, "mind.db")
			db, err := store.Open(t.Context(), store.Options{Path: path}, then...)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			old := opened(t, path)
			mustExec(t, old, "ATTACH '"+filepath.Join(was.state, "mind.db")+"' AS lived")
			shared := map[string][]string{} // of a table by its name now
			tables := tablesOf(t, old)
			slices.SortStableFunc(tables, func(a, b table) int { // what triggers count comes last
				return cmp.Compare(strings.Count(a.name, "_counts"), strings.Count(b.name, "_counts"))
			})
			firstCut := slices.ContainsFunc(tables, func(one table) bool { return one.name == "memory_records" && !slices.Contains(one.columns, "version") })
			for _, one := range tables {
				if firstCut && one.name == "memory_counts" { // which its triggers have counted
					continue
				}
				now, there, here := nameNow(one.name), []string{"rowid"}, []string{"rowid"}
				for _, column := range one.columns {
					if slices.Contains(columns[now], nameNow(column)) {
						there, here = append(there, nameNow(column)), append(here, column)
					}
				}
				if _, err := old.Exec("SELECT rowid FROM " + one.name); err != nil { // it has none
					there, here = there[1:], here[1:]
				}
				shared[now] = slices.Clone(there)
				for i, column := range there {
					if firstCut {
						there[i] = cmp.Or(ofFirstCut[now+"."+column], column)
					}
				}
				mustExec(t, old, "DELETE FROM main."+one.name)
				mustExec(t, old, fmt.Sprintf("INSERT INTO main.%s (%s) SELECT %s FROM lived.%s", one.name, strings.Join(here, ", "), strings.Join(there, ", "), now))
			}
			if firstCut { // agents' words were indexed with strangers'
				mustExec(t, old, "INSERT INTO memory_apart (rowid, text, tags) SELECT rowid, text, tags FROM lived.memory_agents")
			}
			mustExec(t, old, "DETACH lived")
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}

			if db, err = store.Open(t.Context(), store.Options{Path: path}, all...); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Check(t.Context()), db.Close()); err != nil {
				t.Fatal(err)
			}
			upgraded := opened(t, path)
			for name, columns := range shared {
				if want, got := rowsOf(t, have, name, columns), rowsOf(t, upgraded, name, columns); !slices.Equal(got, want) {
					t.Errorf("%s holds %q, want %q", name, got, want)
				}
			}
			if err := upgraded.Close(); err != nil {
				t.Fatal(err)
			}
			copies, err := filepath.Glob(filepath.Join(w.state, "backups", "mind-before-v*.db"))
			if want := min(1, len(all)-len(then)); err != nil || len(copies) != want {
				t.Fatalf("copies from before: %q, %v; want %d", copies, err, want)
			}
			if len(copies) > 0 {
				schema, err := store.SchemaOf(copies[0])
				if err := errors.Join(err, store.CheckFile(t.Context(), copies[0])); err != nil || schema != len(then) {
					t.Errorf("the copy has schema %d, want %d: %v", schema, len(then), err)
				}
				_, err = store.Open(t.Context(), store.Options{Path: path}, then...)
				want := fmt.Sprintf("written by a newer version: it has schema %d, this program knows schema %d; it was left untouched", len(all), len(then))
				if store.CodeOf(err) != store.CodeNewer || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Join(w.state, "backups")) {
					t.Errorf("the program of then says %v", err)
				}
			}

			w.clock.now = was.clock.now
			w.begin()
			w.tick()
			if _, ok := w.entry("boiler"); !ok {
				t.Errorf("it has lost what it knew:\n%s", w.summaries())
			}
			w.status()
			w.inbox()
			w.intact()
		})
	}
	if len(known) != len(all) {
		t.Errorf("%d migrations are listed by schema, and there are %d: add the new ones as a line of schemas", len(known), len(all))
	}
}
