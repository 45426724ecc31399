package apitest

import (
	"time"

	"github.com/subconsciousd/subconsciousd/api"
)

// Thinking returns a mind whose threads think with models: one of them rests
// after failures, another thinks in the place of one, and a limit is reached.
func Thinking() *Mind {
	m := Busy()
	tomorrow := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	m.Now.Models = []api.ModelStatus{
		{Role: "watcher", Provider: "groq", Model: "llama-3.3-70b-versatile", State: api.ModelResting, Since: ago(25 * time.Minute), Next: at.Add(95 * time.Second),
			Error: "too many requests (429), 3 times in a row", Fallbacks: []string{"zai/glm-4.7-flash", "workshop/qwen3-8b"}, PriceInput: 0.59, PriceOutput: 0.79, PriceKnown: true},
		{Role: "librarian", Provider: "gemini", Model: "gemini-2.5-flash", State: api.ModelOK, Since: ago(3 * time.Hour), PriceInput: 0.3, PriceOutput: 2.5, PriceKnown: true},
		{Role: "oracle", Provider: "zai", Model: "glm-6-preview", State: api.ModelOK, Since: ago(3 * time.Hour), PriceInput: 15, PriceOutput: 75,
			Note: `write what zai/glm-6-preview costs, in US dollars for a million tokens, under models.prices: {provider: zai, model: "glm-6-preview", input: …, output: …}`},
		{Role: "dreamer", Provider: "workshop", Model: "qwen3-8b", Local: true, State: api.ModelUnused, PriceKnown: true},
		{Role: "deliberation", Provider: "claude", Model: "claude-opus-4-7", State: api.ModelUnavailable, Error: "there is no key for claude", PriceInput: 5, PriceOutput: 25, PriceKnown: true,
			Note: "put a key into the keyring as subconscious/claude"},
	}
	threads := m.Now.Threads
	threads[0].Mode, threads[0].Model, threads[0].Usual = "model", "zai/glm-4.7-flash", "groq/llama-3.3-70b-versatile"
	threads[0].Calls, threads[0].Tokens, threads[0].Cost = 41, 128_400, 0
	threads[1].Mode, threads[1].Model, threads[1].Calls, threads[1].Tokens, threads[1].Cost = "model", "gemini/gemini-2.5-flash", 12, 30_100, 0.0132
	threads[2].Mode, threads[2].Usual, threads[2].Reason = "reflex", "zai/glm-6-preview", "its calls of the day are spent"
	threads[2].Calls, threads[2].Tokens, threads[2].Cost = 10, 61_900, 0.9421
	threads[3].Mode, threads[3].Model = "model", "workshop/qwen3-8b"
	m.Now.Budget = spending(tomorrow)
	m.Reports[0].Threads = []api.ThreadReport{
		{Name: "watcher", Mode: "model", Shown: 4, Findings: 2, Rejected: map[string]int{"repeat": 1}, Calls: 2, Tokens: 6210, Cached: 4800,
			Model: "zai/glm-4.7-flash", Usual: "groq/llama-3.3-70b-versatile",
			Reason: "groq/llama-3.3-70b-versatile: too many requests (429); zai/glm-4.7-flash thought in its place", Failures: []string{"groq/llama-3.3-70b-versatile: too many requests (429)"}},
		{Name: "oracle", Mode: "reflex", Shown: 2, Usual: "zai/glm-6-preview", Reason: "its calls of the day are spent"},
		{Name: "dreamer", Mode: "skipped", Reason: "nothing new in its field"},
	}
	m.Tests, m.Prompts, m.Sum = modelTests(), renderedPrompts(), sum(m.Now.Budget)
	return m
}

