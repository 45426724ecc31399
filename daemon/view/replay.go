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

// Recorded is what a tick's record holds: all that the mechanics depended on.
type Recorded struct {
	Mechanics int              `json:"mechanics"`
	Zone      string           `json:"zone"`
	Input     aggregator.Input `json:"input"`
	// Judging is the version of the gate's rules.
	Judging int            `json:"judging"`
	Gate    escalate.Input `json:"gate"`
}

// Record packs a tick so that it can be replayed and shown.
func Record(in aggregator.Input, gate escalate.Input, report api.TickReport) (mind.Record, error) {
	kept := Recorded{Mechanics: aggregator.MechanicsVersion, Zone: in.Zone.String(), Input: in, Judging: escalate.Version, Gate: gate}
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
	// MaxTokens bounded its document.
	MaxTokens int
	// Mechanics and Gate are the versions that recorded and replayed it.
	Mechanics, Gate api.Versions
}

// Replay merges a recorded tick again, and judges it again, whatever version
// recorded it.
func Replay(record mind.Record) (Replayed, error) {
	kept, err := Read(record)
	if err != nil {
		return Replayed{}, err
	}
	return kept.Again(), nil
}

// Again merges and judges it again.
func (r Recorded) Again() Replayed {
	out := Replayed{Outcome: escalate.Decide(r.Gate), MaxTokens: r.Input.Rules.MaxTokens}
	out.Mechanics, out.Gate = r.Versions()
	out.State, out.Changes = aggregator.Merge(r.Input)
	out.State = escalate.Remember(out.State, out.Outcome)
	return out
}

// Versions are those of the mechanics and of the gate.
func (r Recorded) Versions() (mechanics, gate api.Versions) {
	return api.Versions{Then: r.Mechanics, Now: aggregator.MechanicsVersion}, api.Versions{Then: r.Judging, Now: escalate.Version}
}

// Merged is what a recorded tick was merged from. It fails where the record is of
// another version of the mechanics.
func Merged(record mind.Record) (aggregator.Input, error) {
	kept, err := Read(record)
	if err == nil && kept.Mechanics != aggregator.MechanicsVersion {
		err = fmt.Errorf("replay tick %d: it was made by mechanics version %d, this is version %d", record.Tick, kept.Mechanics, aggregator.MechanicsVersion)
	}
	return kept.Input, err
}

// Read is what a tick was merged and judged from.
func Read(record mind.Record) (kept Recorded, err error) {
	if err := json.Unmarshal(record.Inputs, &kept); err != nil {
		return Recorded{}, fmt.Errorf("read the record of tick %d: %w", record.Tick, err)
	}
	zone, err := time.LoadLocation(kept.Zone)
	if err != nil {
		return Recorded{}, fmt.Errorf("read the record of tick %d: %w", record.Tick, err)
	}
	kept.Input.Zone = zone
	kept.Input.At, kept.Gate.At = kept.Input.At.In(zone), kept.Gate.At.In(zone)
	return kept, nil
}
