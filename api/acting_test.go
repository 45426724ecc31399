package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestActingRoutes(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Deliberating(), api.Options{Now: apitest.At})
	c := caller(t, folder)
	hash, long := apitest.SampleHash, strings.Repeat("a", 200)
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string // in the body
	}{
		{"GET", "/v1/proposals", "", 200, `{"proposals":[{"id":"p-4f2a","state":"pending","action":"restart-unit"`},
		{"GET", "/v1/proposals", "", 200, `"arguments":{"reason":"four failures, the last at 13:00","unit":"backup.service"},"reason":"it failed four times, and a restart mended it each time before","incident":"i-backup-1a0","deliberation":"d-6b0","shown":["machine","outsider"],"clause":"act-asks-for-strangers","why":"a stranger's word was shown","argv":["/usr/bin/systemctl","--user"`},
		{"GET", "/v1/proposals?all=true&limit=1", "", 200, `"before":"p-4f2a"`},
		{"GET", "/v1/proposals?all=true&limit=999&before=p-37c0", "", 200, `"argv":[]`},
		{"HEAD", "/v1/proposals", "", 200, ""},
		{"GET", "/v1/proposals?all=1", "", 400, "neither true nor false"},
		{"GET", "/v1/proposals?limit=0", "", 400, "above 0"},
		{"GET", "/v1/proposals?limit=1&limit=2", "", 400, "use all, before and limit, each once"},
		{"GET", "/v1/proposals?before=%1b", "", 400, "not a page's mark"},
		{"GET", "/v1/proposals?state=pending", "", 400, "state"},
		{"POST", "/v1/proposals", "{}", 405, "does not take POST"},
		{"GET", "/v1/proposals/p-4f2a", "", 200, `"hash":"` + hash},
		{"GET", "/v1/proposals/p-none", "", 404, "p-none"},
		{"GET", "/v1/proposals/" + long, "", 400, "not a proposal's id"},
		{"GET", "/v1/proposals/-%1b", "", 400, "not a proposal's id"},
		{"POST", "/v1/proposals/p-4f2a", "{}", 405, "does not take POST"},
		{"GET", "/v1/proposals/decide", "", 405, "does not take GET"},
		{"POST", "/v1/proposals/decide", "", 400, "not a proposal's id"},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","approve":true}`, 400, "approving needs it"},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","approve":true,"hash":""}`, 400, "approving needs it"},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","approve":true,"hash":"` + long + `"}`, 400, "not a proposal's hash"},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","approve":true,"hash":"A B"}`, 400, "not a proposal's hash"},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","approve":"yes","hash":"ab"}`, 400, "approve"},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","arguments":{}}`, 400, "arguments"},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","approve":true,"hash":"ab"}`, 409, `"code":"changed"`},
		{"POST", "/v1/proposals/decide", `{"id":"p-none","approve":true,"hash":"ab"}`, 404, "p-none"},
		{"POST", "/v1/proposals/decide", `{"id":"p-39b1","approve":true,"hash":"ab"}`, 410, `"code":"expired"`},
		{"POST", "/v1/proposals/decide", `{"id":"p-37c0","approve":true,"hash":"ab"}`, 409, `"code":"used"`},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a","approve":true,"hash":"` + hash + `"}`, 200, `"run":{"id":"r-new-1","state":"succeeded","action":"restart-unit"`},
		{"POST", "/v1/proposals/decide", `{"id":"p-4f2a"}`, 409, `"code":"used"`},
		{"GET", "/v1/runs", "", 200, `{"runs":[{"id":"r-new-1"`},
		{"GET", "/v1/runs?undoable=true&limit=5", "", 200, `"id":"r-23"`},
		{"GET", "/v1/runs?deliberation=d-5f0", "", 200, `"exit_code":3`},
		{"GET", "/v1/runs?deliberation=d-0", "", 200, `{"runs":[]}`},
		{"GET", "/v1/runs?deliberation=d%20", "", 400, "not a deliberation's id"},
		{"GET", "/v1/runs?undoable=perhaps", "", 400, "perhaps"},
		{"GET", "/v1/runs?limit=x", "", 400, "limit"},
		{"GET", "/v1/runs?all=true", "", 400, "undoable, deliberation, before and limit"},
		{"POST", "/v1/undo", "", 400, "not a run's id"},
		{"POST", "/v1/undo", `{"run":"r -"}`, 400, "not a run's id"},
		{"POST", "/v1/undo", `{"run":"r-none"}`, 404, "r-none"},
		{"POST", "/v1/undo", `{"run":"r-21"}`, 410, "expired"},
		{"POST", "/v1/undo", `{"run":"r-23"}`, 200, `"undo_of":"r-23"`},
		{"POST", "/v1/undo", `{"run":"r-23"}`, 409, "used"},
		{"GET", "/v1/undo", "", 405, "does not take GET"},
		{"GET", "/v1/status", "", 200, `"proposed":[{"id":"p-4f2a"`},
		{"GET", "/v1/status", "", 200, `"deliberating":[{"id":"d-7c1"`},
		{"GET", "/v1/inbox/i-backup-1a0", "", 200, `"judgement":{"permission":"refused","clause":"others-silence-nothing"`},
		{"GET", "/v1/inbox/i-swap-0a1", "", 200, `"deliberations":[]`},
	} {
		expect(t, call(t, c, test.method, test.path, mediaOf(test.body), test.body), test.method+" "+test.path+" "+test.body, test.status, test.want)
	}
}

