package client

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestActingMethods(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Deliberating()
	apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	c, ctx := newClient(t, folder), t.Context()
	var all []string
	query := api.ProposalQuery{All: true, Limit: 3}
	for {
		page, err := Ask(ctx, c, api.GetProposals, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Proposals {
			all = append(all, p.ID)
		}
		if query.Before = page.Before; page.Before == "" {
			break
		}
	}
	if want := []string{"p-4f2a", "p-37c0", "p-36aa", "p-39b1"}; !cmp.Equal(all, want) {
		t.Errorf("all pages: %v", all)
	}
	proposal, err := Ask(ctx, c, api.GetProposal, api.ProposalName{ID: "p-4f2a"})
	if diff := cmp.Diff(mind.Proposed[0], proposal); diff != "" || err != nil {
		t.Errorf("a proposal on its way: %v %s", err, diff)
	}
	var problem *api.Problem
	for _, decision := range []api.ProposalDecision{{ID: "p-4f2a", Approve: true}, {ID: "../status", Hash: "ab", Approve: true}} {
		if _, err := Ask(ctx, c, api.PostDecision, decision); !errors.As(err, &problem) || problem.Code != api.CodeBadRequest {
			t.Errorf("%+v: %v", decision, err)
		}
	}
	if _, err := Ask(ctx, c, api.PostDecision, api.ProposalDecision{ID: "p-4f2a", Hash: "ab", Approve: true}); !errors.As(err, &problem) || problem.Code != api.CodeChanged || problem.Next == "" {
		t.Errorf("another hash: %v", err)
	}
	result, err := Ask(ctx, c, api.PostDecision, api.ProposalDecision{ID: "p-4f2a", Hash: proposal.Hash, Approve: true})
	if err != nil || result.Run == nil || result.Run.State != api.RunSucceeded || result.Proposal.State != "approved" {
		t.Errorf("approved: %v %+v", err, result)
	}
	runs, err := Ask(ctx, c, api.GetRuns, api.RunQuery{Undoable: true})
	if err != nil || len(runs.Runs) != 2 || runs.Runs[0].ID != result.Run.ID {
		t.Errorf("runs: %v %+v", err, runs)
	}
	if runs, err := Ask(ctx, c, api.GetRuns, api.RunQuery{Deliberation: "d-5f0"}); err != nil || len(runs.Runs) != 1 || runs.Runs[0].ExitCode != 3 {
		t.Errorf("runs of one deliberation: %v %+v", err, runs)
	}
	if run, err := Ask(ctx, c, api.PostUndo, api.UndoRequest{Run: result.Run.ID}); err != nil || run.UndoOf != result.Run.ID {
		t.Errorf("undo: %v %+v", err, run)
	}
	if _, err := Ask(ctx, c, api.PostUndo, api.UndoRequest{Run: result.Run.ID}); !errors.As(err, &problem) || problem.Code != api.CodeUsed {
		t.Errorf("undo twice: %v", err)
	}
	story, err := Ask(ctx, c, api.GetIncident, api.IncidentQuery{ID: "i-backup-1a0"})
	if err != nil || len(story.Deliberations) != 2 || story.Deliberations[1].Rounds[1].Calls[0].Judgement.Clause != "others-silence-nothing" {
		t.Errorf("deliberations: %v %+v", err, story.Deliberations)
	}
	status, err := Ask(ctx, c, api.GetStatus, api.Nothing{})
	if err != nil || !cmp.Equal(status.Proposed, mind.Now.Proposed) || !cmp.Equal(status.Deliberating, mind.Now.Deliberating) {
		t.Errorf("status: %v %+v %+v", err, status.Proposed, status.Deliberating)
	}
}

func TestTalkingMethods(t *testing.T) {
	folder := testutil.Folder(t)
	mind := apitest.Deliberating()
	apitest.Serve(t, folder, mind, api.Options{Now: apitest.At})
	c, ctx := newClient(t, folder), t.Context()
	conversations, err := Ask(ctx, c, api.GetConversations, api.ConversationQuery{Limit: 1})
	if err != nil || len(conversations.Conversations) != 1 || conversations.Before != "team" {
		t.Errorf("conversations: %v %+v", err, conversations)
	}
	page, err := Ask(ctx, c, api.GetConversation, api.ConversationMessages{Conversation: "team", Limit: 2})
	if diff := cmp.Diff(mind.Said[:2], page.Messages); diff != "" || err != nil || page.Before != 3 {
		t.Errorf("messages: %v %d %s", err, page.Before, diff)
	}
	if page, err = Ask(ctx, c, api.GetConversation, api.ConversationMessages{Conversation: "team", Before: page.Before}); err != nil || len(page.Messages) != 1 || page.Messages[0].ID != 1 {
		t.Errorf("the page before: %v %+v", err, page)
	}
	if page, err = Ask(ctx, c, api.GetMessages, api.MessageSearch{Words: "new & disk=?", Conversation: "c-8a10"}); err != nil || len(page.Messages) != 0 {
		t.Errorf("words that are a query's: %v %+v", err, page)
	}
	if page, err = Ask(ctx, c, api.GetMessages, api.MessageSearch{Words: "new disk"}); err != nil || len(page.Messages) != 1 {
		t.Errorf("search: %v %+v", err, page)
	}
	var problem *api.Problem
	if _, err := Ask(ctx, c, api.GetConversation, api.ConversationMessages{Conversation: "../status"}); !errors.As(err, &problem) || problem.Code != api.CodeBadRequest {
		t.Errorf("a path for a name: %v", err)
	}
	message, err := Ask(ctx, c, api.PostMessage, api.PostRequest{Conversation: "team", Text: "Yes", As: "builder"})
	if err != nil || message.Author != api.AuthorAgent || message.Name != "builder" || message.ID != 5 {
		t.Errorf("post: %v %+v", err, message)
	}
	found, err := Ask(ctx, c, api.GetMemories, api.MemoryQuery{Words: "restart", Limit: 5})
	if err != nil || len(found.Memories) != 1 || found.Total != 3 || found.Quarantined != 1 {
		t.Errorf("memory: %v %+v", err, found)
	}
	if found, err = Ask(ctx, c, api.GetMemories, api.MemoryQuery{Quarantined: true}); err != nil || len(found.Memories) != 1 || found.Memories[0].Lane != "quarantine" {
		t.Errorf("kept apart: %v %+v", err, found)
	}
	if record, err := Ask(ctx, c, api.GetMemory, api.MemoryName{ID: "m-1e"}); err != nil || len(record.Citations) != 1 {
		t.Errorf("one memory: %v %+v", err, record)
	}
	if added, err := Ask(ctx, c, api.PostMemory, api.MemoryAddition{Text: "Noon", Kind: "fact", Tags: []string{"printers"}}); err != nil || added.Outcome != "stored" {
		t.Errorf("added: %v %+v", err, added)
	}
	if _, err := Ask(ctx, c, api.PostEdit, api.MemoryEdit{ID: "m-1e", Version: 9, Kind: "note"}); !errors.As(err, &problem) || problem.Code != api.CodeChanged || problem.Memory == nil || problem.Memory.Version != 1 {
		t.Errorf("a loser is given what is there: %v %+v", err, problem)
	}
	if confirmed, err := Ask(ctx, c, api.PostConfirm, api.MemoryChange{ID: "m-1e"}); err != nil || confirmed.Lane != "trusted" {
		t.Errorf("confirmed: %v %+v", err, confirmed)
	}
	var all strings.Builder
	if err := Copy(ctx, c, api.GetMemoryExport, api.MemoryFormat{Format: api.FormatLines}, &all); err != nil || strings.Count(all.String(), "jsonl m-") != 4 {
		t.Errorf("exported: %v %s", err, all.String())
	}
	if _, err := Ask(ctx, c, api.PostForget, api.MemoryForget{ID: "m-1e"}); err != nil {
		t.Error(err)
	}
	if _, err := Ask(ctx, c, api.GetMemory, api.MemoryName{ID: "m-1e"}); !errors.As(err, &problem) || problem.Code != api.CodeNotFound {
		t.Errorf("what was forgotten: %v", err)
	}
}
