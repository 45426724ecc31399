package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/client"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
)

// runsTold are the messages on runs so far.
func (w *world) runsTold(phone *notifytest.Recorder) (told []notify.Message) {
	w.t.Helper()
	w.rests()
	for _, m := range phone.Messages() {
		if m.Kind == notify.KindRun {
			told = append(told, m)
		}
	}
	return told
}

// Each approval is told at once, with the process, program and terminal that gave
// it, in quiet hours without waking anybody, and is kept; of many within a minute
// one message tells.
func TestApprovalsAreTold(t *testing.T) {
	const many = 9
	w := newApproving(t, many+1)
	w.pushes(w.phone)
	w.stop()
	w.options.Config.QuietHours = escalate.Hours{From: "00:00", To: "23:59"}
	w.begin()
	w.clock.advance(time.Minute - time.Duration(w.clock.Now().Second())*time.Second)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Base(program)
	for n := range many {
		unit := fmt.Sprintf("unit-%d", n)
		p := w.proposal(unit)
		if code := w.approve(p); code != "" {
			t.Fatal(code)
		}
		by := w.proposal(unit).By
		if !strings.HasPrefix(by, fmt.Sprintf("process %d (", os.Getpid())) || !strings.Contains(by, program) || !strings.Contains(by, "terminal") && !strings.Contains(by, ") on ") {
			t.Errorf("it is kept that %q approved %s", by, unit)
		}
		told := w.runsTold(w.phone)
		if n >= 5 {
			continue
		}
		if last := told[len(told)-1]; len(told) != n+1 || last.Priority != notify.ForTheRecord || last.Urgent || !strings.Contains(strings.ReplaceAll(last.Title, "[.]", "."), "write-down runs, approved by "+by) || !strings.HasPrefix(last.Text, fmt.Sprintf("r-write-%d runs write-down: /", n+1)) || strings.Contains(last.Text, "undo") || !strings.Contains(by, ", begun by ") {
			t.Errorf("told: %+v, approved by %s", told, by)
		}
	}
	if told := w.runsTold(w.phone); len(told) != 5 {
		t.Errorf("in a minute it was told %d times", len(told))
	}
	w.clock.advance(time.Minute)
	w.d.Outbox().Wake()
	if told := w.runsTold(w.phone); len(told) != 6 || !strings.HasPrefix(told[5].Title, "9 actions ran within a minute") {
		t.Errorf("after a minute: %+v", told)
	}
	runs, err := client.Ask(context.Background(), w.client, api.GetRuns, api.RunQuery{})
	if err != nil || len(runs.Runs) != many || runs.Runs[0].By == "" {
		t.Errorf("%s, %v", asJSON(t, runs), err)
	}
	why, err := client.Ask(context.Background(), w.client, api.GetIncident, api.IncidentQuery{ID: w.proposal("unit-0").Incident})
	if err != nil || len(why.Deliberations) != 1 || why.Deliberations[0].By == "" {
		t.Errorf("why says of who approved: %s, %v", asJSON(t, why), err)
	}
	// The twin.
	w.clock.advance(time.Minute)
	w.d.Untold()
	if code := w.approve(w.proposal(fmt.Sprintf("unit-%d", many))); code != "" || len(w.runsTold(w.phone)) != 6 {
		t.Errorf("untold: %q, %+v", code, w.runsTold(w.phone))
	}
}

// What runs without being asked about is told as well, and so is that it is taken
// back, whatever the limits.
func TestRunsAreTold(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	w.acting(escalate.ApproveTainted)
	w.options.Config.Budget.NoticesPerDay, w.options.Config.Budget.NotificationsPerDay = 0, 1
	w.acts()
	if told := w.runsTold(phone); len(told) != 1 || told[0].Title != "leave-mark runs without being asked about, as configured" {
		t.Errorf("told: %+v", told)
	}
	if _, err := w.d.Undo(context.Background(), api.UndoRequest{Run: w.lastDeliberation().Run}); err != nil {
		t.Fatal(err)
	}
	if told := w.runsTold(phone); len(told) != 2 || !strings.HasPrefix(told[1].Title, "leave-mark is taken back by a process that the system does not name") || !strings.Contains(told[1].Text, "/bin/rm") {
		t.Errorf("told: %+v", told)
	}
}

// What an action begins approves, rejects and takes back nothing. The twin: the
// same program, begun by the person, does.
func TestActionsDecideNothing(t *testing.T) {
	w := newApproving(t, 3)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"DAEMON_TEST_CHILD=decides", childDir + "=" + w.state, "UNIT=unit-1", self}
	testutil.Program(t, filepath.Join(w.dir, "pen"), "exec env "+strings.Join(command, " "))
	w.approve(w.proposal("unit-0"))
	runs, err := client.Ask(context.Background(), w.client, api.GetRuns, api.RunQuery{})
	if err != nil || len(runs.Runs) != 1 {
		t.Fatalf("%s, %v", asJSON(t, runs), err)
	}
	if got := strings.Fields(runs.Runs[0].Output); fmt.Sprint(got) != "[refused refused refused]" || w.proposal("unit-1").State != api.ProposalPending {
		t.Errorf("from an action: %q, and it is %s", runs.Runs[0].Output, w.proposal("unit-1").State)
	}
	// The mind is this process: what the person begins is no child of it.
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "FREE=$$ env "+strings.Join(command, " ")+" &").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "yes <nil>\n") || w.proposal("unit-1").State != "approved" {
		t.Errorf("from a person: %s, %v", out, err)
	}
}

// childDecides approves the proposal for a unit, rejects it, and takes a run back,
// and says what was answered.
func childDecides(state string) error {
	for os.Getenv("FREE") == strconv.Itoa(os.Getppid()) {
		runtime.Gosched()
	}
	ctx := context.Background()
	daemon := client.New(filepath.Join(state, "socket"))
	defer daemon.Close()
	page, err := client.Ask(ctx, daemon, api.GetProposals, api.ProposalQuery{All: true, Limit: 100})
	if err != nil {
		return err
	}
	say := func(err error) {
		if problem, refused := errors.AsType[*api.Problem](err); refused {
			fmt.Println(problem.Code)
		} else {
			fmt.Println("yes", err)
		}
	}
	for _, p := range page.Proposals {
		if strings.Contains(string(p.Arguments), os.Getenv("UNIT")) {
			_, err := client.Ask(ctx, daemon, api.PostDecision, api.ProposalDecision{ID: p.ID, Hash: p.Hash, Approve: true})
			say(err)
			_, err = client.Ask(ctx, daemon, api.PostDecision, api.ProposalDecision{ID: p.ID})
			say(err)
		}
	}
	_, err = client.Ask(ctx, daemon, api.PostUndo, api.UndoRequest{Run: "r-write-1"})
	say(err)
	return nil
}
