package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestTellingRoutes(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Telling(), api.Options{Now: apitest.At})
	c := caller(t, folder)
	for _, test := range []routed{
		{"GET", "/v1/inbox", "", 200, `"id":"i-disk-0f3"`},
		{"GET", "/v1/inbox", "", 200, `"delivery":[]`},
		{"GET", "/v1/inbox?limit=1", "", 200, `"before":"i-invoice-1b2","channels":1,"presence":{"state":"busy"`},
		{"GET", "/v1/inbox?limit=1&before=i-invoice-1b2", "", 200, `"incidents":[{"id":"i-backup-1a0"`},
		{"GET", "/v1/inbox?limit=999999&all=true", "", 200, `"id":"i-offer-09d"`},
		{"GET", "/v1/inbox?all=false&before=i-disk-0f3", "", 200, `"incidents":[]`},
		{"HEAD", "/v1/inbox", "", 200, ""},
		{"GET", "/v1/inbox?limit=0", "", 400, "above 0"},
		{"GET", "/v1/inbox?limit=1&limit=2", "", 400, "limit"},
		{"GET", "/v1/inbox?limit=", "", 400, "limit"},
		{"GET", "/v1/inbox?all=perhaps", "", 400, "perhaps"},
		{"GET", "/v1/inbox?before=%1b%00", "", 400, "not a page's mark"},
		{"GET", "/v1/inbox?before=" + strings.Repeat("a", 200), "", 400, "not a page's mark"},
		{"GET", "/v1/inbox?order=up", "", 400, "order"},
		{"POST", "/v1/inbox", "", 405, "does not take POST"},
		{"GET", "/v1/inbox/i-backup-1a0", "", 200, `"reason":"escalate"`},
		{"GET", "/v1/inbox/i-swap-0a1", "", 200, `"decisions":[]`},
		{"GET", "/v1/inbox/i-nothing-1", "", 404, "i-nothing-1"},
		{"GET", "/v1/inbox/" + strings.Repeat("a", 200), "", 400, "not an incident's id"},
		{"GET", "/v1/inbox/I%20%1b", "", 400, "not an incident's id"},
		{"GET", "/v1/inbox/i-backup-1a0/more", "", 404, "nothing is served"},
		{"POST", "/v1/missed", `{"text":" the\nbackup "}`, 200, `"text":"the backup"`},
		{"POST", "/v1/missed", `{"text":"x"}`, 200, `"stage":"gate"`},
		{"POST", "/v1/missed", "", 400, "empty"},
		{"POST", "/v1/missed", `{"text":" \u001b "}`, 400, "empty"},
		{"POST", "/v1/missed", `{"text":"` + strings.Repeat("a", api.MaxMissed+1) + `"}`, 400, "2000"},
		{"POST", "/v1/missed", `{"text":"x","incident":"i-backup-1a0"}`, 400, "incident"},
		{"GET", "/v1/missed", "", 405, "does not take GET"},
		{"GET", "/v1/calibration", "", 200, `"push_from":0.6`},
		{"POST", "/v1/calibration/reset", `{"thread":"dreamer"}`, 404, "nothing of that sort"},
		{"POST", "/v1/calibration/reset", `{"source":"He alth"}`, 400, "source"},
		{"POST", "/v1/calibration/reset", `{"kind":"` + strings.Repeat("a", 33) + `"}`, 400, "kind"},
		{"POST", "/v1/calibration/reset", `{"kind":"deadline"}`, 200, `"source":"health"`},
		{"POST", "/v1/calibration/reset", "", 200, `"scores":[]`},
		{"GET", "/v1/calibration/reset", "", 405, "does not take GET"},
		{"GET", "/v1/channels", "", 200, `"state":"failing"`},
		{"POST", "/v1/channels/test", "", 200, `"channel":"family"`},
		{"POST", "/v1/channels/test", `{"channel":"phone"}`, 200, `"state":"sent"`},
		{"POST", "/v1/channels/test", `{"channel":"pager"}`, 404, "pager"},
		{"POST", "/v1/channels/test", `{"channel":"THE PAGER"}`, 400, "not a channel's id"},
		{"POST", "/v1/channels/test", `{"channels":["phone"]}`, 400, "channels"},
		{"POST", "/v1/channels", "", 405, "does not take POST"},
		{"GET", "/v1/status", "", 200, `"waiting":[{"id":"i-invoice-1b2"`},
		{"GET", "/v1/report", "", 200, `"presence":2`},
	} {
		if body := test.holds(t, c); strings.Contains(body, "null") {
			t.Errorf("%s %s holds null: %s", test.method, test.path, body)
		}
	}
}

