package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Route is one question that can be asked: what goes in, Q, and what comes out,
// A. Server and client read the same route. The fields of Q stand in the path
// (tag path), in the query (tag query), or as JSON in the body of a POST.
type Route[Q, A any] struct {
	Method, Path string
	// About says in a few words what it answers, or does.
	About string
	// Class is what it does, which decides who may ask it.
	Class Class
	// Long is how long the answer may take at most, where that is longer than
	// AnswerWithin. Few of those are served at once.
	Long time.Duration
	// Body is the most that a question may have, in bytes, where that is more than
	// 16 KiB.
	Body int64
	// ask has a server's mind answer it.
	ask func(s *Server, ctx context.Context, question Q) (A, error)
	// media is of what comes out, where it is neither JSON nor events nor figures.
	media string
	// stream answers in its place, with many of A, one after the other, or to a body that
	// is read while it comes; the fields of Q stand in the query then.
	stream func(s *Server, w http.ResponseWriter, r *http.Request, question Q)
}

// Class is what a route does.
type Class int

const (
	// Reads changes nothing: the token of the API opens it over TCP.
	Reads Class = iota + 1
	// Observes takes in what was observed: that token opens it, too, and a source's
	// own that of its source.
	Observes
	// Acts changes something: it needs the socket. Below an agent it is the agent's
	// word, which some of it does not take.
	Acts
	// Decides is the person's alone: it needs the socket, and is refused to agents.
	Decides
)

// AnswerWithin is how long an answer takes at most, but for what is long.
const AnswerWithin = 10 * time.Second

const (
	lookTimeout = time.Minute      // for a search of the ledger and of all mail folders
	testTimeout = 5 * time.Minute  // for a test of all models, or a month of ticks
	runTimeout  = 11 * time.Minute // for an action: one runs for 10 minutes at most
	// tickTimeout is no bound: a tick that is asked for waits for others, and
	// each has its own.
	tickTimeout = time.Duration(math.MaxInt64)
)

// Nothing is what goes in where nothing is asked about.
type Nothing struct{}

