package daemon_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/daemon"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/escalate/actions"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/presence"
)

// childModel is where the model of a life is: the base address of a server.
const childModel = "DAEMON_TEST_MODEL"

// escalationCap is what an escalation may cost in a life, in dollars.
const escalationCap = 0.25

// aboutUnit finds the unit that an incident is about, behind the words for it.
var aboutUnit = regexp.MustCompile(`(?s)What it is about:.*?unit-(\d+)`)

// unitOf is the number of the unit that a request is about, or -1.
func unitOf(r modeltest.Request) int {
	if len(r.Messages) == 0 {
		return -1
	}
	found := aboutUnit.FindStringSubmatch(r.Messages[0].Text)
	if found == nil {
		return -1
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return -1
	}
	return n
}

// manySided is a model that deals with unit after unit in another way. What it
// says next depends on the conversation alone, so that it does not matter how
// often it is asked.
func manySided(r modeltest.Request) modeltest.Reply {
	unit := unitOf(r)
	notify := calls("notify_person", fmt.Sprintf(`{"text":"Look at number %d soon.","reason":"it fails"}`, unit))
	remember := calls("remember", fmt.Sprintf(`{"text":"Number %d is frail.","kind":"fact"}`, unit))
	write := calls("propose_action", fmt.Sprintf(`{"action":"write-down","arguments":{"unit":"unit-%d"},"reason":"for the record"}`, unit))
	ask := calls("propose_action", fmt.Sprintf(`{"action":"ask-first","arguments":{"unit":"unit-%d"},"reason":"it may help"}`, unit))
	plays := [][][]models.ToolCall{
		{{calls("health", `{}`)}, {notify}},
		{{remember, write}},
		{{calls("health", `{}`), ask}},
		{{calls("dismiss", `{"reason":"it runs again"}`)}},
		{{calls("snooze", `{"hours":2,"reason":"later"}`)}},
		{{remember}},
		{{calls("health", `{}`)}, {write}},
	}
	if unit < 0 {
		return modeltest.Reply{Text: "What is it about?"}
	}
	play, turn := plays[unit%len(plays)], r.Round()
	if turn >= len(play) {
		return modeltest.Reply{Text: "Done."}
	}
	reply := modeltest.Reply{}
	for i, call := range play[turn] {
		call.ID = fmt.Sprintf("call-%d-%d", turn, i)
		reply.Calls = append(reply.Calls, call)
	}
	return reply
}

// deliberatingOptions are those of a mind that deliberates on each unit, in a
// life of that number.
func deliberatingOptions(dir string, life int, model string) (daemon.Options, error) {
	options, err := tellingOptions(dir, life, anOpenBook)
	if err != nil {
		return options, err
	}
	config := options.Config
	config.Models = models.DefaultConfig()
	config.Models.Providers = []models.Provider{{ID: "lab", Kind: "openai", BaseURL: model, Key: secret.Ref{Env: labKey}}}
	config.Models.Roles = []models.Role{{ID: models.RoleDeliberation, Provider: "lab", Model: modeltest.Model}}
	config.Models.Prices, config.Models.Timeout = []models.Price{labPrice}, 5*time.Second
	config.Budget.MoneyPerDay, config.Deliberation.MaxCost = 50, escalationCap
	config.Escalation.Critical = nil // what is critical cannot be put off
	pen := filepath.Join(dir, "pen")
	for name, approval := range map[string]escalate.Approval{"write-down": escalate.ApproveTainted, "ask-first": escalate.ApproveAlways} {
		config.Actions = append(config.Actions, actions.Action{
			Name: name, Description: "Writes a unit down.", Command: []string{pen, "{unit}"}, Folder: dir, Approval: approval,
			Params: []actions.Param{{Name: "unit", Pattern: "unit-[0-9]+"}}, PerHour: 1000, PerDay: 1000,
		})
	}
	// A life follows soon, so that it goes on with what the last one left; now
	// and then it does not.
	later := time.Duration(life)*5*time.Second + time.Duration(life/6)*12*time.Hour
	options.Now = func() time.Time { return time.Now().Add(later) }
	options.Env = labEnv
	options.Signals = func(time.Time) presence.Signals { return presence.Signals{} }
	return options, os.WriteFile(pen, []byte("#!/bin/sh\necho \"$1\" >> "+filepath.Join(dir, "acted")+"\n"), 0o700)
}

// acted is how often the program ran for each unit.
func acted(dir string) (map[string]int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "acted"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	times := map[string]int{}
	for _, unit := range strings.Fields(string(text)) {
		times[unit]++
	}
	return times, nil
}

// childDeliberates lets unit after unit fail, and deliberates on it, until it
// is killed.
func childDeliberates(dir string) error {
	life, err := strconv.Atoi(os.Getenv(childLife))
	if err != nil {
		return err
	}
	options, err := deliberatingOptions(dir, life, os.Getenv(childModel))
	if err != nil {
		return err
	}
	return lives(options, func(ctx context.Context, d *daemon.Daemon, i int) error {
		begin(i)
		open, err := d.Deliberations().Open(ctx)
		if err != nil || len(open) >= 4 { // which are what takes the time
			return err
		}
		return options.Health.(troubled).worse()
	})
}
