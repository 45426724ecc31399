package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/budget"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// receiptPage is how many records are read at once.
const receiptPage = 200

// Report implements api.Mind: the receipt for a silence.
func (v *Reader) Report(ctx context.Context, since time.Time) (api.Report, error) {
	zone := v.in.Now().Location()
	report := api.Report{Since: since.In(zone), Until: v.in.Now().In(zone).Round(0), Rejected: map[string]int{}, Changes: map[string]int{}}
	sums := map[string]*api.ThreadSum{}
	for _, name := range v.in.Threads {
		sums[string(name)] = &api.ThreadSum{Name: string(name)}
	}
	if err := v.addTicks(ctx, &report, sums); err != nil {
		return api.Report{}, err
	}
	for _, name := range v.in.Threads {
		report.Threads = append(report.Threads, *sums[string(name)])
	}
	for _, at := range v.in.Board.Now().Failed {
		if !at.Before(since) {
			report.FailedTicks++
		}
	}
	if err := v.addSpending(ctx, &report); err != nil {
		return api.Report{}, err
	}
	if err := v.addTold(ctx, &report); err != nil {
		return api.Report{}, err
	}
	blind, err := v.in.Ledger.BlindPeriods(ctx, since)
	if err != nil {
		return api.Report{}, fmt.Errorf("read the blind periods: %w", err)
	}
	for _, b := range blind {
		b.From, b.To = b.From.In(zone), inZone(b.To, zone)
		report.Blind = append(report.Blind, b)
	}
	return report, nil
}

func inZone(at time.Time, zone *time.Location) time.Time {
	if at.IsZero() {
		return at
	}
	return at.In(zone)
}

// addTicks counts ticks, one by one as far back as their records are kept, and before by
// whole days.
func (v *Reader) addTicks(ctx context.Context, report *api.Report, sums map[string]*api.ThreadSum) error {
	var day map[string]int // of the oldest day so far
	var oldest time.Time
	before := int64(0)
	for {
		page, err := v.Ticks(ctx, before, receiptPage)
		if err != nil {
			return err
		}
		for _, tick := range page {
			if tick.At.Before(report.Since) {
				add(report, sums, day)
				return nil
			}
			if tick.At.Format(time.DateOnly) != oldest.Format(time.DateOnly) {
				add(report, sums, day)
				day = map[string]int{}
			}
			for what, n := range Counts(tick) {
				day[what] += n
			}
			before, oldest = tick.Tick, tick.At
		}
		if len(page) < receiptPage {
			break
		}
	}
	if before > 1 { // the day of the oldest record lacks those that went
		whole, err := v.in.Mind.Days(ctx, report.Since, oldest)
		if err != nil {
			return err
		}
		if len(whole) > 0 { // days were not always counted
			day = whole
		}
	}
	add(report, sums, day)
	return nil
}

// Counts is what is counted of a tick: each name is a word, and what it is of.
func Counts(tick api.TickReport) map[string]int {
	n := map[string]int{"ticks": 1}
	if len(tick.Changes) == 0 {
		n["unchanged"]++
	}
	for _, c := range tick.Changes {
		n["changed "+string(c.What)]++
	}
	for _, t := range tick.Threads {
		how := "model"
		if t.Mode == Skipped || t.Mode == Failed || t.Mode == threads.Reflex {
			how = t.Mode
		}
		n[how+" "+t.Name]++
		if t.Mode != Skipped && FellBack(t) {
			n["fell_back "+t.Name]++
		}
		if t.Findings > 0 {
			n["findings "+t.Name] += t.Findings
		}
		for reason, rejected := range t.Rejected {
			n["rejected "+reason] += rejected
		}
	}
	return n
}

