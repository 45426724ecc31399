package rumination

import (
	"github.com/subconsciousd/subconsciousd/eval/harness"
	"github.com/subconsciousd/subconsciousd/threads"
)

// nearReach is the share of near-repeats that may be accepted.
const nearReach = 0.05

// reaches are those of the mechanics and of the whole run.
func (f gateFigures) reaches() []harness.Reach {
	m, d := f.Model, f.Documents
	all := []harness.Reach{
		harness.Want(m.Calls > 0 && f.Mechanics.Returned > 0, "the model is asked and has findings: %d calls, %d findings", m.Calls, f.Mechanics.Returned),
		harness.Want(m.Unanswered == 0 && m.Calls == m.Billed, "every call is answered and on record: %d were not answered, %d are on record, %d were billed", m.Unanswered, m.Calls, m.Billed),
		harness.Want(d.Bad == 0, "documents are valid and within limits: %d of %d are not, the first of them: %s", d.Bad, d.Checked, d.First),
		harness.Want(f.Time.Over+m.FailedThread == 0, "ticks end within %.0f s, with all threads: %d did not", f.Time.Within, f.Time.Over+m.FailedThread),
	}
	if f.Gate == threads.Adaptive {
		all = append(all, harness.Want(m.NothingADay <= m.Allowed, "at most %d calls a day with nothing unseen: there were %d", m.Allowed, m.NothingADay))
	}
	return append(all, f.Mechanics.reaches()...)
}

// reaches are those that a set of rules can meet or miss.
func (f ruleFigures) reaches() []harness.Reach {
	return []harness.Reach{
		harness.Want(f.OfReturned <= nearReach, "at most %s of the findings are accepted near-repeats: %s are", harness.Percent(nearReach), harness.Percent(f.OfReturned)),
		harness.Want(f.OfAccepted <= nearReach, "at most %s of what is accepted are near-repeats: %s are", harness.Percent(nearReach), harness.Percent(f.OfAccepted)),
		harness.Want(f.BaselessEntries == 0, "no entry is without evidence: %d are", f.BaselessEntries),
		harness.Want(f.ToldTwice == 0, "nothing is told twice: %d are", f.ToldTwice),
		harness.Want(f.SelfReferential == 0, "nothing is told that rests on nothing: %d are", f.SelfReferential),
	}
}
