package api

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// FuzzRequest feeds anything to all that reads requests. What is refused is
// refused in few words that may be shown; what is taken is within its bounds.
func FuzzRequest(f *testing.F) {
	seeds, err := filepath.Glob("testdata/requests/*")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds in testdata/requests: %v", err)
	}
	for _, seed := range seeds {
		text := testutil.Read(f, seed)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		request, err := fromBody[TickRequest](body, nil)
		if refused(t, err); err == nil && len(request.Thread) > maxThread {
			t.Errorf("a thread's name of %d bytes", len(request.Thread))
		}
		pause, err := fromBody[PauseBody](body, nil)
		if refused(t, err); err == nil && (pause.length < 0 || pause.length > MaxPause) {
			t.Errorf("a pause of %s", pause.length)
		}
		_, err = fromBody[Nothing](body, nil)
		refused(t, err)
		if query, err := url.ParseQuery(string(body)); err == nil {
			ticks, err := fromQuery[TicksQuery](query, nil)
			if refused(t, err); err == nil && (ticks.Before < 0 || ticks.Limit < 1 || ticks.Limit > MaxPage) {
				t.Errorf("%+v", ticks)
			}
		}
		command, err := commandOf(body)
		if refused(t, err); err == nil {
			checkCommand(t, command)
		}
		if query, err := url.ParseQuery(string(body)); err == nil {
			inbox, err := fromQuery[InboxQuery](query, nil)
			if refused(t, err); err == nil && (inbox.Limit < 1 || inbox.Limit > MaxPage || len(inbox.Before) > MaxID) {
				t.Errorf("%+v", inbox)
			}
		}
		missed, err := fromBody[MissedRequest](body, nil)
		if refused(t, err); err == nil && (missed.Text == "" || len(missed.Text) > MaxMissed || subconscious.Printable(missed.Text) != missed.Text) {
			t.Errorf("missed: %q", missed.Text)
		}
		_, err = fromBody[CalibrationRequest](body, nil)
		refused(t, err)
		test, err := fromBody[ChannelTestRequest](body, nil)
		if refused(t, err); err == nil && len(test.Channel) > maxThread {
			t.Errorf("a channel's id of %d bytes", len(test.Channel))
		}
		checkActing(t, body)
		checkTalking(t, body)
	})
}

func commandOf(body []byte) (subconscious.Command, error) {
	request, err := fromBody[CommandRequest](body, nil)
	if err != nil {
		return subconscious.Command{}, err
	}
	return request.command(noon)
}

// checkActing feeds anything to what reads decisions: nothing approves without
// a hash.
func checkActing(t *testing.T, body []byte) {
	t.Helper()
	decision, err := fromBody[ProposalDecision](body, nil)
	if refused(t, err); err == nil && (decision.Approve && decision.Hash == "" || len(decision.Hash) > maxHash || !isID(decision.ID, MaxID)) {
		t.Errorf("%+v", decision)
	}
	if err != nil && decision != (ProposalDecision{}) {
		t.Errorf("refused, and yet %+v", decision)
	}
	undo, err := fromBody[UndoRequest](body, nil)
	if refused(t, err); err == nil && !isID(undo.Run, MaxID) {
		t.Errorf("%+v", undo)
	}
	query, err := url.ParseQuery(string(body))
	if err != nil {
		return
	}
	proposals, err := fromQuery[ProposalQuery](query, nil)
	if refused(t, err); err == nil && (proposals.Limit < 1 || proposals.Limit > MaxPage || len(proposals.Before) > MaxID) {
		t.Errorf("%+v", proposals)
	}
	runs, err := fromQuery[RunQuery](query, nil)
	if refused(t, err); err == nil && (runs.Limit < 1 || runs.Limit > MaxPage || len(runs.Deliberation) > MaxID) {
		t.Errorf("%+v", runs)
	}
}

