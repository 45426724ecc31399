package api

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/subconsciousd/subconsciousd/internal/kin"
)

//go:embed agents.txt
var agentList string

// sign is a word of agents.txt, by which an agent is known.
type sign struct{ word, agent string }

// signs are those of agents.txt, by what they are of: a name of a program, a part of
// its path, or a variable.
var signs = sync.OnceValue(func() map[string][]sign {
	all := map[string][]sign{}
	for line := range strings.Lines(agentList) {
		words := strings.Fields(line)
		for _, word := range words {
			of := "name"
			switch {
			case words[0] == "#":
				continue
			case word[0] == '/':
				of = "part"
			case word == strings.ToUpper(word):
				of = "variable"
			}
			all[of] = append(all[of], sign{word, words[0]})
		}
	}
	return all
})

// agentOf is the name of the agent that a process is; "" for none.
func agentOf(p kin.Process) string {
	paths := []string{p.Program, scriptOf(p.Arguments)}
	called := []string{p.Name, filepath.Base(paths[0]), filepath.Base(paths[1])}
	if len(p.Arguments) > 0 {
		called = append(called, filepath.Base(p.Arguments[0]))
	}
	for _, s := range signs()["name"] {
		if slices.Contains(called, s.word) {
			return s.agent
		}
	}
	for _, s := range signs()["part"] {
		if strings.Contains(paths[0], s.word) || strings.Contains(paths[1], s.word) {
			return s.agent
		}
	}
	return ""
}

// interpreters run scripts, and are followed by a version, if by anything.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "pypy", "ruby", "sh", "bash", "dash", "zsh", "fish"}

// scriptOf is the path or the module of the script that an interpreter runs, without
// its ending; "" where none does.
func scriptOf(arguments []string) string {
	if len(arguments) == 0 {
		return ""
	}
	name := strings.TrimRight(filepath.Base(strings.TrimPrefix(arguments[0], "-")), "0123456789.")
	if !slices.Contains(interpreters, name) {
		return ""
	}
	for i := 1; i < len(arguments); i++ {
		switch word := arguments[i]; word {
		case "-r", "--require", "--import", "--loader", "-W", "-X": // each has a value
			i++
		case "-c", "-e", "-p": // what follows is no script
			return ""
		case "-m", "run":
		default:
			if !strings.HasPrefix(word, "-") {
				return strings.TrimSuffix(word, filepath.Ext(word))
			}
		}
	}
	return ""
}

// maxAbove bounds how many parents are looked at.
const maxAbove = 1000

// errGone is why an ancestry cannot be read while it changes.
var errGone = errors.New("a process of its ancestry has ended, or is hidden")

// agentAbove is the agent that a process is below, or is; "" for none. The process
// connected at a time of kin.Now. The daemon and what is above it do not count:
// whoever starts the daemon holds it. A process that left its parents is still
// known by its group, by its session, and by the variables it was begun with.
func agentAbove(pid int, connected uint64) (agent string, err error) {
	for range 3 { // a parent that ends hands its children on, so that another look helps
		if agent, err = lookAbove(pid, connected); !errors.Is(err, errGone) {
			break
		}
	}
	return agent, err
}

func lookAbove(pid int, connected uint64) (string, error) {
	who, alive := kin.Look(pid)
	switch {
	case pid == 0:
		return "", errors.New("the system does not name it")
	case !alive:
		return "", errGone
	case who.Began > connected:
		return "", errors.New("it has ended, and another has its number")
	}
	exempt := aboveDaemon()
	agent, err := climb(pid, connected, exempt)
	for _, leader := range []int{who.Group, who.Session} {
		if _, alive := kin.Look(leader); alive && agent == "" && err == nil {
			agent, err = climb(leader, kin.Now(), exempt)
		}
	}
	if agent == "" && err == nil {
		agent = markedBy(pid)
	}
	return agent, err
}

// aboveDaemon are this process and those above it.
func aboveDaemon() (all []int) {
	for pid := os.Getpid(); pid > 0 && len(all) < maxAbove; {
		all = append(all, pid)
		p, _ := kin.Look(pid)
		pid = p.Parent
	}
	return all
}

// climb looks for an agent from a process upwards. None begins later than what it
// began: one that did has the number of another, which has ended.
func climb(pid int, latest uint64, exempt []int) (string, error) {
	for range maxAbove {
		if pid <= 0 || slices.Contains(exempt, pid) { // 0 is above the first process of a machine or a container
			return "", nil
		}
		p, alive := kin.Look(pid)
		if !alive || p.Began > latest {
			return "", errGone
		}
		if agent := agentOf(p); agent != "" {
			return agent, nil
		}
		pid, latest = p.Parent, p.Began
	}
	return "", fmt.Errorf("there are more than %d processes above it", maxAbove)
}

// markedBy is the agent whose variable a process was begun with, where the daemon
// was not.
func markedBy(pid int) string {
	for _, s := range signs()["variable"] {
		if value, is := kin.Variable(pid, s.word); is && value != os.Getenv(s.word) {
			return s.agent
		}
	}
	return ""
}
