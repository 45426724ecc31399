package api

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/memory"
)

// Memories is what is asked of what is remembered. An ID may be the beginning of one;
// one that several begin with gives an *Error with CodeAmbiguous.
type Memories interface {
	// SearchMemory returns what fits the words best, or the newest where there are none.
	SearchMemory(ctx context.Context, query MemoryQuery) (MemoryPage, error)
	// Memory returns one, after a look at what it cites.
	Memory(ctx context.Context, name MemoryName) (MemoryDetail, error)
	MemoryHistory(ctx context.Context, name MemoryName) (MemoryHistory, error)
	MemoryProvenance(ctx context.Context, name MemoryName) (MemoryChain, error)
	MemoryTimeline(ctx context.Context, query MemoryTopic) (MemoryList, error)
	MemoryConflicts(ctx context.Context, lane MemoryLane) (MemoryConflicts, error)
	MemoryProfile(ctx context.Context) (MemoryList, error)
	MemoryHealth(ctx context.Context) (MemoryHealth, error)

	// AddMemory writes one, and says what came of it; so does SupersedeMemory, by
	// which another text holds in the place of one.
	AddMemory(ctx context.Context, added MemoryAddition) (MemoryWritten, error)
	SupersedeMemory(ctx context.Context, next MemorySuccessor) (MemoryWritten, error)
	// EditMemory gives an *Error with CodeChanged, and the record as it is, where that
	// is of another version.
	EditMemory(ctx context.Context, edit MemoryEdit) (MemoryRecord, error)
	ChangeMemory(ctx context.Context, change MemoryChange) (MemoryRecord, error)
	// ForgetMemory wants the whole of an ID.
	ForgetMemory(ctx context.Context, wanted MemoryForget) (MemoryForgotten, error)

	// ValidateMemories looks at what was looked at longest ago.
	ValidateMemories(ctx context.Context) (MemoryValidated, error)
	ExportMemory(ctx context.Context, w io.Writer, format string) error
	ImportMemory(ctx context.Context, lines io.Reader) (MemoryImported, error)
}

// What package memory has, as it travels.
type (
	MemoryRecord   = memory.Record
	MemoryWritten  = memory.Written
	MemoryChain    = memory.Chain
	MemoryHealth   = memory.Health
	MemoryImported = memory.Imported
	MemoryCitation = memory.Citation
	MemoryAbout    = memory.About
	MemoryFound    = memory.Found
	MemoryHappened = memory.Happened
	MemoryPair     = memory.Pair
)

// MemoryRefused is what came of writing what is not worth keeping, and MemoryConflict of
// what may contradict something that is there.
const (
	MemoryRefused  = memory.Refused
	MemoryConflict = memory.Conflict
)

const (
	// MaxMemory is the longest memory that is added, in bytes.
	MaxMemory = memory.MaxText
	// MaxTags is how many tags a memory has, each of at most MaxTag bytes.
	MaxTags = memory.MaxTags
	MaxTag  = memory.MaxTag
)

// How much of each memory is shown: its title alone, the summary too, or all.
const (
	LevelIndex   = "index"
	LevelSummary = "summary"
	LevelDetail  = "detail"
)

// The formats of an export.
const (
	FormatMarkdown = "md"
	FormatLines    = "jsonl" // which an import reads back
)

// MemoryKinds returns the sorts of things that are remembered.
func MemoryKinds() []string { return textsOf(memory.Kinds()) }

// MemoryStatuses returns what a memory that is there may be.
func MemoryStatuses() []string {
	return textsOf([]memory.Status{memory.Active, memory.Superseded, memory.Archived})
}

func textsOf[T ~string](all []T) (texts []string) {
	for _, one := range all {
		texts = append(texts, string(one))
	}
	return texts
}

// MemoryLane is one of the lanes, the trusted one where neither is set.
type MemoryLane struct {
	Agents      bool `query:"agents"`
	Quarantined bool `query:"quarantined"`
}

func (l *MemoryLane) check() error {
	if l.Agents && l.Quarantined {
		return badRequest("ask for one of them", "agents, quarantined: both are there")
	}
	return nil
}

// Lane is where to look.
func (l MemoryLane) Lane() memory.Lane {
	switch {
	case l.Agents:
		return memory.Agents
	case l.Quarantined:
		return memory.Quarantine
	}
	return memory.Trusted
}

