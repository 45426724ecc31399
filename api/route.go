package api

import (
	"cmp"
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
	// Long is how long the answer may take at most, where that is longer than
	// AnswerWithin. Few of those are served at once.
	Long time.Duration
}

// AnswerWithin is how long an answer takes at most, but for what is long.
const AnswerWithin = 10 * time.Second

const (
	testTimeout = 5 * time.Minute  // for a test of all models
	runTimeout  = 11 * time.Minute // for an action: one runs for 10 minutes at most
	// tickTimeout is no bound: a tick that is asked for waits for others, and
	// each has its own.
	tickTimeout = time.Duration(math.MaxInt64)
)

// Nothing is what goes in where nothing is asked about.
type Nothing struct{}

// The routes, all that is served.
var (
	GetHealth        = Route[Nothing, HealthReply]{Method: "GET", Path: "/healthz"}
	GetStatus        = Route[Nothing, Status]{Method: "GET", Path: "/v1/status"}
	GetDocument      = Route[Nothing, json.RawMessage]{Method: "GET", Path: "/v1/subconscious"}
	GetTicks         = Route[TicksQuery, TickPage]{Method: "GET", Path: "/v1/ticks"}
	GetTick          = Route[TickQuery, TickReport]{Method: "GET", Path: "/v1/ticks/{n}"}
	GetWhy           = Route[WhyQuery, Explanation]{Method: "GET", Path: "/v1/why/{entry}"}
	PostTick         = Route[TickRequest, TickReport]{Method: "POST", Path: "/v1/tick", Long: tickTimeout}
	PostCommand      = Route[CommandRequest, CommandResult]{Method: "POST", Path: "/v1/commands"}
	PostPause        = Route[PauseBody, PauseState]{Method: "POST", Path: "/v1/pause"}
	PostResume       = Route[Nothing, PauseState]{Method: "POST", Path: "/v1/resume"}
	GetModels        = Route[Nothing, []ModelStatus]{Method: "GET", Path: "/v1/models"}
	PostModelTest    = Route[ModelTestRequest, []ModelTest]{Method: "POST", Path: "/v1/models/test", Long: testTimeout}
	GetPrompt        = Route[PromptQuery, RenderedPrompt]{Method: "GET", Path: "/v1/prompts/{thread}"}
	GetReport        = Route[ReportQuery, Report]{Method: "GET", Path: "/v1/report"}
	GetInbox         = Route[InboxQuery, Inbox]{Method: "GET", Path: "/v1/inbox"}
	GetIncident      = Route[IncidentQuery, IncidentExplanation]{Method: "GET", Path: "/v1/inbox/{id}"}
	PostMissed       = Route[MissedRequest, Trace]{Method: "POST", Path: "/v1/missed"}
	GetCalibration   = Route[Nothing, Calibration]{Method: "GET", Path: "/v1/calibration"}
	PostCalibration  = Route[CalibrationRequest, Calibration]{Method: "POST", Path: "/v1/calibration/reset"}
	GetChannels      = Route[Nothing, []ChannelStatus]{Method: "GET", Path: "/v1/channels"}
	PostChannelTest  = Route[ChannelTestRequest, []Delivery]{Method: "POST", Path: "/v1/channels/test", Long: testTimeout}
	PostChannelRenew = Route[ChannelRenewal, ChannelStatus]{Method: "POST", Path: "/v1/channels/renew"}
	GetProposals     = Route[ProposalQuery, ProposalPage]{Method: "GET", Path: "/v1/proposals"}
	GetProposal      = Route[ProposalName, Proposal]{Method: "GET", Path: "/v1/proposals/{id}"}
	PostDecision     = Route[ProposalDecision, ProposalResult]{Method: "POST", Path: "/v1/proposals/decide", Long: runTimeout}
	GetRuns          = Route[RunQuery, RunPage]{Method: "GET", Path: "/v1/runs"}
	PostUndo         = Route[UndoRequest, ActionRun]{Method: "POST", Path: "/v1/undo", Long: runTimeout}
	GetConversations = Route[ConversationQuery, ConversationPage]{Method: "GET", Path: "/v1/conversations"}
	GetConversation  = Route[ConversationMessages, MessagePage]{Method: "GET", Path: "/v1/conversations/{id}"}
	PostMessage      = Route[PostRequest, Message]{Method: "POST", Path: "/v1/messages"}
	GetMessages      = Route[MessageSearch, MessagePage]{Method: "GET", Path: "/v1/messages/search"}
	GetMemories      = Route[MemoryQuery, MemoryPage]{Method: "GET", Path: "/v1/memory"}
	PostMemory       = Route[MemoryChange, MemoryRecord]{Method: "POST", Path: "/v1/memory"}
	GetMemory        = Route[MemoryName, MemoryRecord]{Method: "GET", Path: "/v1/memory/{id}"}
)

// Request is how a question is put: its path with the query, and its body. What
// is zero is left to the server.
func (r Route[Q, A]) Request(question Q) (path string, body []byte, err error) {
	if r.Method == http.MethodPost {
		body, err = json.Marshal(question)
		return r.Path, body, err
	}
	path, query := r.Path, url.Values{}
	v := reflect.ValueOf(question)
	for i := range v.NumField() {
		tag, text := v.Type().Field(i).Tag, fmt.Sprint(v.Field(i).Interface())
		if at, ok := v.Field(i).Interface().(time.Time); ok {
			text = at.Format(time.RFC3339)
		}
		if name, ok := tag.Lookup("path"); ok {
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(text), 1)
		} else if !v.Field(i).IsZero() {
			query.Set(tag.Get("query"), text)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path, nil, nil
}

// asked reads a question out of a request. What is refused is zero.
func asked[Q any](r *http.Request, body []byte) (Q, error) {
	if r.Method == http.MethodPost {
		return fromBody[Q](body)
	}
	return fromQuery[Q](r.URL.Query(), r.PathValue)
}

// fromBody reads a question that is the body of a POST.
func fromBody[Q any](body []byte) (Q, error) {
	question, err := decode[Q](body)
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
			return badRequest("use "+cmp.Or(tag.Get("is"), "a whole number above 0"), "%s: %w", name, err)
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
	if c, ok := any(&question).(interface{ check() error }); ok && err == nil {
		err = c.check()
	}
	if err != nil {
		var none Q
		return none, err
	}
	return question, nil
}
