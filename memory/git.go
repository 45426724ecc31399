package memory

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
	"github.com/subconsciousd/subconsciousd/internal/program"
)

// gitAlone is what keeps a repository from having anything run: what git reads beside
// the repository, what it would start, and where it would fetch from. Versions before
// 2.45 fetch what is missing whatever they are told, and then may use no protocol.
var gitAlone = strings.Fields("GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 " +
	"GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_ASKPASS=/bin/false SSH_ASKPASS=/bin/false GIT_SSH_COMMAND=/bin/false HOME=/nonexistent LC_ALL=C")

// commitName is how a commit is named: no option, and no expression.
var commitName = lazy.Regexp(`^[0-9a-f]{7,64}$`)

// commit asks git whether a commit is on a branch. It begins no other program, and ends
// with all that it began when its time is over.
func (l *look) commit(ctx context.Context, root, commit string) (Validity, string) {
	if known, ok := l.commits[root+"\x00"+commit]; ok {
		return known.Validity, known.Says
	}
	validity, says := l.ask(ctx, root, commit)
	l.commits[root+"\x00"+commit] = Found{Validity: validity, Says: says}
	return validity, says
}

func (l *look) ask(ctx context.Context, root, commit string) (Validity, string) {
	const late = "git did not answer in time"
	if !commitName().MatchString(commit) {
		return Unknown, "its commit is not named by its hash"
	}
	folders := l.options.Path
	if folders == nil {
		folders = program.DefaultPath()
	}
	git, _, problem, _ := program.Find("git", folders)
	if problem != "" {
		return Unknown, "git is not there to be asked"
	}
	if l.git <= 0 {
		return Unknown, late
	}
	ctx, cancel := context.WithTimeout(ctx, l.git)
	defer cancel()
	began := time.Now()
	defer func() { l.git -= time.Since(began) }()
	// A program that ends with its parent ends with the thread that began it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := exec.CommandContext(ctx, git, "-C", root, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit", "-c", "core.sshCommand=/bin/false",
		"for-each-ref", "--count=1", "--format=%(objectname)", "--contains="+commit, "refs/heads", "refs/remotes")
	var out bytes.Buffer
	command.Env, command.Stdout = append(program.Environment(folders, nil, func(string) (string, bool) { return "", false }), gitAlone...), &out
	command.SysProcAttr = program.OwnGroup()
	command.Cancel = func() error { return program.Signal(command, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	program.Seal()
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Unknown, late
	case err == nil && out.Len() > 0:
		return Holds, "its commit is on a branch"
	case err == nil:
		return Changed, "its commit is on no branch any more"
	case errors.As(err, &exit) && exit.ExitCode() == unknownCommit && wholeRepository(root):
		return Missing, "its commit is not in the repository"
	}
	return Unknown, "git cannot tell"
}

// unknownCommit is how git ends that knows no such commit.
const unknownCommit = 129

// wholeRepository reports whether a folder is that of a repository, which was not
// fetched in part.
func wholeRepository(root string) bool {
	config, err := readIn(root, filepath.Join(".git", "config"))
	_, shallow := readIn(root, filepath.Join(".git", "shallow"))
	lower := strings.ToLower(config)
	return err == nil && shallow != nil && !strings.Contains(lower, "promisor") && !strings.Contains(lower, "partialclone") && !strings.Contains(lower, "include")
}