// checkTalking feeds anything to what reads messages and memories.
func checkTalking(t *testing.T, body []byte) {
	t.Helper()
	request, err := fromBody[PostRequest](body, nil)
	if refused(t, err); err == nil && (!readable(request.Text, MaxMessage) || len(request.As) > maxAgent || request.As == AuthorPerson || request.As == AuthorMind || len(request.Key) > MaxID) {
		t.Errorf("%+v", request)
	}
	added, err := fromBody[MemoryAddition](body, nil)
	if refused(t, err); err == nil && (!readable(added.Text, MaxMemory) || len(added.Tags) > MaxTags || len(added.As) > maxAgent) {
		t.Errorf("%+v", added)
	}
	one := func(string) string { return "m-1f" }
	edit, err := fromBody[MemoryEdit](body, one)
	if refused(t, err); err == nil && (edit.ID != "m-1f" || edit.Text != nil && !readable(*edit.Text, MaxMemory)) {
		t.Errorf("%+v", edit)
	}
	forget, err := fromBody[MemoryForget](body, one)
	if refused(t, err); err == nil && (forget.ID != "m-1f" || forget.As != "") {
		t.Errorf("an agent forgets: %+v", forget)
	}
	query, err := url.ParseQuery(string(body))
	if err != nil {
		return
	}
	found, err := fromQuery[MessageSearch](query, nil)
	if refused(t, err); err == nil && (found.Words == "" || !readable(found.Words, MaxWords) || found.Limit > MaxPage) {
		t.Errorf("%+v", found)
	}
	messages, err := fromQuery[ConversationMessages](query, func(string) string { return "team" })
	if refused(t, err); err == nil && (messages.Before < 0 || messages.Limit > MaxPage) {
		t.Errorf("%+v", messages)
	}
	memories, err := fromQuery[MemoryQuery](query, nil)
	if refused(t, err); err == nil && (memories.Words != "" && !readable(memories.Words, MaxWords) || memories.Limit > MaxPage || memories.Agents && memories.Quarantined || len(memories.About) > 1024) {
		t.Errorf("%+v", memories)
	}
	_, err = fromQuery[ConversationQuery](query, nil)
	refused(t, err)
}

// readable: not empty, within its bounds, and nothing in it that a screen would
// obey.
func readable(text string, most int) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if subconscious.Printable(line) != line {
			return false
		}
	}
	return text != "" && len(text) <= most
}

func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var known *Error
	if !errors.As(err, &known) || known.Code != CodeBadRequest || known.Next == "" {
		t.Fatalf("%v is not a refusal with a next step", err)
	}
	if len(known.Text) > 400 || !utf8.ValidString(known.Text) || subconscious.Printable(known.Text) != known.Text {
		t.Fatalf("these words cannot be shown: %q", known.Text)
	}
}

// checkCommand demands that a command that was taken is within its bounds, and
// is taken again as it is.
func checkCommand(t *testing.T, c subconscious.Command) {
	t.Helper()
	if len(c.Text) > MaxNote || c.By != "" || c.ID != 0 || c.Incident != "" || !c.At.Equal(noon) || subconscious.Printable(c.Text) != c.Text {
		t.Errorf("out of bounds: %+v", c)
	}
	if !c.Until.IsZero() && (!c.Until.After(noon) || c.Until.Sub(noon) > MaxLater) {
		t.Errorf("it speaks again at %s", c.Until)
	}
	request := CommandRequest{Kind: c.Kind, Entry: c.Entry, Incident: c.IncidentID, Thread: c.Thread, Text: c.Text, Forever: c.Forever, Feedback: c.Feedback}
	if !c.Until.IsZero() {
		request.For = c.Until.Sub(noon).String()
	}
	body := testutil.JSON(t, request)
	again, err := commandOf(body)
	if err != nil || !again.Until.Equal(c.Until) {
		t.Errorf("%+v became %+v, %v", c, again, err)
	}
	if again.Until = c.Until; again != c {
		t.Errorf("%+v became %+v", c, again)
	}
}
