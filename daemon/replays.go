package daemon

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/daemon/view"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// differingShown is how many ticks that differ are returned.
const differingShown = 200

// Replays implements api.Mind. It asks no model and changes nothing.
func (d *Daemon) Replays(ctx context.Context, query api.ReplayQuery) (out api.Replays, err error) {
	out = api.Replays{Set: strings.FieldsFunc(query.Set, func(r rune) bool { return r == '\n' }), Differing: []api.Replay{}}
	if err := setup.Default().Set(out.Set); err != nil {
		return out, api.Errorf(api.CodeBadRequest, "write KEY=VALUE, as in the configuration; `subconsciousctl config show` has what holds now", "%w", err)
	}
	ticks := []int64{query.Tick}
	if query.Tick == 0 {
		if ticks, err = d.mind.TicksSince(ctx, query.Since); err != nil {
			return out, view.Answer(err)
		}
	}
	again := otherwise{set: out.Set, mind: d.mind}
	for i, n := range ticks {
		if i > 0 {
			out.Missing += int(n - ticks[i-1] - 1)
		}
		if err := d.replayInto(ctx, &out, &again, n); err != nil {
			return out, err
		}
	}
	return out, nil
}

// replayInto thinks one more tick again, and adds what comes of it.
func (d *Daemon) replayInto(ctx context.Context, out *api.Replays, again *otherwise, n int64) error {
	record, _, err := d.mind.Record(ctx, n)
	if err != nil {
		return view.Answer(err)
	}
	kept, err := view.Read(record)
	if err != nil {
		out.Missing++
		return nil
	}
	if mechanics, gate := kept.Versions(); mechanics.Then != mechanics.Now || gate.Then != gate.Now {
		out.Older++
		return nil
	}
	published, _, err := d.mind.Document(ctx, n)
	if err != nil {
		return view.Answer(err)
	}
	if len(out.Set) > 0 {
		if err := again.under(ctx, &kept); err != nil {
			return view.Answer(err)
		}
	}
	now := kept.Again()
	again.went(now, kept)
	one, err := compareWith(record, published, now)
	if err != nil {
		return err
	}
	if out.Ticks++; out.Ticks == 1 {
		out.Since = one.At
	}
	out.Until = one.At
	then, err := view.ReportOf(record)
	if err != nil {
		return err
	}
	pushes, digests := toldOf(then.Decisions, then.Told)
	out.Pushes.Then, out.Digests.Then = out.Pushes.Then+pushes, out.Digests.Then+digests
	pushes, digests = toldOf(newDecisions(n, one.At, now.Outcome), toldMessages(now.Outcome))
	out.Pushes.Now, out.Digests.Now = out.Pushes.Now+pushes, out.Digests.Now+digests
	if one.Same || len(out.Set) > 0 && len(one.Changes)+len(one.Decisions)+len(one.Told) == 0 {
		return nil
	}
	if out.Differ++; len(out.Differing) < differingShown {
		out.Differing = append(out.Differing, one)
	}
	return nil
}

// toldOf counts messages of one incident, and digests.
func toldOf(decisions []api.Decision, told []api.ToldMessage) (pushes, digests int) {
	for _, x := range decisions {
		if x.Verdict == escalate.Tell && x.Message != "" {
			pushes++
		}
	}
	for _, m := range told {
		if m.Kind == string(notify.KindDigest) {
			digests++
		}
	}
	return pushes, digests
}

// otherwise is a mind as it would have become under other settings. Thoughts, what
// senses saw, answers and presence are those on record; where a record says nothing of
// an observation, because the mind held it under these settings alone, it is as it was
// last seen.
type otherwise struct {
	set  []string
	mind *mind.Store

	last      subconscious.State
	incidents map[subconscious.IncidentKey]subconscious.Incident
	seen      map[subconscious.Ref]subconscious.Evidence
	told      map[subconscious.Notice]bool
	pushes    []mind.Push
	spent     escalate.Spent
}

