package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/setup/live"
)

// pricesStale is how old the list of prices may be.
const pricesStale = 180 * 24 * time.Hour

// models looks at the providers and roles that are configured.
func (e *examination) models(ctx context.Context) {
	opened, err := live.Open(live.Options{Models: e.Config.Models, Budget: e.Config.Budget, Env: e.Env, Now: e.Now})
	if err != nil {
		e.add(Broken, "roles", err.Error(), "see subconsciousctl config check")
		return
	}
	defer func() { _ = opened.Close() }() // closes idle connections, which cannot fail
	roles := opened.Statuses()
	if len(roles) == 0 {
		e.add(Note, "roles", "no model thinks: rules do", "give it one: subconsciousctl init")
		return
	}
	for _, used := range e.used(roles) {
		e.provider(ctx, opened, used)
	}
	e.prices(roles)
	e.failing()
	e.test(ctx, opened)
}

// failing looks at the models whose last call by the daemon, which runs, failed.
// Those that cannot be asked at all are looked at by their keys.
func (e *examination) failing() {
	for _, m := range e.status.Models {
		meanwhile := "; meanwhile rules do it"
		if len(m.Fallbacks) > 0 {
			meanwhile = "; meanwhile its fallbacks are asked"
		}
		e.say(m.Role, row{m.State == api.ModelFailing || m.State == api.ModelResting, Degraded,
			fmt.Sprintf("%s/%s is %s: %s", m.Provider, m.Model, m.State, m.Error), "see what it answers: subconsciousctl models test " + m.Role + meanwhile})
	}
}

// used is a provider and the models that are asked of it.
type used struct {
	provider models.Provider
	models   []string
}

// used lists the providers of all roles and their fallbacks, in order.
func (e *examination) used(roles []api.ModelStatus) []used {
	var all []used
	add := func(id, model string) {
		provider, ok := e.Config.Models.Provider(id)
		if !ok {
			return
		}
		i := slices.IndexFunc(all, func(u used) bool { return u.provider.ID == id })
		if i < 0 {
			i, all = len(all), append(all, used{provider: provider})
		}
		if !slices.Contains(all[i].models, model) {
			all[i].models = append(all[i].models, model)
		}
	}
	for _, role := range roles {
		add(role.Provider, role.Model)
		for _, fallback := range role.Fallbacks {
			id, model, _ := strings.Cut(fallback, "/")
			add(id, model)
		}
	}
	return all
}

// provider looks at one: where it is, its key, and, on this machine or in its
// network, whether it answers and has the models.
func (e *examination) provider(ctx context.Context, opened *models.Roster, u used) {
	name := u.provider.ID
	at, err := url.Parse(u.provider.BaseURL)
	if err != nil {
		e.add(Broken, name, "its address cannot be read", "correct base_url")
		return
	}
	near := models.OwnNetwork(at.Hostname())
	e.say(name, row{u.provider.Local && !near, Broken, at.Hostname() + " is marked as local and is not on this machine or its network: it would get plain text, secrets included",
		"remove local: true of the provider " + name})
	key, err := u.provider.FindKey(e.Env)
	detail, next := keyWords(err)
	e.say(name+" key",
		row{err != nil && u.provider.Key.File == "" && e.daemonHas(name), OK, "the daemon, which runs, has it; here it is not to be had", ""},
		row{err != nil, Broken, detail, next},
		row{true, OK, where(u.provider, key, e.Env), ""})
	if err != nil {
		return
	}
	if !near {
		e.say(name+" endpoint", row{!e.Live, Skipped, at.Host + " is not asked without --live", ""})
		return
	}
	names, err := opened.Models(ctx, name)
	if err != nil {
		err = fmt.Errorf("list the models of %s: %w", name, err)
	}
	unlisted := slices.DeleteFunc(slices.Clone(u.models), func(model string) bool {
		return slices.ContainsFunc(names, func(listed string) bool { return models.SameModel(model, listed) })
	})
	if err != nil || len(unlisted) > 0 && !e.Live && u.provider.Local {
		e.unlisted(ctx, opened, u, at.Host, names, err)
		return
	}
	e.say(name+" endpoint",
		row{len(unlisted) == 0, OK, fmt.Sprintf("%s answers, and has %s", at.Host, strings.Join(u.models, ", ")), ""},
		row{true, Note, fmt.Sprintf("%s answers, and does not list %s, which is no fault where it answers", at.Host, strings.Join(unlisted, ", ")),
			"ask it: subconsciousctl models test " + name})
}

// unlisted asks the models of a server of one's own, which costs nothing, where
// it does not list them: what answers is there, whatever the list says.
func (e *examination) unlisted(ctx context.Context, opened *models.Roster, u used, host string, names []string, failure error) {
	about := u.provider.ID + " endpoint"
	for _, t := range live.Test(ctx, opened, u.provider.ID) {
		if t.OK {
			continue
		}
		bad := failedStep(t)
		e.say(about,
			row{failure != nil, Broken, fmt.Sprint(failure), "start the server at " + host + ", or correct base_url"},
			row{bad.Name != "" && !strings.Contains(bad.Detail, "no such model"), Broken, fmt.Sprintf("%s answers, and %s does not: %s", host, t.Model, bad.Detail),
				cmp.Or(bad.Next, "look at what the server says of it: its own log")},
			row{true, Broken, fmt.Sprintf("%s answers, and has no model %s", host, t.Model), fetch(u.provider, t.Model, names)})
		return
	}
	e.add(OK, about, fmt.Sprintf("%s answers, and so does %s, though it is not listed", host, strings.Join(u.models, ", ")), "")
}