func spending(tomorrow time.Time) api.BudgetStatus {
	return api.BudgetStatus{
		MoneyToday: 0.9553, TokensToday: 220_400, CallsToday: 63, MoneyMonth: 7.31, Unsettled: 1,
		Limits: []api.LimitStatus{
			{Name: "money_per_day", Used: 0.9553, Limit: 1}, {Name: "money_per_month", Used: 7.31, Limit: 20},
			{Name: "calls_per_day", Used: 63, Limit: 2000}, {Name: "tokens_per_day", Used: 220_400, Limit: 5_000_000},
			{Name: "oracle.calls_per_day", Used: 10, Limit: 10, Exhausted: true, Until: tomorrow},
		},
		Exploration: api.Exploration{Used: 1, Allowed: 4},
		Roles: []api.RoleSpend{{Role: "watcher", Calls: 41, Tokens: 128_400}, {Role: "librarian", Calls: 12, Tokens: 30_100, Money: 0.0132},
			{Role: "oracle", Calls: 10, Tokens: 61_900, Money: 0.9421}},
	}
}

func modelTests() []api.ModelTest {
	return []api.ModelTest{
		{Role: "watcher", Provider: "groq", Model: "llama-3.3-70b-versatile", Steps: []api.TestStep{
			{Name: "key", OK: true, Detail: "found in the variable GROQ_API_KEY"},
			{Name: "endpoint", OK: true, Detail: "https://api.groq.com/openai/v1/ answers"},
			{Name: "answer", Detail: "too many requests (429)", Next: "wait 95 seconds, or take another plan at console.groq.com"},
		}},
		{Role: "dreamer", Provider: "workshop", Model: "qwen3-8b", OK: true, LatencyMS: 1834, Tokens: 96, Steps: []api.TestStep{
			{Name: "key", OK: true, Detail: "none is needed"},
			{Name: "endpoint", OK: true, Detail: "http://127.0.0.1:8080/v1/ answers"},
			{Name: "model", OK: true, Detail: "it is there"},
			{Name: "schema", OK: true, Detail: "the answer has the shape that was asked for"},
			{Name: "stream", OK: true, Detail: "the answer came in pieces"},
		}},
	}
}

func renderedPrompts() map[string]api.RenderedPrompt {
	return map[string]api.RenderedPrompt{
		"watcher": {Thread: "watcher", Model: "groq/llama-3.3-70b-versatile", Bytes: 6240, Tokens: 1560, Hash: "5f3c9a0b12de4477", Redacted: true,
			System: "You are the watcher.\n\nYou look at what changed.\n", User: "It is Saturday, 14 March 2026, 14:05.\n\n- [health:efghijklmn@90] The unit backup.service failed\n"},
	}
}

func sum(budget api.BudgetStatus) api.Report {
	return api.Report{
		Ticks: 288, Unchanged: 271, FailedTicks: 1, Findings: 54, Accepted: 9, Rejected: map[string]int{"repeat": 41, "below_importance": 3, "crowded_out": 1},
		Changes: map[string]int{"added": 4, "reinforced": 5, "faded": 17, "dropped": 4},
		Threads: []api.ThreadSum{
			{Name: "watcher", Asked: 44, Skipped: 244, Reflex: 3, Model: 41, FellBack: 3, Findings: 5},
			{Name: "librarian", Asked: 12, Skipped: 276, Model: 12, Findings: 1},
			{Name: "oracle", Asked: 31, Skipped: 256, Failed: 1, Reflex: 20, Model: 10, FellBack: 20, Findings: 3},
			{Name: "dreamer", Skipped: 288},
		},
		Models: []api.ModelSum{
			{Role: "watcher", Provider: "zai", Model: "glm-4.7-flash", Calls: 41, Tokens: 128_400, Cached: 96_000},
			{Role: "watcher", Provider: "groq", Model: "llama-3.3-70b-versatile", Calls: 9, Failed: 9},
			{Role: "librarian", Provider: "gemini", Model: "gemini-2.5-flash", Calls: 12, Tokens: 30_100, Cost: 0.0132},
			{Role: "oracle", Provider: "zai", Model: "glm-6-preview", Calls: 10, Tokens: 61_900, Cost: 0.9421},
			{Role: "dreamer", Provider: "workshop", Model: "qwen3-8b", Calls: 1, Tokens: 2_100, Local: true},
		},
		Money: 0.9553, Budget: budget,
		Blind: []api.BlindPeriod{
			{Sense: "health", ID: "health", From: ago(14 * time.Minute), To: ago(10 * time.Minute), Error: "cannot read /proc"},
			{Sense: "calendar", ID: "home", From: ago(70 * time.Minute), Error: "no such file"},
		},
	}
}