// The routes, all that is served.
var (
	GetHealth   = get("/healthz", "whether the mind thinks as it should; 503 and a problem document where it does not", health)
	GetStatus   = get("/v1/status", "one screen about the mind", plain(Mind.Status))
	GetDocument = get("/v1/subconscious", "the published document, as in subconscious.json", plain(Mind.Document))
	GetTicks    = get("/v1/ticks", "reports of ticks, newest first", ticks)
	GetTick     = get("/v1/ticks/{n}", "the report of one tick", func(m Mind, ctx context.Context, q TickQuery) (TickReport, error) { return m.Tick(ctx, q.N) })
	GetReplay   = get("/v1/ticks/{n}/replay", "a recorded tick thought again, and compared", func(m Mind, ctx context.Context, q TickQuery) (Replay, error) { return m.Replay(ctx, q.N) })
	GetReplays  = Route[ReplayQuery, Replays]{Method: http.MethodGet, Path: "/v1/replay", About: "recorded ticks thought again, and compared", Class: Reads, Long: testTimeout,
		ask: func(s *Server, ctx context.Context, q ReplayQuery) (Replays, error) {
			return s.options.Mind.Replays(ctx, q)
		}}
	GetWhy      = get("/v1/why/{entry}", "how an entry came to be what it is", func(m Mind, ctx context.Context, q WhyQuery) (Explanation, error) { return m.Why(ctx, q.Entry) })
	PostTick    = post("/v1/tick", "think now, and wait for the report", Acts, tickTimeout, Mind.Think)
	PostCommand = Route[CommandRequest, CommandResult]{Method: "POST", Path: "/v1/commands", About: "a command that the next tick consumes", Class: Acts, ask: (*Server).command}
	PostPause   = post("/v1/pause", "stop ticks", Decides, 0, func(m Mind, ctx context.Context, q PauseBody) (PauseState, error) {
		return m.Pause(ctx, PauseRequest{For: q.length})
	})
	PostResume = post("/v1/resume", "let ticks go on", Decides, 0, func(m Mind, ctx context.Context, _ Nothing) (PauseState, error) {
		return m.Pause(ctx, PauseRequest{Resume: true})
	})
	GetModels = get("/v1/models", "the roles that have a model, and how that is", plain(Mind.Models))
	GetPrompt = get("/v1/prompts/{thread}", "what a thread would be asked now", func(m Mind, ctx context.Context, q PromptQuery) (RenderedPrompt, error) {
		return m.Prompt(ctx, q.Thread)
	})
	GetEvents   = Route[EventsQuery, Event]{Method: "GET", Path: "/v1/events", About: "what changes, as Server-Sent Events", Class: Reads, stream: (*Server).events}
	GetMetrics  = Route[Nothing, Text]{Method: "GET", Path: "/metrics", About: "figures, as Prometheus collects them", Class: Reads, ask: (*Server).metrics}
	GetOpenAPI  = Route[Nothing, json.RawMessage]{Method: "GET", Path: "/v1/openapi.json", About: "this description", Class: Reads, ask: (*Server).openAPI}
	GetReport   = Route[ReportQuery, Report]{Method: "GET", Path: "/v1/report", About: "a sum of the time since then", Class: Reads, ask: (*Server).report}
	GetInbox    = get("/v1/inbox", "incidents, newest first", Mind.Inbox)
	GetIncident = get("/v1/inbox/{id}", "how an incident was told, or why not", func(m Mind, ctx context.Context, q IncidentQuery) (IncidentExplanation, error) {
		return m.Incident(ctx, q.ID)
	})
	PostMissed     = post("/v1/missed", "trace what should have been told", Acts, lookTimeout, Mind.Missed)
	GetChannels    = get("/v1/channels", "the channels over which the person is told", plain(Mind.Channels))
	GetProposals   = get("/v1/proposals", "actions that wait for the person's word, newest first", Mind.Proposals)
	GetProposal    = get("/v1/proposals/{id}", "one proposal, exactly as it would run", func(m Mind, ctx context.Context, q ProposalName) (Proposal, error) { return m.Proposal(ctx, q.ID) })
	PostDecision   = post("/v1/proposals/decide", "approve a proposal, which carries it out, or reject it", Decides, runTimeout, Mind.Decide)
	PostPassphrase = post("/v1/passphrase", "set the passphrase that approving asks for", Decides, 0, Mind.SetPassphrase)
	GetRuns        = get("/v1/runs", "what was carried out, newest first", Mind.Runs)
	PostUndo       = post("/v1/undo", "take a run back", Decides, runTimeout, Mind.Undo)
	PostMessage    = post("/v1/messages", "add a message to a conversation", Acts, 0, Mind.Post).upTo(MaxBody)
	GetMessages    = get("/v1/messages/search", "messages that fit the words best", Mind.SearchMessages)

	GetMemories     = get("/v1/memory", "memories that fit the words best, or the newest", Mind.SearchMemory)
	PostMemory      = post("/v1/memory", "add a memory; what came of it", Acts, 0, Mind.AddMemory).upTo(MaxBody)
	GetMemory       = get("/v1/memory/{id}", "one memory, after a look at what it cites", Mind.Memory)
	GetHistory      = get("/v1/memory/{id}/history", "what was changed in a memory, the last first", Mind.MemoryHistory)
	GetProvenance   = get("/v1/memory/{id}/provenance", "what a memory rests on, and what rests on it", Mind.MemoryProvenance)
	GetTimeline     = get("/v1/memory/timeline", "what held of a topic, and when", Mind.MemoryTimeline)
	GetConflicts    = get("/v1/memory/conflicts", "pairs of memories of which one may be wrong", Mind.MemoryConflicts)
	GetProfile      = get("/v1/memory/profile", "what is pinned, and who the person is", plain(Mind.MemoryProfile))
	GetMemoryHealth = get("/v1/memory/health", "how the memory is, and what to do", plain(Mind.MemoryHealth))
	GetMemoryExport = Route[MemoryFormat, Text]{Method: "GET", Path: "/v1/memory/export", About: "all memories, as a file", Class: Decides, media: fileMedia, stream: (*Server).export}
	PostSupersede   = post("/v1/memory/{id}/supersede", "have another text hold in the place of a memory", Acts, 0, Mind.SupersedeMemory).upTo(MaxBody)
	PostEdit        = post("/v1/memory/{id}/edit", "change a memory, if it is of that version", Acts, 0, Mind.EditMemory).upTo(MaxBody)
	PostArchive     = changing(VerbArchive, "keep a memory, and find it no more", Acts)
	PostPin         = changing(VerbPin, "pin a memory, or take the pin away", Decides)
	PostConfirm     = changing(VerbConfirm, "make a memory the person's own word", Decides)
	PostMemoryUndo  = changing(VerbUndo, "take the last change of a memory back", Decides)
	PostForget      = post("/v1/memory/{id}/forget", "erase a memory for good", Decides, testTimeout, Mind.ForgetMemory)
	PostValidation  = post("/v1/memory/{id}/validate", "look at what a memory cites", Acts, 0, validated)
	PostValidations = post("/v1/memory/validate", "look at what was looked at longest ago", Acts, testTimeout, func(m Mind, ctx context.Context, _ MemoryWord) (MemoryValidated, error) {
		return m.ValidateMemories(ctx)
	})
	PostMemoryImport = Route[MemoryImport, MemoryImported]{Method: "POST", Path: "/v1/memory/import", About: "read an export in lines of JSON back, which is the body", Class: Decides, stream: (*Server).take}

	PostModelTest = post("/v1/models/test", "ask models live, which may cost", Acts, testTimeout,
		func(m Mind, ctx context.Context, q ModelTestRequest) ([]ModelTest, error) {
			return m.TestModels(ctx, q.Who)
		})
	PostChannelTest = post("/v1/channels/test", "send a test message", Acts, testTimeout,
		func(m Mind, ctx context.Context, q ChannelTestRequest) ([]Delivery, error) {
			return m.TestChannels(ctx, q.Channel)
		})
	PostChannelRenew = post("/v1/channels/renew", "have answers come back over a new reply topic", Decides, 0,
		func(m Mind, ctx context.Context, q ChannelRenewal) (ChannelStatus, error) {
			return m.RenewChannel(ctx, q.Channel)
		})
	GetCalibration   = get("/v1/calibration", "what was learnt from the person's answers", plain(Mind.Calibration))
	PostCalibration  = post("/v1/calibration/reset", "forget what was learnt", Decides, 0, Mind.ResetCalibration)
	GetConversations = get("/v1/conversations", "conversations, the one with the newest message first", Mind.Conversations)
	PostSourceToken  = post("/v1/sources/token", "make a source's token, or revoke it", Decides, 0, Mind.SetSourceToken)
	PostToken        = Route[TokenRequest, TokenFile]{Method: "POST", Path: "/v1/token", About: "make a new token of the API", Class: Decides, ask: (*Server).renewToken}
	GetConversation  = get("/v1/conversations/{id}", "messages of a conversation, newest first", Mind.Messages)
)