// add adds what was counted.
func add(report *api.Report, sums map[string]*api.ThreadSum, counts map[string]int) {
	for name, n := range counts {
		what, of, _ := strings.Cut(name, " ")
		sum := sums[of]
		if sum == nil {
			sum = &api.ThreadSum{} // of no thread, or of one that there is no more
		}
		switch what {
		case "ticks":
			report.Ticks += n
		case "unchanged":
			report.Unchanged += n
		case "changed":
			report.Changes[of] += n
		case "rejected":
			report.Rejected[of] += n
			report.Findings += n
		case "findings":
			report.Accepted += n
			report.Findings += n
			sum.Findings += n
		case Skipped:
			sum.Skipped += n
		case Failed:
			sum.Failed += n
		case threads.Reflex:
			sum.Reflex += n
		case "model":
			sum.Model += n
		case "fell_back":
			sum.FellBack += n
		}
		sum.Asked = sum.Failed + sum.Reflex + sum.Model
	}
}

// addSpending counts what models did and cost.
func (v *Reader) addSpending(ctx context.Context, report *api.Report) error {
	calls, err := v.in.Mind.SumCalls(ctx, report.Since)
	if err != nil {
		return fmt.Errorf("read the calls to models: %w", err)
	}
	sums := map[[3]string]*api.ModelSum{}
	for _, c := range calls {
		if c.Attempts == 0 && c.Cost == 0 {
			continue // it was refused before it was made: no budget, no key, a rest
		}
		key := [3]string{c.Role, c.Provider, c.Model}
		sum := sums[key]
		if sum == nil {
			p, ok := v.in.Config.Models.Provider(c.Provider)
			sum = &api.ModelSum{Role: c.Role, Provider: c.Provider, Model: c.Model, Local: ok && p.Local}
			sums[key] = sum
		}
		sum.Calls += c.Attempts
		sum.Failed += c.Attempts
		if c.Outcome == mind.OutcomeAnswered {
			sum.Failed -= c.Calls
		}
		sum.Tokens += c.Input + c.Output
		sum.Cached += c.Cached
		sum.Cost += budget.Money(c.Cost).Float()
		report.Money += budget.Money(c.Cost).Float()
	}
	for _, sum := range sums {
		report.Models = append(report.Models, *sum)
	}
	slices.SortFunc(report.Models, func(a, b api.ModelSum) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	report.Budget, err = v.budgetStatus(ctx)
	return err
}

// addTold counts what was told, and what the person said of it.
func (v *Reader) addTold(ctx context.Context, report *api.Report) error {
	sum, err := v.in.Mind.DecisionCounts(ctx, report.Since)
	if err != nil {
		return fmt.Errorf("count the decisions: %w", err)
	}
	report.Told, report.Again, report.Digested, report.Decisions = sum.Told, sum.Again, sum.Digested, sum.Reasons
	feedback, err := v.in.Mind.FeedbackCounts(ctx, report.Since)
	if err != nil {
		return fmt.Errorf("count the answers: %w", err)
	}
	report.Useful, report.NotUseful = feedback[subconscious.Useful], feedback[subconscious.NotUseful]
	report.Dismissed, report.Ignored = feedback[subconscious.Dismissed], feedback[subconscious.Ignored]
	missed, err := v.in.Mind.MissedList(ctx, report.Since, missedCounted)
	if err != nil {
		return fmt.Errorf("count what was missed: %w", err)
	}
	report.Missed = len(missed)
	pushes, err := v.in.Mind.Pushes(ctx, report.Since)
	if err != nil {
		return fmt.Errorf("count the messages: %w", err)
	}
	for _, p := range pushes {
		if p.Kind == mind.PushDigest {
			report.Digests++
		}
	}
	undelivered, err := v.in.Outbox.Undelivered(ctx, report.Since)
	if err != nil {
		return fmt.Errorf("count what no channel took: %w", err)
	}
	report.Undelivered = undelivered.Failed + undelivered.Unknown + undelivered.Expired
	return nil
}

// missedCounted bounds how many misses a report counts.
const missedCounted = 1000

// FellBack: rules, or a listed fall-back, thought for a model that failed.
func FellBack(t api.ThreadReport) bool {
	return t.Usual != "" && (t.Model != "" || len(t.Failures) > 0)
}
