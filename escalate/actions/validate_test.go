package actions_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate/actions"
)

// good is an action in which nothing is wrong.
func good() actions.Action {
	return actions.Action{Name: "say", Description: "Says it.", Command: []string{"echo", "{x}"}, Params: []actions.Param{text("x")}}
}

// What cannot be is named with its key and what to do.
func TestValidate(t *testing.T) {
	command := func(vector ...string) func(*actions.Action) {
		return func(a *actions.Action) { a.Command = vector }
	}
	closed := func(kind actions.ParamType, vector ...string) func(*actions.Action) {
		return func(a *actions.Action) {
			if a.Command, a.Params[0].Type = vector, kind; kind == actions.Choice {
				a.Params[0].Choices = []string{"a.service", "b.service"}
			}
		}
	}
	param := func(change func(*actions.Param)) func(*actions.Action) {
		return func(a *actions.Action) { change(&a.Params[0]) }
	}
	choice := func(values ...string) func(*actions.Action) {
		return param(func(p *actions.Param) { p.Type, p.Choices = actions.Choice, values })
	}
	many := func(n int) []string { return strings.Split(strings.TrimSuffix(strings.Repeat("a,", n), ","), ",") }
	for name, c := range map[string]struct {
		change func(*actions.Action)
		want   string // "" where it is fine
	}{
		"good":          {func(*actions.Action) {}, ""},
		"name":          {func(a *actions.Action) { a.Name = "Say It" }, "id: "},
		"underscore":    {func(a *actions.Action) { a.Name = "post_message" }, "id: "},
		"no words":      {func(a *actions.Action) { a.Description = " " }, "description: "},
		"many words":    {func(a *actions.Action) { a.Description = strings.Repeat("a", 1001) }, "description: "},
		"escape":        {func(a *actions.Action) { a.Description = "\x1b[2J" }, "description: "},
		"empty":         {command(), "command: is empty"},
		"long":          {command(many(65)...), "command: has 65"},
		"relative":      {command("bin/echo", "{x}"), "command: "},
		"line":          {command("echo hello", "{x}"), "command: "},
		"param program": {command("{x}"), "command: the program"},
		"control":       {command("echo", "{x}\x00"), "command: argument 1 has a control"},
		"open brace":    {command("echo", "{x"), "command: argument 1 has a brace"},
		"close brace":   {command("echo", "x}{x}"), "command: argument 1 has a brace"},
		"space":         {command("echo", "{ x }"), "command: argument 1 has a brace"},
		"unknown":       {command("echo", "{x}{y}"), "command: argument 1 names {y}"},
		"unused":        {command("echo"), "params[0]: {x}"},
		"used to undo":  {func(a *actions.Action) { a.Command, a.Undo = []string{"true"}, []string{"echo", "{x}"} }, ""},
		"undo":          {func(a *actions.Action) { a.Undo = []string{"echo", "{y}"} }, "undo: argument 1"},
		"sh -c":         {command("sh", "-c", "echo {x}"), "command: sh -c"},
		"bash -c":       {command("/bin/bash", "-c", "echo $1", "x", "{x}"), "command: bash -c"},
		"bash -lc":      {command("/bin/bash", "-lc", "echo $1", "x", "{x}"), "command: bash -c"},
		"env sh -c":     {command("/usr/bin/env", "A=b", "sh", "-e", "-c", "echo {x}"), "command: sh -c"},
		"sudo zsh":      {command("sudo", "-n", "/usr/bin/zsh", "-c", "echo {x}"), "command: zsh -c"},
		"fish":          {command("fish", "--command=echo {x}"), "command: fish -c"},
		"script file":   {command("bash", "/home/me/bin/note", "{x}"), ""},
		"ssh":           {command("ssh", "host", "note", "{x}"), "command: a parameter stands beside ssh"},
		"ssh alone":     {func(a *actions.Action) { a.Command, a.Params = []string{"ssh", "host", "note"}, nil }, ""},
		"sudo choice":   {closed(actions.Choice, "sudo", "systemctl", "restart", "{x}"), ""},
		"timeout count": {closed(actions.Integer, "timeout", "{x}", "ls"), ""},
		"sh -c choice":  {closed(actions.Choice, "sh", "-c", "restart {x}"), "command: sh -c"},
		"su":            {command("su", "-", "me", "{x}"), "command: a parameter stands beside su"},
		"python -c":     {command("python3.12", "-c", "print('{x}')"), "command: a parameter"},
		"python arg":    {command("python3", "-c", "import sys", "{x}"), "command: a parameter"},
		"python file":   {command("python3", "/home/me/note.py", "{x}"), ""},
		"python param":  {command("python3", "{x}"), "command: a parameter"},
		"perl":          {command("perl", "-e{x}"), "command: a parameter"},
		"node":          {command("node", "--eval", "{x}"), "command: a parameter"},
		"awk":           {command("awk", "{x}"), "command: a parameter"},
		"folder":        {func(a *actions.Action) { a.Folder = "work" }, "folder: "},
		"timeout":       {func(a *actions.Action) { a.Timeout = time.Hour }, "timeout: "},
		"negative":      {func(a *actions.Action) { a.Timeout = -1 }, "timeout: "},
		"env value":     {func(a *actions.Action) { a.Env = []string{"A=b"} }, "env[0]: "},
		"env twice":     {func(a *actions.Action) { a.Env = []string{"A", "A"} }, "env[1]: "},
		"env loader":    {func(a *actions.Action) { a.Env = []string{"LD_PRELOAD"} }, "env[0]: "},
		"approval":      {func(a *actions.Action) { a.Approval = "sometimes" }, "approval: "},
		"per hour":      {func(a *actions.Action) { a.PerHour = -1 }, "per_hour: "},
		"per day":       {func(a *actions.Action) { a.PerDay = 1001 }, "per_day: "},
		"output":        {func(a *actions.Action) { a.MaxOutput = 2 << 20 }, "max_output: "},
		"type":          {param(func(p *actions.Param) { p.Type = "string" }), "params[0].type: "},
		"param name":    {func(a *actions.Action) { a.Command, a.Params[0].Name = []string{"echo"}, "X" }, "params[0].id: "},
		"param twice":   {func(a *actions.Action) { a.Params = append(a.Params, text("x")) }, "params[1].id: "},
		"param words":   {param(func(p *actions.Param) { p.Description = "\u202e" }), "params[0].description: "},
		"pattern":       {param(func(p *actions.Param) { p.Pattern = "(" }), "params[0].pattern: "},
		"bracket":       {param(func(p *actions.Param) { p.Pattern = "a)|(?:b" }), "params[0].pattern: "},
		"length":        {param(func(p *actions.Param) { p.MaxLength = 20_000 }), "params[0].max_length: "},
		"no choices":    {param(func(p *actions.Param) { p.Type = actions.Choice }), "params[0].choices: "},
		"choice twice":  {param(func(p *actions.Param) { p.Type, p.Choices = actions.Choice, []string{"a", "a"} }), "params[0].choices: "},
		"choices":       {param(func(p *actions.Param) { p.Choices = []string{"a"} }), "params[0].choices: "},
		"no root":       {param(func(p *actions.Param) { p.Type = actions.Path }), "params[0].root: "},
		"root of all":   {param(func(p *actions.Param) { p.Type, p.Root = actions.Path, "/x/.." }), "params[0].root: "},
		"root":          {param(func(p *actions.Param) { p.Root = "/tmp" }), "params[0].root: "},
		"min":           {param(func(p *actions.Param) { p.Min = number(1) }), "params[0].min: "},
		"not a number":  {param(func(p *actions.Param) { p.Type, p.Max = actions.Number, number(math.NaN()) }), "params[0].max: "},
		"range":         {param(func(p *actions.Param) { p.Type, p.Min, p.Max = actions.Number, number(2), number(1) }), "params[0].min: "},

		"optional last":    {param(func(p *actions.Param) { p.Optional = true }), ""},
		"optional within":  {func(a *actions.Action) { a.Params[0].Optional, a.Command = true, []string{"echo", "--x={x}", "y"} }, ""},
		"optional dashes":  {func(a *actions.Action) { a.Params[0].Optional, a.Command = true, []string{"echo", "--", "{x}"} }, ""},
		"optional middle":  {func(a *actions.Action) { a.Params[0].Optional, a.Command = true, []string{"echo", "{x}", "y"} }, "command: argument 1 is the optional"},
		"optional dangles": {func(a *actions.Action) { a.Params[0].Optional, a.Command = true, []string{"echo", "-x", "{x}"} }, "command: argument 2 is the optional"},
		"optional in part": {func(a *actions.Action) {
			a.Params[0].Optional, a.Command = true, []string{"echo", "--note", "of {x}"}
		}, "command: argument 2 is the optional {x} of the option before it, which would stay; write both as one: --note=of {x}"},
		"optional of a letter": {func(a *actions.Action) { a.Params[0].Optional, a.Command = true, []string{"echo", "-n", "{x}"} },
			"command: argument 2 is the optional {x} of the option before it, which would stay; write both as one: -n{x}"},
		"optional behind a value": {func(a *actions.Action) {
			a.Params = []actions.Param{text("x"), {Name: "y", Optional: true}}
			a.Command = []string{"echo", "--a={x}", "{y}"}
		}, ""},
		"optional behind what is written": {func(a *actions.Action) { a.Params[0].Optional, a.Command = true, []string{"echo", "--a=b", "{x}"} }, ""},
		"line with a value":               {command("notify-send {x}"), `command: "notify-send {x}" is a whole line; write each argument as an item of its own`},
		"program with a value":            {command("/opt/{x}"), "command: the program holds a brace"},
		"choices twice":                   {choice("a", "a"), `params[0].choices: "a" is there twice; `},
		"choice of nothing":               {choice("a", ""), "params[0].choices: value 2 is empty; "},
		"choice unseen":                   {choice("a\x00"), "params[0].choices: value 1 has a control character"},
		"choice too long":                 {choice(strings.Repeat("a", 5000)), "params[0].choices: value 1 has 5000 bytes; "},
		"optional beside": {func(a *actions.Action) {
			a.Params = []actions.Param{{Name: "x", Optional: true}, text("y")}
			a.Command = []string{"echo", "{x}{y}"}
		}, "command: argument 1 holds the optional"},
	} {
		a := good()
		c.change(&a)
		err := a.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, and should begin with %q", name, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: %v says not what to do", name, err)
		}
	}
}