func TestCommandsAboutIncidents(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Telling()
	apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	c := caller(t, folder)
	long := strings.Repeat("9", 300)
	for _, test := range []struct {
		body   string
		status int
		want   string // in the body
	}{
		{`{"kind":"ack","incident":"i-backup-1a0"}`, 200, `"incident":"health:unit:backup.service"`},
		{`{"kind":"ack","incident":"i-backup-1a0","feedback":"useful"}`, 200, `"feedback":"useful"`},
		{`{"kind":"ack","entry":"w-backup-a2c","feedback":"not_useful"}`, 200, `"entry":"w-backup-a2c"`},
		{`{"kind":"ack","incident":"i-backup-1a0","feedback":"ignored"}`, 400, "feedback"},
		{`{"kind":"ack","incident":"i-backup-1a0","for":"2h"}`, 400, "for"},
		{`{"kind":"ack","incident":"i-backup-1a0","forever":true}`, 400, "forever"},
		{`{"kind":"ack","incident":"i-nothing-1"}`, 404, "i-nothing-1"},
		{`{"kind":"ack"}`, 400, "needs an incident or an entry"},
		{`{"kind":"ack","incident":"i-backup-1a0","entry":"w-backup-a2c"}`, 400, "entry beside it"},
		{`{"kind":"ack","incident":"I BACKUP"}`, 400, "not an incident's id"},
		{`{"kind":"ack","incident":"health:unit:backup.service"}`, 400, "not an incident's id"},
		{`{"kind":"ack","incident":["i-backup-1a0"]}`, 400, "an array is not what belongs there"},
		{`{"kind":"ack","incident_id":"i-backup-1a0"}`, 400, "incident_id"},
		{`{"kind":"dismiss","incident":"i-backup-1a0","forever":true}`, 200, `"forever":true`},
		{`{"kind":"dismiss","entry":"w-backup-a2c"}`, 200, `"kind":"dismiss"`},
		{`{"kind":"dismiss","forever":true}`, 400, "needs an incident or an entry"},
		{`{"kind":"dismiss","incident":"i-backup-1a0","feedback":"useful"}`, 400, "feedback"},
		{`{"kind":"close","incident":"i-backup-1a0"}`, 200, `"incident_id":"i-backup-1a0"`},
		{`{"kind":"confirm","incident":"i-backup-1a0"}`, 400, "entry"},
		{`{"kind":"snooze","incident":"i-backup-1a0"}`, 200, `"kind":"snooze","incident":`},
		{`{"kind":"snooze","incident":"i-backup-1a0","for":"2h"}`, 200, `"until":"2026-03-14T16:05:30Z"`},
		{`{"kind":"snooze","incident":"i-backup-1a0","until":"2026-03-15T08:00:00+01:00"}`, 200, `"until":"2026-03-15T07:00:00Z"`},
		{`{"kind":"snooze","incident":"i-backup-1a0","for":"2h","until":"2026-03-15T08:00:00Z"}`, 400, "for beside it"},
		{`{"kind":"snooze","incident":"i-backup-1a0","for":"2"}`, 400, "not a length of time"},
		{`{"kind":"snooze","incident":"i-backup-1a0","for":"-2h"}`, 400, "is past"},
		{`{"kind":"snooze","incident":"i-backup-1a0","for":"0s"}`, 400, "is past"},
		{`{"kind":"snooze","incident":"i-backup-1a0","for":"` + long + `h"}`, 400, "not a length of time"},
		{`{"kind":"snooze","incident":"i-backup-1a0","for":"2562047h"}`, 400, "366 days"},
		{`{"kind":"snooze","incident":"i-backup-1a0","text":"x"}`, 400, "text"},
		{`{"kind":"remind","incident":"i-backup-1a0"}`, 400, "needs a time"},
		{`{"kind":"remind","for":"2h"}`, 400, "needs an incident or an entry"},
		{`{"kind":"remind","incident":"i-backup-1a0","until":"tomorrow"}`, 400, "not a time"},
		{`{"kind":"remind","incident":"i-backup-1a0","until":"2026-03-14T14:05:30Z"}`, 400, "is past"},
		{`{"kind":"remind","incident":"i-backup-1a0","until":"0000-01-01T00:00:00Z"}`, 400, "is past"},
		{`{"kind":"remind","incident":"i-backup-1a0","until":"9999-12-31T23:59:59Z"}`, 400, "366 days"},
		{`{"kind":"remind","incident":"i-backup-1a0","for":"8784h"}`, 200, `"until":"2027-03-15T14:05:30Z"`},
		{`{"kind":"remind","incident":"i-backup-1a0","for":"8784h1s"}`, 400, "366 days"},
		{`{"kind":"remind","entry":"w-backup-a2c","for":"2h"}`, 200, `"kind":"remind"`},
		{`{"kind":"focus","thread":"oracle","incident":"i-backup-1a0"}`, 400, "incident"},
		{`{"kind":"note","text":"x","until":"2026-03-15T08:00:00Z"}`, 400, "until"},
		{`{"kind":"note","text":"x","for":"2h"}`, 400, "for"},
	} {
		got := call(t, c, "POST", "/v1/commands", asJSON, test.body)
		if got.status != test.status || !strings.Contains(got.body, test.want) {
			t.Errorf("%.80s: %d %s, want %d with %q", test.body, got.status, got.body, test.status, test.want)
		}
		if strings.Contains(got.body, "9999999999999999999999999999999999999999999") {
			t.Errorf("%.80s: what was sent comes back: %s", test.body, got.body)
		}
	}
	want := subconscious.Command{ID: 2, At: apitest.At(), Kind: subconscious.CommandAck, Incident: "health:unit:backup.service", IncidentID: "i-backup-1a0",
		Feedback: subconscious.Useful, By: "person"}
	if got := mind.Commands(); len(got) < 2 || got[1] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Lists within what a mind hands over are filled in, and what it handed over is
// left as it is.
func TestListsWithinIncidents(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Busy()
	telling := &subconscious.Telling{ID: "i-x-1", State: subconscious.TellingTold, Since: apitest.At().Add(-time.Hour)}
	mind.Stories = map[subconscious.IncidentID]api.IncidentExplanation{"i-x-1": {Record: subconscious.Incident{Key: "x", Telling: telling}}}
	mind.Reasons["w-x-1"] = api.Explanation{Incident: subconscious.Incident{Key: "x", Telling: telling}}
	mind.Reports = []api.TickReport{{Tick: 1, Told: []api.ToldMessage{{Kind: "notice"}}}, {Tick: 2}}
	mind.Now.Waiting = []api.InboxIncident{{ID: "i-x-1"}}
	mind.Box.Incidents = []api.InboxIncident{{ID: "i-x-1", State: subconscious.TellingTold}}
	apitest.Serve(t, folder, mind, api.Options{})
	c := caller(t, folder)
	for _, path := range []string{"/v1/inbox/i-x-1", "/v1/why/w-x-1", "/v1/inbox", "/v1/status", "/v1/ticks", "/v1/ticks/1"} {
		if got := call(t, c, "GET", path, "", ""); got.status != 200 || strings.Contains(got.body, "null") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if telling.Asked.Evidence != nil || mind.Now.Waiting[0].Delivery != nil {
		t.Error("what the mind handed over was changed")
	}
}