// routes are all of them.
func routes() []interface{ serve(*Server) served } {
	return []interface{ serve(*Server) served }{
		GetHealth, GetStatus, GetDocument, GetTicks, GetTick, GetReplay, GetReplays, GetWhy, PostTick, PostCommand, PostPause, PostResume, GetReport, GetEvents, GetOpenAPI, GetMetrics,
		GetModels, PostModelTest, GetPrompt, GetInbox, GetIncident, PostMissed, GetCalibration, PostCalibration,
		GetChannels, PostChannelTest, PostChannelRenew, GetProposals, GetProposal, PostDecision, PostPassphrase, GetRuns, PostUndo,
		GetConversations, GetConversation, PostMessage, GetMessages,
		GetMemories, PostMemory, GetMemory, GetHistory, GetProvenance, GetTimeline, GetConflicts, GetProfile, GetMemoryHealth, GetMemoryExport,
		PostSupersede, PostEdit, PostArchive, PostPin, PostConfirm, PostMemoryUndo, PostForget, PostValidation, PostValidations, PostMemoryImport, PostSourceToken, PostToken, observe{},
	}
}

func get[Q, A any](path, about string, ask func(Mind, context.Context, Q) (A, error)) Route[Q, A] {
	return Route[Q, A]{Method: http.MethodGet, Path: path, About: about, Class: Reads, ask: func(s *Server, ctx context.Context, q Q) (A, error) { return ask(s.options.Mind, ctx, q) }}
}