func mediaOf(body string) string {
	if body == "" {
		return ""
	}
	return asJSON
}

func expect(t *testing.T, got reply, what string, status int, want string) {
	t.Helper()
	if got.status != status || !strings.Contains(got.body, want) {
		t.Errorf("%.140s: %d %.400s, want %d with %q", what, got.status, got.body, status, want)
	}
	if strings.Contains(got.body, "null") {
		t.Errorf("%.140s holds null: %s", what, got.body)
	}
}

func TestTalkingRoutes(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Deliberating()
	apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	c := caller(t, folder)
	text := func(n int) string { return strings.Repeat("a", n) }
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/conversations", "", 200, `{"conversations":[{"id":"team","title":"Who looks after the backup?"`},
		{"GET", "/v1/conversations?limit=1", "", 200, `"before":"team"`},
		{"GET", "/v1/conversations?limit=1&before=team", "", 200, `"id":"c-8a10"`},
		{"GET", "/v1/conversations?all=true", "", 400, "use before and limit"},
		{"GET", "/v1/conversations/team", "", 200, `"messages":[{"id":4,"conversation":"team"`},
		{"GET", "/v1/conversations/team?limit=1", "", 200, `"before":4`},
		{"GET", "/v1/conversations/team?before=1", "", 200, `{"messages":[]}`},
		{"GET", "/v1/conversations/team?before=-1", "", 400, "use a message's number"},
		{"GET", "/v1/conversations/team?before=x", "", 400, "use a message's number"},
		{"GET", "/v1/conversations/nowhere", "", 404, "nowhere"},
		{"GET", "/v1/conversations/a%20b", "", 400, "not a conversation's name"},
		{"GET", "/v1/conversations/.hidden", "", 400, "not a conversation's name"},
		{"GET", "/v1/messages/search?words=DISK", "", 200, `"text":"Buy a new disk"`},
		{"GET", "/v1/messages/search?words=backup&conversation=c-8a10", "", 200, `{"messages":[]}`},
		{"GET", "/v1/messages/search", "", 400, "there are none"},
		{"GET", "/v1/messages/search?words=%1b%00", "", 400, "there is none"},
		{"GET", "/v1/messages/search?words=%ff", "", 400, "UTF-8"},
		{"GET", "/v1/messages/search?words=" + text(api.MaxWords+1), "", 400, "500"},
		{"GET", "/v1/messages/search?words=x&conversation=%2F", "", 400, "not a conversation's name"},
		{"GET", "/v1/messages", "", 405, "does not take GET"},
		{"POST", "/v1/messages", `{"text":"  two\r\nlines\u001b[2J  "}`, 200, `"author":"person","trust":"owner","text":"two\nlines[2J"`},
		{"POST", "/v1/messages", `{"text":"x","as":"builder","conversation":"team","key":"k-1"}`, 200, `"author":"agent","name":"builder","trust":"agent"`},
		{"POST", "/v1/messages", `{"text":"x","as":"mind"}`, 400, "no agent is called mind"},
		{"POST", "/v1/messages", `{"text":"x","as":"person"}`, 400, "no agent is called person"},
		{"POST", "/v1/messages", `{"text":"x","as":"` + text(65) + `"}`, 400, "not an agent's name"},
		{"POST", "/v1/messages", `{"text":"x","conversation":"../x"}`, 400, "not a conversation's name"},
		{"POST", "/v1/messages", `{"text":"x","key":" "}`, 400, "not a key"},
		{"POST", "/v1/messages", `{"text":"x","author":"person"}`, 400, "author"},
		{"POST", "/v1/messages", `{"text":" \u200b "}`, 400, "empty"},
		{"POST", "/v1/messages", "", 400, "empty"},
		{"POST", "/v1/messages", `{"text":"` + text(api.MaxMessage+1) + `"}`, 400, "16384"},
		{"GET", "/v1/memory", "", 200, `{"memories":[{"id":"m-1f","version":1,"kind":"solution"`},
		{"GET", "/v1/memory?quarantined=true", "", 200, `"citations":[{"ref":"mail:abcdefghij"`},
		{"GET", "/v1/memory?words=alarms", "", 200, `{"memories":[],"total":3,"agents":0,"quarantined":1}`},
		{"HEAD", "/v1/memory", "", 200, ""},
		{"GET", "/v1/memory?words=%ff", "", 400, "UTF-8"},
		{"GET", "/v1/memory?words=%22%2A%22", "", 400, "search for a word"},
		{"GET", "/v1/memory?quarantined=all", "", 400, "neither true nor false"},
		{"GET", "/v1/memory/m-1f", "", 200, `"tags":["backup"]`},
		{"GET", "/v1/memory/m-1d", "", 200, `"tags":[]`},
		{"GET", "/v1/memory/m-none", "", 404, "m-none"},
		{"GET", "/v1/memory/%2E%2E", "", 404, ""},
		{"GET", "/v1/memory/m-1", "", 409, `"candidates":["m-1f","m-1e","m-1d"]`},
		{"GET", "/v1/memory?kind=rumour", "", 400, "rumour"},
		{"GET", "/v1/memory?about=moon:x", "", 400, "project:FOLDER"},
		{"GET", "/v1/memory?about=project:" + text(600), "", 400, "512"},
		{"GET", "/v1/memory?status=forgotten", "", 400, "archived"},
		{"GET", "/v1/memory?level=all", "", 400, "summary"},
		{"GET", "/v1/memory?agents=true&quarantined=true", "", 400, "one of them"},
		{"GET", "/v1/memory?words=x&topic=home", "", 400, "leave the words out"},
		{"GET", "/v1/memory?since=yesterday", "", 400, "not a time"},
		{"GET", "/v1/memory/m-1d/history", "", 200, `"what":"added"`},
		{"GET", "/v1/memory/m-1d/provenance", "", 200, `"rests_on":[{"id":"m-1f"`},
		{"GET", "/v1/memory/timeline?topic=home", "", 200, `{"memories":[]}`},
		{"GET", "/v1/memory/timeline?topic=" + text(65), "", 400, "topic"},
		{"GET", "/v1/memory/conflicts", "", 200, `"older":{"id":"m-1d"`},
		{"GET", "/v1/memory/profile", "", 200, `"id":"m-1f"`},
		{"GET", "/v1/memory/health", "", 200, `"conflicts":1`},
		{"GET", "/v1/memory/export", "", 200, "md m-1f A restart"},
		{"GET", "/v1/memory/export?format=jsonl", "", 200, "jsonl m-1f"},
		{"GET", "/v1/memory/export?format=csv", "", 400, "jsonl"},
		{"POST", "/v1/memory/m-1f", "{}", 405, "does not take POST"},
		{"PUT", "/v1/memory", "{}", 405, "does not take PUT"},
		{"POST", "/v1/memory", "{}", 400, "empty"},
		{"POST", "/v1/memory", `{"add":"x"}`, 400, "add"},
		{"POST", "/v1/memory", `{"text":"x","kind":"rumour"}`, 400, "rumour"},
		{"POST", "/v1/memory", `{"text":"x","tags":["A"]}`, 400, "not a tag"},
		{"POST", "/v1/memory", `{"text":"x","tags":["` + strings.Repeat(`a","`, api.MaxTags) + `a"]}`, 400, "at most 16"},
		{"POST", "/v1/memory", `{"text":"` + text(api.MaxMemory+1) + `"}`, 400, "4096"},
		{"POST", "/v1/memory", `{"text":"x","trust":"owner"}`, 400, "trust"},
		{"POST", "/v1/memory", `{"text":"x","said":"yesterday"}`, 400, "body"},
		{"POST", "/v1/memory", `{"text":"Noon","kind":"fact","tags":["printers"]}`, 200, `"outcome":"stored"`},
		{"POST", "/v1/memory", `{"text":"When?"}`, 200, `"outcome":"refused","reason":"question"`},
		{"POST", "/v1/memory/m-1d/supersede", `{"text":"They close at one"}`, 200, `"supersedes":"m-1d"`},
		{"POST", "/v1/memory/m-1d/supersede", `{"text":" "}`, 400, "empty"},
		{"POST", "/v1/memory/m-1d/supersede", `{"text":"x","id":"m-1f"}`, 400, "id"},
		{"POST", "/v1/memory/m-1d/edit", `{}`, 400, "nothing is to be otherwise"},
		{"POST", "/v1/memory/m-1d/edit", `{"text":"x","version":7}`, 409, `"code":"changed","next":"edit it as it is now","memory":{"id":"m-1d"`},
		{"POST", "/v1/memory/m-1d/edit", `{"text":"x","version":1}`, 200, `"version":2`},
		{"POST", "/v1/memory/m%201/edit", `{"text":"x"}`, 400, "not a memory's id"},
		{"POST", "/v1/memory/m-1d/pin", `{}`, 200, `"pinned":true`},
		{"POST", "/v1/memory/m-1d/archive", `{"off":true}`, 400, "archive does not take it"},
		{"POST", "/v1/memory/m-1d/archive", `{"as":"builder"}`, 200, `"status":"archived"`},
		{"POST", "/v1/memory/m-1e/confirm", `{"as":"builder"}`, 403, "the person's own word"},
		{"POST", "/v1/memory/m-1e/confirm", ``, 200, `"lane":"trusted"`},
		{"POST", "/v1/memory/m-1e/undo", `{"as":"builder"}`, 403, "the person's own word"},
		{"POST", "/v1/memory/m-1e/validate", `{}`, 200, `"found":[{"citation":{"ref":"mail:abcdefghij"}`},
		{"POST", "/v1/memory/validate", `{}`, 200, `{"looked":`},
		{"POST", "/v1/memory/import?as=builder", "", 403, "the person's own word"},
		{"POST", "/v1/memory/import?format=md", "", 400, "as"},
		{"POST", "/v1/memory/import", "head\none\n", 200, `"seen":1`},
		{"POST", "/v1/memory/m-1e/forget", `{"as":"builder"}`, 403, "the person's own word"},
		{"POST", "/v1/memory/m-1e/forget", `{}`, 200, `{"id":"m-1e"`},
		{"POST", "/v1/memory/m-1e/forget", `{}`, 404, "m-1e"},
	} {
		got := call(t, c, test.method, test.path, mediaOf(test.body), test.body)
		if test.want == "" && test.status == 404 && got.status != 200 {
			continue // whatever a path that leads upwards is answered with, it is no memory
		}
		expect(t, got, test.method+" "+test.path+" "+test.body, test.status, test.want)
	}
	if posts := mind.Posts(); len(posts) != 2 || posts[0].As != "" || posts[1].As != "builder" || posts[1].Key != "k-1" {
		t.Errorf("posted: %+v", posts)
	}
}

