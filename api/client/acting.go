package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// runTimeout is longer than the server's own for an action.
const runTimeout = 12 * time.Minute

// Proposals returns a page of the actions that wait for the person's word.
func (c *Client) Proposals(ctx context.Context, query api.ProposalQuery) (api.ProposalPage, error) {
	values := pageValues(query.Before, query.Limit)
	setYes(values, "all", query.All)
	return get[api.ProposalPage](ctx, c, withQuery("/v1/proposals", values))
}

// Proposal returns one by its id.
func (c *Client) Proposal(ctx context.Context, id string) (api.Proposal, error) {
	return get[api.Proposal](ctx, c, "/v1/proposals/"+url.PathEscape(id))
}

// Decide approves or rejects a proposal. Approving waits until the action has
// ended.
func (c *Client) Decide(ctx context.Context, decision api.ProposalDecision) (api.ProposalResult, error) {
	ctx, done := context.WithTimeout(ctx, runTimeout)
	defer done()
	return post[api.ProposalResult](ctx, c, "/v1/proposals/decide", decision)
}

// Runs returns a page of what was carried out.
func (c *Client) Runs(ctx context.Context, query api.RunQuery) (api.RunPage, error) {
	values := pageValues(query.Before, query.Limit)
	setYes(values, "undoable", query.Undoable)
	setText(values, "deliberation", query.Deliberation)
	return get[api.RunPage](ctx, c, withQuery("/v1/runs", values))
}

// Undo takes a run back and waits until that has ended.
func (c *Client) Undo(ctx context.Context, run string) (api.ActionRun, error) {
	ctx, done := context.WithTimeout(ctx, runTimeout)
	defer done()
	return post[api.ActionRun](ctx, c, "/v1/undo", api.UndoRequest{Run: run})
}

// pageValues are the parameters of a page; what is zero is left to the server.
func pageValues(before string, limit int) url.Values {
	values := url.Values{}
	setText(values, "before", before)
	if limit != 0 {
		values.Set("limit", strconv.Itoa(limit))
	}
	return values
}

func setText(values url.Values, name, text string) {
	if text != "" {
		values.Set(name, text)
	}
}

func setYes(values url.Values, name string, yes bool) {
	if yes {
		values.Set(name, "true")
	}
}

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