func TestValidateTogether(t *testing.T) {
	bad := good()
	bad.Timeout, bad.Approval = time.Hour, "sometimes"
	err := actions.Validate([]actions.Action{good(), bad})
	if err == nil || strings.Count(err.Error(), "\n") != 2 || !strings.Contains(err.Error(), "[1].timeout: ") || !strings.Contains(err.Error(), "[1].approval: ") || !strings.Contains(err.Error(), "[1].id: ") {
		t.Error(err)
	}
	if err := actions.Validate(nil); err != nil {
		t.Error(err)
	}
}

// The schema says what Check takes.
func TestSchema(t *testing.T) {
	a := good()
	a.Params = []actions.Param{{Name: "x", Description: "What to say.", Pattern: "[a-z]+"}, {Name: "n", Type: actions.Integer, Min: number(1), Max: number(5), Optional: true},
		{Name: "c", Type: actions.Choice, Choices: []string{"a", "b"}}, {Name: "p", Type: actions.Path, Root: "/srv/share"}}
	want := `{"additionalProperties":false,"properties":{"c":{"enum":["a","b"],"type":"string"},` +
		`"n":{"description":"At least 1. At most 5.","type":"integer"},` +
		`"p":{"description":"A path below /srv/share, relative to it.","type":"string"},` +
		`"x":{"description":"What to say. At most 1000 characters. One line. The whole of it matches [a-z]+.","type":"string"}},"required":["x","c","p"],"type":"object"}`
	if got := string(a.Schema()); got != want {
		t.Errorf("%s\nand should be\n%s", got, want)
	}
	if got := string(actions.Action{}.Schema()); !json.Valid([]byte(got)) || !strings.Contains(got, `"required":[]`) {
		t.Error(got)
	}
}
