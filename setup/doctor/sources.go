package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/senses/source"
)

// sources looks whether the sources of the person's own can report, and what a
// daemon that runs has to say of them.
func (e *examination) sources(context.Context) {
	for _, c := range e.Config.Senses.Exec {
		problem, next := c.Missing()
		e.source(source.ExecName, c.ID, row{problem != "", Broken, problem, next}, row{true, OK, "its program is there", ""})
	}
	for _, c := range e.Config.Senses.Feeds {
		e.source(source.FeedName, c.ID, row{e.runs, OK, "it answered when it was asked last", ""})
	}
	for _, c := range e.Config.Senses.Post {
		e.source(source.PostName, c.ID, row{e.runs, OK, "it may hand in", ""})
	}
}

// source says the first row that is wrong, else what the daemon says, else the last.
func (e *examination) source(kind, id string, rows ...row) {
	last := len(rows) - 1
	i := slices.IndexFunc(e.status.Senses, func(s api.SenseStatus) bool { return s.Kind == kind && (s.ID == id || s.ID == kind+"/"+id) })
	if i >= 0 && e.status.Senses[i].Error != "" {
		said, state := e.status.Senses[i].Error, Degraded
		if e.status.Senses[i].State == "ok" {
			state = Note
		}
		next := strings.TrimSpace(said[strings.LastIndexByte(said, ';')+1:])
		rows = slices.Insert(rows, last, row{true, state, strings.TrimSuffix(said, "; "+next), next})
	}
	e.say(id+" "+kind, rows...)
}
