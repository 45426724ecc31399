package daemon_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
)

// acting is a mind whose deliberation runs a program, which says what body has
// it say to the descriptor 3 and goes on; said is that.
func acting(t *testing.T, body string) (w *world, phone *notifytest.Recorder, said []string) {
	t.Helper()
	w = newWorld(t)
	phone = phoned(w)
	w.deliberating(asksFor)
	w.penned(escalate.ApproveTainted)
	fifo := filepath.Join(w.dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	testutil.Program(t, filepath.Join(w.dir, "pen"), "exec 3>"+fifo+"\n"+body)
	w.begin()
	w.tick()
	w.disk.fails("unit-0.service")
	w.tick()
	content := testutil.Read(t, fifo)
	return w, phone, strings.Fields(string(content))
}

// runs are the states of all runs, with what went wrong.
func (w *world) runs() (states []string) {
	w.t.Helper()
	w.query("SELECT state, problem FROM actions_runs ORDER BY number", func(scan func(...any) error) error {
		var state, problem string
		err := scan(&state, &problem)
		states = append(states, strings.TrimSuffix(state+": "+problem, ": "))
		return err
	})
	return states
}

// interrupt leaves the runs of a mind that does not live as a crash does.
func (w *world) interrupt() {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.state, "mind.db"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE actions_runs SET state = 'started', ended = 0"); err != nil {
		w.t.Fatal(err)
	}
}

// interruptions are the notices of interrupted actions.
func (w *world) interruptions() (found []api.Notice) {
	w.t.Helper()
	for _, notice := range w.status().Notices {
		if notice.Code == "action_interrupted" {
			found = append(found, notice)
		}
	}
	return found
}

// tellings are the pushes that say words.
func tellings(phone *notifytest.Recorder, words string) (n int) {
	for _, m := range phone.Messages() {
		if strings.Contains(m.Text, words) {
			n++
		}
	}
	return n
}

// Stopping the mind ends a program that does not end when it is asked to, with
// what it began in its group, and writes that down.
func TestStopEndsActions(t *testing.T) {
	t.Parallel()
	loop := `sh -c 'trap "" TERM; echo $$ >&3; exec 3>&- >/dev/null 2>&1; while :; do sleep 300; done'`
	w, phone, said := acting(t, `trap "" TERM; `+loop+" & "+loop+" & exec "+loop)
	w.stop()
	if len(said) != 3 {
		t.Fatalf("%q have begun", said)
	}
	for _, pid := range said {
		w.until(pid+" has ended", func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	}
	if got := fmt.Sprint(w.runs()); got != "[failed: it was ended with the daemon, before it was done]" {
		t.Error(got)
	}
	w.begin()
	w.concluded()
	w.pushes(phone) // all is sent
	if n := tellings(phone, "failed"); n != 1 || len(w.interruptions()) != 0 {
		t.Errorf("told %d times, with the notices %s: %s", n, asJSON(t, w.interruptions()), texts(phone))
	}
}

// An action that was interrupted while a deliberation waited for it is told by
// the deliberation alone, once.
func TestInterruptedActionIsToldOnce(t *testing.T) {
	w, phone, _ := acting(t, "echo begun >&3; exec 3>&-; exec sleep 300")
	w.stop()
	w.interrupt()
	for range 2 {
		w.begin()
		w.concluded()
		w.pushes(phone) // all is sent
		if n := tellings(phone, "nobody knows"); n != 1 || len(w.interruptions()) != 0 {
			t.Errorf("told %d times, with the notices %s: %s", n, asJSON(t, w.interruptions()), texts(phone))
		}
		w.stop()
	}
	if got := w.runs(); len(got) != 1 || !strings.HasPrefix(got[0], "unknown") {
		t.Errorf("%q", got)
	}
	w.begin()
}

// One that nobody waited for is told by a notice, once.
func TestInterruptedApprovalIsNoticed(t *testing.T) {
	w := newApproving(t, 1)
	if code := w.approve(w.proposal("unit-0")); code != "" {
		t.Fatal(code)
	}
	w.stop()
	w.interrupt()
	for range 2 {
		w.begin()
		w.tick()
		w.pushes(w.phone) // all is sent
		if found := w.interruptions(); len(found) != 1 || tellings(w.phone, "nobody knows") != 0 {
			t.Errorf("the notices are %s; told: %s", asJSON(t, found), texts(w.phone))
		}
		w.stop()
	}
	w.begin()
}