// readable refuses a lane that whoever asks may not read.
func (l *MemoryLane) readable(lanes []memory.Lane) error {
	if slices.Contains(lanes, l.Lane()) {
		return nil
	}
	return Errorf(CodeRefused, "ask for the others, or over the socket, as the person", "what is remembered of the lane %s is not for you to read", l.Lane())
}

// MemoryQuery says which memories are wanted.
type MemoryQuery struct {
	// Words to search for; without any the newest are listed.
	Words string `query:"words"`
	// Agents are those that rest on an agent's word, Quarantined those on a
	// stranger's: one of them alone. They are never among the others.
	Agents      bool `query:"agents"`
	Quarantined bool `query:"quarantined"`
	// Kind and About ("project:/src/x", "agent:", "session:", "turn:") are those of
	// the ones that are wanted, and Since is when they were said at the earliest.
	Kind  string    `query:"kind"`
	About string    `query:"about"`
	Since time.Time `query:"since"`
	// Topic and Status are for a list, without words: active where there is none.
	Topic  string `query:"topic"`
	Status string `query:"status"`
	// Before is the ID of the last one of the page before, of a list.
	Before string `query:"before" is:"memory"`
	// Level is how much of each is wanted: index, summary, or detail where none is named.
	Level string `query:"level"`
	Limit int    `query:"limit"` // 1 to 100; 0 is 20
}

func (q *MemoryQuery) check() (err error) {
	if q.Words, err = plainWords(q.Words); err != nil {
		return err
	}
	_, wrong := q.Subject()
	lane := q.inLane()
	err = firstError(lane.check(), oneOf("kind", q.Kind, MemoryKinds()), oneOf("status", q.Status, MemoryStatuses()),
		oneOf("level", q.Level, []string{LevelIndex, LevelSummary, LevelDetail}), checkText("name it in fewer letters", "topic", q.Topic, memory.MaxName), wrong)
	if err == nil && q.Words != "" && q.Topic+q.Status+q.Before != "" {
		err = badRequest("leave the words out, or these", "topic, status, before: they are of a list, and not of a search for words")
	}
	return err
}

// Subject is what they are to be about.
func (q MemoryQuery) Subject() (about memory.About, err error) {
	if q.About == "" {
		return about, nil
	}
	what, name, _ := strings.Cut(q.About, ":")
	to := map[string]*string{"project": &about.Project, "agent": &about.Agent, "session": &about.Session, "turn": &about.Turn}[what]
	if to == nil || name == "" {
		return about, badRequest("write project:FOLDER, agent:NAME, session:ID or turn:ID", "about: %q is none of these", clip(q.About))
	}
	*to = name
	return about, checkText("name it in fewer letters", "about", name, memory.MaxPath)
}

func (q MemoryQuery) inLane() MemoryLane                  { return MemoryLane{q.Agents, q.Quarantined} }
func (q *MemoryQuery) readable(lanes []memory.Lane) error { l := q.inLane(); return l.readable(lanes) }
func (q MemoryQuery) Lane() memory.Lane                   { return q.inLane().Lane() }

// oneOf refuses a text that is none of those, and not empty.
func oneOf(field, text string, those []string) error {
	if text == "" || slices.Contains(those, text) {
		return nil
	}
	return badRequest("use "+listed(those), "%s: %q is none", field, clip(text))
}

// MemoryName names a memory.
type MemoryName struct {
	ID string `path:"id" is:"memory"`
	// Lanes are those of which whoever asks may read; no client can set them.
	Lanes []memory.Lane `json:"-"`
}

func (n *MemoryName) readable(lanes []memory.Lane) error {
	n.Lanes = lanes
	return nil
}

// MemoryTopic asks what held of a topic; without one of all that have a topic.
type MemoryTopic struct {
	Topic string    `query:"topic"`
	Since time.Time `query:"since"`
}

func (q *MemoryTopic) check() error {
	return checkText("name it in fewer letters", "topic", q.Topic, memory.MaxName)
}

// MemoryPage is what was found.
type MemoryPage struct {
	Memories []MemoryRecord `json:"memories"`
	// Total is how many there are in all, Agents how many rest on an agent's word,
	// and Quarantined on a stranger's.
	Total       int `json:"total"`
	Agents      int `json:"agents"`
	Quarantined int `json:"quarantined"`
	// Before asks for the next page of a list; "" where this was the last.
	Before string `json:"before,omitempty"`
}

// MemoryList is some of what is remembered.
type MemoryList struct {
	Memories []MemoryRecord `json:"memories"`
}