// under puts a recorded tick under the settings, and behind the ticks before it. After
// a gap it begins again with what is on record.
func (o *otherwise) under(ctx context.Context, kept *view.Recorded) (err error) {
	in, gate := &kept.Input, &kept.Gate
	if o.incidents == nil || in.State.TickCount != o.last.TickCount {
		*o = otherwise{set: o.set, mind: o.mind, last: in.State, spent: gate.Spent, incidents: map[subconscious.IncidentKey]subconscious.Incident{},
			seen: map[subconscious.Ref]subconscious.Evidence{}, told: map[subconscious.Notice]bool{}}
		if o.pushes, err = o.mind.Pushes(ctx, gate.At.AddDate(0, 0, -2)); err != nil {
			return err
		}
		o.pushes = slices.DeleteFunc(o.pushes, func(p mind.Push) bool { return !p.At.Before(gate.At) })
	}
	config := setup.Default()
	config.Mechanics, config.Escalation, config.QuietHours = in.Rules, gate.Rules, gate.Rules.Quiet
	config.Budget.NotificationsPerDay, config.Budget.EscalationsPerHour, config.Budget.NoticesPerDay =
		gate.Rules.NotificationsPerDay, gate.Rules.EscalationsPerHour, gate.Rules.NoticesPerDay
	if err := config.Set(o.set); err != nil {
		return api.Errorf(api.CodeBadRequest, "choose settings that fit those of that time", "under the settings of tick %d: %w", gate.Tick, err)
	}
	known := recordedRefs(in.State, in.Incidents, gate.Incidents)
	in.Rules, in.State = config.Mechanics, o.last
	in.Incidents = o.those(in.Incidents)
	keys, _ := aggregator.Lookups(in.State, in.Thoughts, in.Commands, in.Evidence)
	for _, key := range keys {
		if incident, ok := o.incidents[key]; ok && !slices.ContainsFunc(in.Incidents, func(i subconscious.Incident) bool { return i.Key == key }) {
			in.Incidents = append(in.Incidents, incident)
		}
	}
	in.Evidence = o.fill(in.Evidence, known, recordedRefs(in.State, in.Incidents, nil))

	_, changes := aggregator.Merge(*in)
	gate.Rules, gate.Asked = config.Gate(), scored(changes.Requests, in.Evidence)
	live := slices.DeleteFunc(slices.Collect(maps.Values(o.incidents)), func(i subconscious.Incident) bool { return !mind.IsLive(i.Telling) })
	gather(gate, slices.Concat(live, o.those(gate.Incidents)), in.Incidents, changes.Incidents)
	gate.Evidence = o.fill(gate.Evidence, known, recordedRefs(subconscious.State{}, gate.Incidents, nil))
	gate.Notices = slices.DeleteFunc(slices.Clone(gate.Notices), func(n escalate.Notice) bool { return o.told[noticeOf(n)] })
	for _, c := range gate.Commands { // what a deliberation kept back took nothing
		if c.Outcome != nil && !c.Outcome.Kind.Tells() {
			o.pushes = slices.DeleteFunc(o.pushes, func(p mind.Push) bool { return p.Key == mind.PushKey(c.Outcome.Tick, c.IncidentID) })
		}
	}
	spent := view.Spent(o.pushes, gate.At)
	spent.Daily, spent.Weekly, spent.Restored = o.spent.Daily, o.spent.Weekly, gate.Spent.Restored
	gate.Spent = spent
	return nil
}

// went goes on from what a tick came to.
func (o *otherwise) went(now view.Replayed, kept view.Recorded) {
	if o.incidents == nil {
		return
	}
	o.last, o.spent = now.State, now.Outcome.Spent
	for _, incident := range combine(now.Changes.Incidents, now.Outcome.Incidents) {
		o.incidents[incident.Key] = incident
	}
	if now.Outcome.Notices != nil {
		for _, n := range now.Outcome.Notices.Notices {
			o.told[noticeOf(n)] = true
		}
	}
	o.pushes = append(o.pushes, pushes(kept.Gate.Tick, kept.Gate.At, now.Outcome)...)
	o.pushes = slices.DeleteFunc(o.pushes, func(p mind.Push) bool { return kept.Gate.At.Sub(p.At) > 48*time.Hour })
}

// those are incidents as they are by now.
func (o *otherwise) those(recorded []subconscious.Incident) []subconscious.Incident {
	all := slices.Clone(recorded)
	for i := range all {
		if now, changed := o.incidents[all[i].Key]; changed {
			all[i] = now
		}
	}
	return all
}

// fill adds what is wanted and the record has no reason to know.
func (o *otherwise) fill(recorded []subconscious.Evidence, known, wanted map[subconscious.Ref]bool) []subconscious.Evidence {
	for _, e := range recorded {
		delete(wanted, e.Ref)
		e.ShownTo, e.NewTo = nil, nil
		o.seen[e.Ref] = e
	}
	for _, ref := range slices.Sorted(maps.Keys(wanted)) {
		if e, ok := o.seen[ref]; ok && !known[ref] {
			recorded = append(slices.Clip(recorded), e)
		}
	}
	return recorded
}

// recordedRefs are the observations that entries hold and incidents have recorded.
func recordedRefs(state subconscious.State, lists ...[]subconscious.Incident) map[subconscious.Ref]bool {
	refs := map[subconscious.Ref]bool{}
	for _, ref := range citedRefs(aggregator.Input{State: state}) {
		refs[ref] = true
	}
	for _, incident := range slices.Concat(lists...) {
		for ref := range incident.Recorded {
			refs[ref] = true
		}
	}
	return refs
}

// noticeOf is what tells one notice from another.
func noticeOf(n escalate.Notice) escalate.Notice {
	return escalate.Notice{NoticeKey: n.NoticeKey, At: n.At.UTC().Round(0)}
}
