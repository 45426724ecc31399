package api

import (
	"context"
	"net/http"
	"net/url"
)

// maxHash is the longest hash of a proposal, in bytes.
const maxHash = 128

func (s *Server) proposals(ctx context.Context, r *http.Request) (any, error) {
	query, err := proposalQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	if s.options.Proposer == nil {
		return nil, notServed("proposals")
	}
	page, err := s.options.Proposer.Proposals(ctx, query)
	return page.filled(), err
}

func (s *Server) proposal(ctx context.Context, r *http.Request) (any, error) {
	id := r.PathValue("id")
	if err := checkProposal(id); err != nil {
		return nil, err
	}
	if s.options.Proposer == nil {
		return nil, notServed("proposals")
	}
	proposal, err := s.options.Proposer.Proposal(ctx, id)
	return proposal.filled(), err
}

// decide may take as long as the action that is approved.
func (s *Server) decide(ctx context.Context, body []byte, by Caller) (any, error) {
	decision, err := decodeDecision(body)
	decision.By = by
	if err != nil {
		return nil, err
	}
	if s.options.Proposer == nil {
		return nil, notServed("proposals")
	}
	limit := answerTimeout
	if decision.Approve {
		release, err := s.queue()
		if err != nil {
			return nil, err
		}
		defer release()
		limit = runTimeout
	}
	ctx, done := context.WithTimeout(ctx, limit)
	defer done()
	result, err := s.options.Proposer.Decide(ctx, decision)
	return result.filled(), err
}

func (s *Server) runs(ctx context.Context, r *http.Request) (any, error) {
	query, err := runQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	if s.options.Undoer == nil {
		return nil, notServed("runs")
	}
	page, err := s.options.Undoer.Runs(ctx, query)
	return page.filled(), err
}

// undo may take as long as an action.
func (s *Server) undo(ctx context.Context, body []byte, by Caller) (any, error) {
	request, err := decodeUndo(body)
	if err != nil {
		return nil, err
	}
	if s.options.Undoer == nil {
		return nil, notServed("runs")
	}
	release, err := s.queue()
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, done := context.WithTimeout(ctx, runTimeout)
	defer done()
	run, err := s.options.Undoer.Undo(ctx, request.Run, by)
	return run.filled(), err
}

// proposalQuery reads all, before and limit of GET /v1/proposals.
func proposalQuery(query url.Values) (wanted ProposalQuery, err error) {
	if err = onlyOnce(query, "all", "before", "limit"); err != nil {
		return ProposalQuery{}, err
	}
	if wanted.All, err = yesQuery(query, "all"); err != nil {
		return ProposalQuery{}, err
	}
	if wanted.Limit, err = limitQuery(query); err != nil {
		return ProposalQuery{}, err
	}
	wanted.Before, err = markQuery(query)
	return wanted, err
}

// runQuery reads undoable, deliberation, before and limit of GET /v1/runs.
func runQuery(query url.Values) (wanted RunQuery, err error) {
	if err = onlyOnce(query, "undoable", "deliberation", "before", "limit"); err != nil {
		return RunQuery{}, err
	}
	if wanted.Undoable, err = yesQuery(query, "undoable"); err != nil {
		return RunQuery{}, err
	}
	if wanted.Limit, err = limitQuery(query); err != nil {
		return RunQuery{}, err
	}
	wanted.Deliberation = query.Get("deliberation")
	if wanted.Deliberation != "" && !isID(wanted.Deliberation) {
		return RunQuery{}, badRequest("take it from `subconsciousctl why`", "deliberation: %q is not a deliberation's id", clip(wanted.Deliberation))
	}
	wanted.Before, err = markQuery(query)
	return wanted, err
}

// decodeDecision reads the body of POST /v1/proposals/decide. A word for
// approving without the hash of what was shown approves nothing.
func decodeDecision(body []byte) (ProposalDecision, error) {
	decision, err := decode[ProposalDecision](body)
	if err == nil {
		err = checkProposal(decision.ID)
	}
	switch {
	case err != nil:
		return ProposalDecision{}, err
	case decision.Approve && decision.Hash == "":
		return ProposalDecision{}, badRequest("send the hash that the proposal was shown with", "hash: approving needs it")
	case decision.Hash != "" && !isName(decision.Hash, maxHash):
		return ProposalDecision{}, badRequest("send the hash that the proposal was shown with", "hash: %q is not a proposal's hash", clip(decision.Hash))
	}
	return decision, nil
}

// decodeUndo reads the body of POST /v1/undo.
func decodeUndo(body []byte) (UndoRequest, error) {
	request, err := decode[UndoRequest](body)
	if err == nil && !isID(request.Run) {
		err = badRequest("take an id from `subconsciousctl undo --list`", "run: %q is not a run's id", clip(request.Run))
	}
	return request, err
}

func checkProposal(id string) error {
	if isID(id) {
		return nil
	}
	return badRequest("take an id from `subconsciousctl proposals`", "id: %q is not a proposal's id", clip(id))
}