// MemoryDetail is one memory with all that is known of it.
type MemoryDetail struct {
	MemoryRecord
	// Found is what came of the look at what it cites.
	Found []memory.Found `json:"found"`
	// Conflicts are those that say otherwise.
	Conflicts []MemoryRecord `json:"conflicts"`
}

// MemoryWord is the body of what takes no more than who speaks.
type MemoryWord struct {
	As string `json:"as,omitempty" is:"agent"`
}

// MemoryValidated says how many memories were looked at, and which are in doubt.
type MemoryValidated struct {
	Looked  int            `json:"looked"`
	Doubted []MemoryRecord `json:"doubted"`
}

// MemoryHistory is what was changed in a memory, the last first.
type MemoryHistory struct {
	Events []memory.Happened `json:"events"`
}

// MemoryConflicts are pairs of which one may be wrong.
type MemoryConflicts struct {
	Pairs []memory.Pair `json:"pairs"`
}

// MemoryAddition is the body of POST /v1/memory.
type MemoryAddition struct {
	// As is the name of the agent that speaks; empty for the person. What an
	// agent adds is kept apart.
	As    string   `json:"as,omitempty" is:"agent"`
	Text  string   `json:"text"`
	Title string   `json:"title,omitempty"`
	Kind  string   `json:"kind,omitempty"` // empty for note
	Tags  []string `json:"tags,omitempty" is:"tag"`
	// Topic is a key such as "home.address" or "project/db.engine".
	Topic string       `json:"topic,omitempty"`
	About memory.About `json:"about,omitzero"` // its agent is As
	// Said is when it was said or happened.
	Said      time.Time         `json:"said,omitzero"`
	Citations []memory.Citation `json:"citations,omitempty"`
	// Key, where given, makes a second writing of the same key change nothing.
	Key string `json:"key,omitempty" is:"key"`
}

func (a *MemoryAddition) check() (err error) {
	if len(a.Tags) > MaxTags {
		return badRequest("leave some out", "tags: %d, and at most %d are taken", len(a.Tags), MaxTags)
	}
	a.Text, err = plainText("text", a.Text, MaxMemory)
	return firstError(err, oneOf("kind", a.Kind, MemoryKinds()), checkAs(a.As))
}

// MemorySuccessor is the body of POST /v1/memory/{id}/supersede.
type MemorySuccessor struct {
	ID   string `path:"id" json:"-" is:"memory"`
	As   string `json:"as,omitempty" is:"agent"`
	Text string `json:"text"`
}

func (q *MemorySuccessor) check() (err error) {
	q.Text, err = plainText("text", q.Text, MaxMemory)
	return firstError(err, checkAs(q.As))
}

// MemoryEdit is the body of POST /v1/memory/{id}/edit: what is to be otherwise.
type MemoryEdit struct {
	ID string `path:"id" json:"-" is:"memory"`
	As string `json:"as,omitempty" is:"agent"`
	// Version is the one that was read; 0 is whatever it is now.
	Version int      `json:"version,omitempty"`
	Text    *string  `json:"text,omitempty"`
	Title   *string  `json:"title,omitempty"`
	Summary *string  `json:"summary,omitempty"`
	Topic   *string  `json:"topic,omitempty"`
	Kind    string   `json:"kind,omitempty"`
	Tags    []string `json:"tags,omitempty" is:"tag"` // all that it is to have
}

func (e *MemoryEdit) check() (err error) {
	if e.Text == nil && e.Title == nil && e.Summary == nil && e.Topic == nil && e.Kind == "" && e.Tags == nil {
		return badRequest("send text, title, summary, topic, kind or tags", "nothing is to be otherwise")
	}
	if e.Text != nil {
		*e.Text, err = plainText("text", *e.Text, MaxMemory)
	}
	return firstError(err, oneOf("kind", e.Kind, MemoryKinds()), checkAs(e.As))
}

// The verbs of MemoryChange, as they end its path.
const (
	VerbPin     = "pin"
	VerbArchive = "archive"
	VerbConfirm = "confirm"
	VerbUndo    = "undo"
)

// MemoryChange is the body of POST /v1/memory/{id}/VERB.
type MemoryChange struct {
	ID string `path:"id" json:"-" is:"memory"`
	As string `json:"as,omitempty" is:"agent"`
	// Off takes a pin away.
	Off bool `json:"off,omitempty"`
	// Verb ends the path.
	Verb string `json:"-"`
}