// TestArgumentsThatAreNoJSON: what a mind answers is JSON whatever it holds.
func TestArgumentsThatAreNoJSON(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Deliberating()
	mind.Proposed[0].Arguments = json.RawMessage(`{"broken`)
	apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	if got := call(t, caller(t, folder), "GET", "/v1/proposals", "", ""); got.status != 200 || !strings.Contains(got.body, `"arguments":{}`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestApprovingOutlivesItsClient: what was approved is carried out whole,
// although nobody waits for the answer.
func TestApprovingOutlivesItsClient(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Deliberating()
	begun, goOn := make(chan struct{}), make(chan struct{})
	mind.OnDecide = func(api.ProposalDecision) error {
		close(begun)
		<-goOn
		return nil
	}
	server := apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	c := caller(t, folder)
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		body := strings.NewReader(`{"id":"p-4f2a","approve":true,"hash":"` + apitest.SampleHash + `"}`)
		request, err := http.NewRequestWithContext(ctx, "POST", "http://mind/v1/proposals/decide", body)
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("Content-Type", asJSON)
		if response, err := c.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	<-begun
	hangUp()
	<-gone
	close(goOn)
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if decisions := mind.Decisions(); len(decisions) != 1 || !decisions[0].Approve || mind.Proposed[0].State != "approved" {
		t.Errorf("decided: %+v, %s", decisions, mind.Proposed[0].State)
	}
}
