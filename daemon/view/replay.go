package view

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/subconsciousd/subconsciousd/aggregator"
	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// replayable is what a tick's record holds: all that the mechanics depended on.
type replayable struct {
	Mechanics int              `json:"mechanics"`
	Zone      string           `json:"zone"`
	Input     aggregator.Input `json:"input"`
	// Judging is the version of the gate's rules.
	Judging int            `json:"judging"`
	Gate    escalate.Input `json:"gate"`
}

// Record packs a tick so that it can be replayed and shown.
func Record(in aggregator.Input, gate escalate.Input, report api.TickReport) (mind.Record, error) {
	kept := replayable{Mechanics: aggregator.MechanicsVersion, Zone: in.Zone.String(), Input: in, Judging: escalate.Version, Gate: gate}
	kept.Input.Zone = nil
	inputs, err := json.Marshal(kept)
	if err != nil {
		return mind.Record{}, fmt.Errorf("record tick %d: %w", report.Tick, err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		return mind.Record{}, fmt.Errorf("record tick %d: %w", report.Tick, err)
	}
	return mind.Record{Tick: report.Tick, At: report.At, Kind: report.Kind, Inputs: inputs, Report: text}, nil
}

// Replayed is a recorded tick, thought again.
type Replayed struct {
	State   subconscious.State
	Changes aggregator.Changes
	Outcome escalate.Decided
}

// Replay merges a recorded tick again, and judges it again. It fails where the
// record is of another version of the mechanics.
func Replay(record mind.Record) (Replayed, error) {
	in, gate, err := recorded(record)
	if err != nil {
		return Replayed{}, err
	}
	out := Replayed{Outcome: escalate.Decide(gate)}
	out.State, out.Changes = aggregator.Merge(in)
	out.State = escalate.Remember(out.State, out.Outcome)
	return out, nil
}

// Merged is what a recorded tick was merged from.
func Merged(record mind.Record) (aggregator.Input, error) {
	in, _, err := recorded(record)
	return in, err
}

// recorded is what a tick was merged and judged from.
func recorded(record mind.Record) (aggregator.Input, escalate.Input, error) {
	var kept replayable
	fail := func(err error) (aggregator.Input, escalate.Input, error) {
		return aggregator.Input{}, escalate.Input{}, fmt.Errorf("replay tick %d: %w", record.Tick, err)
	}
	if err := json.Unmarshal(record.Inputs, &kept); err != nil {
		return fail(err)
	}
	if kept.Mechanics != aggregator.MechanicsVersion {
		return fail(fmt.Errorf("it was made by mechanics version %d, this is version %d", kept.Mechanics, aggregator.MechanicsVersion))
	}
	if kept.Judging != escalate.Version {
		return fail(fmt.Errorf("it was judged by version %d of the gate, this is version %d", kept.Judging, escalate.Version))
	}
	zone, err := time.LoadLocation(kept.Zone)
	if err != nil {
		return fail(err)
	}
	kept.Input.Zone = zone
	kept.Input.At, kept.Gate.At = kept.Input.At.In(zone), kept.Gate.At.In(zone)
	return kept.Input, kept.Gate, nil
}
