package daemon

import (
	"context"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/redact"
	"github.com/subconsciousd/subconsciousd/setup/live"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// usual is the model that is configured for a thread, "PROVIDER/MODEL"; empty
// where it thinks by reflex.
func (d *Daemon) usual(thread subconscious.ThreadName) string {
	if d.options.Threads != nil {
		return ""
	}
	assigned, ok := d.roster.Role(string(thread))
	if !ok {
		return ""
	}
	return assigned.Identity.String()
}

// TestModels implements api.Mind. What the test cost is on record at once.
func (d *Daemon) TestModels(ctx context.Context, who string) ([]api.ModelTest, error) {
	results := d.roster.Check(ctx, who)
	if err := d.calls.write(ctx); err != nil {
		d.options.Logger.Error("the calls of a test were not recorded", "error", err)
	}
	if len(results) == 0 && who != "" {
		return nil, api.Errorf(api.CodeNotFound, "see `subconsciousctl models` for those there are", "no role and no provider is called %s", who)
	}
	tests := make([]api.ModelTest, 0, len(results))
	for _, r := range results {
		tests = append(tests, live.TestOf(r))
	}
	return tests, nil
}

// Prompt implements api.Mind: what a thread would be asked now, of what is
// known now. It looks at no sense and asks no model.
func (d *Daemon) Prompt(ctx context.Context, thread string) (api.RenderedPrompt, error) {
	name := subconscious.ThreadName(thread)
	if !slices.Contains(d.runner.Names(), name) {
		return api.RenderedPrompt{}, view.UnknownThread(name)
	}
	at := d.options.Now().In(d.zoneOrUTC()).Round(0)
	snapshot, _ := d.snapshot(d.ledger.Stage(at, nil), d.board.Now().State, at, tickRequest{kind: subconscious.Manual, thread: name})
	return d.rendered(name, snapshot)
}

func notEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// rendered is the prompt of a thread as its model would get it.
func (d *Daemon) rendered(name subconscious.ThreadName, snapshot subconscious.Snapshot) (api.RenderedPrompt, error) {
	prompt, err := d.prompts.Thread(name, prompts.Thread{At: snapshot.At, State: snapshot.State, Field: snapshot.Fields[name]})
	if err != nil {
		return api.RenderedPrompt{}, err
	}
	out := api.RenderedPrompt{Thread: string(name), Model: d.usual(name), System: prompt.System, User: prompt.User, Hash: prompt.Hash}
	assigned, ok := d.roster.Role(string(name))
	switch {
	case !ok:
		out.Note = "it thinks by reflex, so nothing is sent; this is what a model would be asked"
	case assigned.Problem != "":
		out.Note = assigned.Problem + ", so nothing is sent for now"
	}
	if !assigned.Identity.Local {
		out.User, out.Redacted = redact.Text(prompt.User), true
		if d.mask != nil {
			out.User = d.mask().Mask(out.User)
		}
	}
	if prompt.Omitted != "" {
		out.Note = strings.Join(notEmpty(out.Note, prompt.Omitted), "; ")
	}
	out.Bytes = len(out.System) + len(out.User)
	out.Tokens = subconscious.EstimateTokens(out.Bytes)
	return out, nil
}