// failedStep is the first that failed; without a name where none did.
func failedStep(t api.ModelTest) api.TestStep {
	for _, step := range t.Steps {
		if !step.OK {
			return step
		}
	}
	return api.TestStep{}
}

// daemonHas reports whether a daemon that runs can ask the models of a provider,
// which may be in an environment of its own.
func (e *examination) daemonHas(provider string) bool {
	of := slices.DeleteFunc(slices.Clone(e.status.Models), func(m api.ModelStatus) bool { return m.Provider != provider })
	return len(of) > 0 && !slices.ContainsFunc(of, func(m api.ModelStatus) bool { return m.State == api.ModelUnavailable })
}

// fetch says how to get a model that a server of one's own does not have.
func fetch(p models.Provider, model string, names []string) string {
	if models.VendorOf(p).Name == "ollama" {
		return "run: ollama pull " + model
	}
	if len(names) == 0 {
		return "load it into the server"
	}
	const most = 5
	return "load it into the server, or use one that it has: " + strings.Join(names[:min(most, len(names))], ", ")
}

// keyWords says why a key cannot be had, and what to do.
func keyWords(err error) (detail, next string) {
	if known, ok := errors.AsType[*models.Error](err); ok {
		return known.Text, known.Next
	}
	return fmt.Sprint(err), "see docs/models.md"
}

// where names the place of a key, never the key.
func where(p models.Provider, key secret.Value, env func(string) (string, bool)) string {
	switch {
	case key.IsZero():
		return "none is needed"
	case p.Key.String() != "":
		return "found in the " + p.Key.String()
	}
	for _, name := range models.VendorOf(p).KeyEnv {
		if text, ok := env(name); ok && text != "" {
			return "found in the variable " + name
		}
	}
	return "found"
}

// prices says whether they are known, and how old the list is.
func (e *examination) prices(roles []api.ModelStatus) {
	var unknown, remedies []string
	for _, u := range e.used(roles) {
		for _, model := range u.models {
			if remedy := e.Config.Models.Rate(u.provider, model).Remedy(); remedy != "" {
				unknown, remedies = append(unknown, u.provider.ID+"/"+model), append(remedies, remedy)
			}
		}
	}
	read, err := time.Parse(time.DateOnly, models.PricesRead())
	e.say("prices",
		row{len(unknown) > 0, Degraded, "not known, and taken to be dear: " + strings.Join(unknown, ", "), strings.Join(remedies, "; ")},
		row{err == nil && e.Now().Sub(read) > pricesStale, Note, "known, as of " + models.PricesRead() + ", which is long ago", "compare them with the providers' pages; models.prices corrects them"},
		row{true, OK, "known, as of " + models.PricesRead(), ""})
}

// test asks the models live: through the daemon where one runs, whose budget
// counts, else directly.
func (e *examination) test(ctx context.Context, opened *models.Roster) {
	if !e.Live {
		return
	}
	tests, err := []api.ModelTest(nil), error(nil)
	if e.runs {
		tests, err = e.Daemon.TestModels(ctx, "")
	} else {
		tests = live.Test(ctx, opened, "")
	}
	if err != nil {
		e.add(Broken, "live test", err.Error(), "try subconsciousctl models test")
		return
	}
	for _, t := range tests {
		bad := failedStep(t)
		e.say(t.Provider+"/"+t.Model,
			row{t.OK, OK, fmt.Sprintf("answered in %.1f s, for $%.4f", t.LatencyMS/1000, t.Cost), ""},
			row{bad.Name != "", Broken, bad.Name + ": " + bad.Detail, bad.Next},
			row{true, Broken, "it failed", "try subconsciousctl models test"})
	}
}

// budget says what is left, as the daemon counts it.
func (e *examination) budget(context.Context) {
	b := e.status.Budget
	var spent []string
	for _, l := range b.Limits {
		explores := strings.HasSuffix(l.Name, "exploration_calls_per_day") // that is used up on any day, and nothing is missed
		if l.Exhausted && !explores && !slices.Contains(attentionLimits, l.Name) {
			spent = append(spent, l.Name)
		}
	}
	next := "wait until there is room (subconsciousctl report), or raise it under budget"
	if slices.ContainsFunc(e.status.Models, func(m api.ModelStatus) bool { return !m.PriceKnown && !m.Local }) {
		next += "; a model whose price is not known takes more of it than it costs: see prices above"
	}
	e.say("budget",
		row{!e.runs, Skipped, "the daemon that counts it does not run", ""},
		row{len(spent) > 0, Degraded, "reached: " + strings.Join(spent, ", ") + "; rules think instead", next},
		row{true, OK, against(b.MoneyToday, e.Config.Budget.MoneyPerDay) + " today, " + against(b.MoneyMonth, e.Config.Budget.MoneyPerMonth) + " this month", ""})
}

// against says an amount and its limit; one below 0 is none.
func against(used, limit float64) string {
	if limit < 0 {
		return fmt.Sprintf("$%.2f, without a limit,", used)
	}
	return fmt.Sprintf("$%.2f of $%.2f", used, limit)
}