// MemoryForget is the body of POST /v1/memory/{id}/forget.
type MemoryForget struct {
	ID string `path:"id" json:"-" is:"memory"`
	As string `json:"as,omitempty" is:"agent"`
	// Backups has those rewritten that hold it and are not encrypted.
	Backups bool `json:"backups,omitempty"`
}

func (f *MemoryForget) check() error { return firstError(checkAs(f.As), mayVouch(f.As, "to forget")) }

// MemoryForgotten says what came of forgetting. Backups are those that hold it still.
type MemoryForgotten struct {
	memory.Forgotten
	// Rewritten are the backups that hold it no more, and Removed those that were
	// removed, since only an earlier version could have rewritten them.
	Rewritten []string `json:"rewritten,omitempty"`
	Removed   []string `json:"removed,omitempty"`
}

// MemoryFormat says how an export is written: FormatMarkdown where nothing is said.
type MemoryFormat struct {
	Format string `query:"format"`
}

func (f *MemoryFormat) check() error {
	return oneOf("format", f.Format, []string{FormatMarkdown, FormatLines})
}

// MemoryImport says who hands in an export.
type MemoryImport struct {
	As string `query:"as" is:"agent"`
}

func (i *MemoryImport) check() error { return firstError(checkAs(i.As), mayVouch(i.As, "to import")) }

// changing is the route of a verb.
func changing(verb, about string, class Class) Route[MemoryChange, MemoryRecord] {
	return post("/v1/memory/{id}/"+verb, about, class, 0, func(m Mind, ctx context.Context, q MemoryChange) (MemoryRecord, error) {
		q.Verb = verb
		err := checkAs(q.As)
		if class == Decides {
			err = firstError(err, mayVouch(q.As, "to "+verb))
		}
		if err == nil && q.Off && verb != VerbPin {
			err = badRequest("leave it out", "off: %s does not take it", verb)
		}
		if err != nil {
			return MemoryRecord{}, err
		}
		return m.ChangeMemory(ctx, q)
	})
}

// validated looks at what a memory cites.
func validated(m Mind, ctx context.Context, q MemoryChange) (MemoryDetail, error) {
	name := MemoryName{ID: q.ID, Lanes: memory.Lanes()}
	if q.As != "" {
		name.Lanes = name.Lanes[:2]
	}
	return m.Memory(ctx, name)
}

// patient reads and writes what goes on within a while, however long all of it takes.
type patient struct {
	http.ResponseWriter
	*http.ResponseController
	body  io.Reader
	wrote bool
}

func (p *patient) Read(text []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(readTimeout)); err != nil {
		return 0, err
	}
	return p.body.Read(text)
}

func (p *patient) Write(text []byte) (int, error) {
	p.wrote = true
	if err := p.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(text)
}

// patiently does what reads or writes for long, and ends with the server.
func (s *Server) patiently(w http.ResponseWriter, r *http.Request, do func(context.Context, *patient)) {
	release, err := s.queue()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer release()
	if !s.begin(w, r) {
		return
	}
	defer s.running.Done()
	ctx, done := context.WithCancel(r.Context())
	defer done()
	defer context.AfterFunc(s.ending, done)()
	do(ctx, &patient{ResponseWriter: w, ResponseController: http.NewResponseController(w), body: r.Body})
}

// export writes all memories while they are read. Where that fails in the middle the
// connection breaks off, so that nobody takes it for all.
func (s *Server) export(w http.ResponseWriter, r *http.Request, q MemoryFormat) {
	s.patiently(w, r, func(ctx context.Context, to *patient) {
		w.Header().Set("Content-Type", fileMedia)
		out := bufio.NewWriterSize(to, MaxBody)
		err := s.options.Mind.ExportMemory(ctx, out, cmp.Or(q.Format, FormatMarkdown))
		if err == nil {
			err = out.Flush()
		}
		switch {
		case err != nil && !to.wrote:
			s.fail(w, r, err)
		case err != nil:
			s.options.Logger.Error("an export broke off", "error", err)
			panic(http.ErrAbortHandler)
		}
	})
}

// unread is how much of an export is let pass that is not taken, so that its sender
// hears why.
const unread = 64 << 20

// take reads an export while it comes.
func (s *Server) take(w http.ResponseWriter, r *http.Request, _ MemoryImport) {
	s.patiently(w, r, func(ctx context.Context, from *patient) {
		imported, err := s.options.Mind.ImportMemory(ctx, from)
		if err != nil {
			_, _ = io.CopyN(io.Discard, from, unread) // it may have no more
		}
		s.respond(w, r, imported, err)
	})
}