func post[Q, A any](path, about string, class Class, long time.Duration, ask func(Mind, context.Context, Q) (A, error)) Route[Q, A] {
	route := get(path, about, ask)
	route.Method, route.Class, route.Long = http.MethodPost, class, long
	return route
}

func (route Route[Q, A]) upTo(body int64) Route[Q, A] {
	route.Body = body
	return route
}

// plain is a question about nothing in particular.
func plain[A any](ask func(Mind, context.Context) (A, error)) func(Mind, context.Context, Nothing) (A, error) {
	return func(m Mind, ctx context.Context, _ Nothing) (A, error) { return ask(m, ctx) }
}

// Request is how a question is put: its path with the query, and its body. What
// is zero is left to the server.
func (r Route[Q, A]) Request(question Q) (path string, body []byte, err error) {
	path, query := r.Path, url.Values{}
	v := reflect.ValueOf(question)
	for i := range v.NumField() {
		tag, text := v.Type().Field(i).Tag, fmt.Sprint(v.Field(i))
		if v.Field(i).Type() == moments {
			text = v.Field(i).Interface().(time.Time).Format(time.RFC3339)
		}
		if name, ok := tag.Lookup("path"); ok {
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(text), 1)
		} else if (r.Method == http.MethodGet || r.stream != nil) && !v.Field(i).IsZero() {
			query.Set(tag.Get("query"), text)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	} else if r.Method == http.MethodPost && r.stream == nil {
		body, err = json.Marshal(question)
	}
	return path, body, err
}

// asked reads a question out of a request. What is refused is zero.
func asked[Q any](r *http.Request, body []byte) (Q, error) {
	if r.Method == http.MethodPost {
		return fromBody[Q](body, r.PathValue)
	}
	return fromQuery[Q](r.URL.Query(), r.PathValue)
}

// fromBody reads a question that is the body of a POST, and in its path.
func fromBody[Q any](body []byte, path func(string) string) (Q, error) {
	question, err := decode[Q](body)
	for field, value := range reflect.ValueOf(&question).Elem().Fields() {
		if name, ok := field.Tag.Lookup("path"); ok && err == nil {
			err = setField(value, field.Tag, name, path(name))
		}
	}
	return check(question, err)
}

// fromQuery reads a question out of a query and a path.
func fromQuery[Q any](query url.Values, path func(string) string) (question Q, err error) {
	v := reflect.ValueOf(&question).Elem()
	var names []string
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("query"); name != "" {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		err = onlyOnce(query, names...)
	}
	for i := 0; err == nil && i < v.NumField(); i++ {
		field, tag := v.Field(i), v.Type().Field(i).Tag
		if name, ok := tag.Lookup("path"); ok {
			err = setField(field, tag, name, path(name))
		} else if name := tag.Get("query"); query.Has(name) {
			err = setField(field, tag, name, query.Get(name))
		} else if name == "limit" {
			field.SetInt(DefaultPage)
		}
	}
	return check(question, err)
}

// setField reads one field of a question. A limit over MaxPage is brought down to
// it.
func setField(field reflect.Value, tag reflect.StructTag, name, text string) error {
	switch f := field.Addr().Interface().(type) {
	case *bool:
		if text != "true" && text != "false" && text != "" {
			return badRequest("use true or false", "%s: %q is neither true nor false", name, clip(text))
		}
		*f = text == "true"
	case *time.Time:
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return badRequest(`write it like "2026-03-14T08:00:00Z"`, "%s: %q is not a time", name, clip(text))
		}
		*f = at
	case *int, *int64:
		n, err := number(text)
		if err != nil {
			return badRequest("use "+cmp.Or(tag.Get("want"), "a whole number above 0"), "%s: %w", name, err)
		}
		if name == "limit" {
			n = min(n, MaxPage)
		}
		field.SetInt(n)
	default:
		field.SetString(text)
	}
	return nil
}

// check refuses a question that something is wrong with, and mends it where that
// is plain.
func check[Q any](question Q, err error) (Q, error) {
	if err == nil {
		err = checkNames(reflect.ValueOf(question))
	}
	if c, ok := any(&question).(interface{ check() error }); ok && err == nil {
		err = c.check()
	}
	if err != nil {
		var none Q
		return none, err
	}
	return question, nil
}
