package view

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/store/mind"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Ticks implements api.Mind.
func (v *Reader) Ticks(ctx context.Context, before int64, limit int) ([]api.TickReport, error) {
	records, err := v.in.Mind.Records(ctx, before, limit)
	if err != nil {
		return nil, err
	}
	reports := make([]api.TickReport, 0, len(records))
	for _, record := range records {
		report, err := ReportOf(record)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// Tick implements api.Mind.
func (v *Reader) Tick(ctx context.Context, n int64) (api.TickReport, error) {
	record, ok, err := v.in.Mind.Record(ctx, n)
	if err != nil {
		return api.TickReport{}, err
	}
	if !ok {
		return api.TickReport{}, api.Errorf(api.CodeNotFound, "see `subconsciousctl ticks` for those that are kept", "there is no record of tick %d", n)
	}
	return ReportOf(record)
}

// ReportOf is what a recorded tick reported.
func ReportOf(record mind.Record) (api.TickReport, error) {
	var report api.TickReport
	if err := json.Unmarshal(record.Report, &report); err != nil {
		return api.TickReport{}, fmt.Errorf("read the report of tick %d: %w", record.Tick, err)
	}
	// The record is written before the document is published.
	report.Published = true
	return report, nil
}

// Why implements api.Mind.
func (v *Reader) Why(ctx context.Context, id subconscious.EntryID) (api.Explanation, error) {
	entry, ok, err := v.in.Mind.LastEntry(ctx, id)
	if err != nil {
		return api.Explanation{}, err
	}
	if !ok {
		return api.Explanation{}, UnknownEntry(id)
	}
	out := api.Explanation{Entry: entry, Place: v.place(id), Observations: []api.CitedObservation{}, Steps: []api.Step{}}
	incidents, err := v.in.Mind.Incidents(ctx, []subconscious.IncidentKey{entry.Incident}, nil)
	if err != nil {
		return api.Explanation{}, err
	}
	if len(incidents) > 0 {
		out.Incident = incidents[0]
	}
	if out.Place == placeDropped && out.Incident.Closed != nil {
		out.Place = placeClosed
	}
	if out.Observations, err = v.observations(ctx, entry, out.Incident); err != nil {
		return api.Explanation{}, err
	}
	out.Steps, err = v.steps(ctx, id)
	return out, err
}

// Places of an entry.
const (
	placeListed  = "listed"
	placeParked  = "parked"
	placeDropped = "dropped"
	placeClosed  = "closed"
)

func (v *Reader) place(id subconscious.EntryID) string {
	state := v.state()
	switch {
	case slices.ContainsFunc(state.Entries, func(e subconscious.Entry) bool { return e.ID == id }):
		return placeListed
	case slices.ContainsFunc(state.Parked, func(e subconscious.Entry) bool { return e.ID == id }):
		return placeParked
	}
	return placeDropped
}

// observationsShown bounds an explanation.
const observationsShown = 24

// observations are all changes that were counted for the entry, oldest first:
// those that it holds and the earlier ones of its incident.
func (v *Reader) observations(ctx context.Context, entry subconscious.Entry, incident subconscious.Incident) ([]api.CitedObservation, error) {
	standing := map[subconscious.Ref]bool{}
	var citations []subconscious.Citation
	for _, h := range entry.Evidence {
		standing[h.Ref] = h.Standing
		citations = append(citations, h.Citation)
	}
	for ref, seqs := range incident.Recorded {
		for _, seq := range seqs {
			citations = append(citations, subconscious.Citation{Ref: ref, Seq: seq})
		}
	}
	slices.SortFunc(citations, func(a, b subconscious.Citation) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Ref, b.Ref))
	})
	citations = slices.Compact(citations)
	citations = citations[max(0, len(citations)-observationsShown):]
	out, view := make([]api.CitedObservation, 0, len(citations)), v.in.Ledger.View()
	for _, c := range citations {
		observation, ok, err := v.in.Ledger.Observation(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("read observation %s: %w", c, err)
		}
		latest, stands := view.Get(c.Ref)
		out = append(out, api.CitedObservation{Citation: c.String(), Observation: observation,
			Standing: standing[c.Ref] || stands && latest.Seq == c.Seq, Missing: !ok})
	}
	return out, nil
}

func (v *Reader) steps(ctx context.Context, id subconscious.EntryID) ([]api.Step, error) {
	entries, err := v.in.Mind.Log(ctx, id)
	if err != nil {
		return nil, err
	}
	steps := make([]api.Step, 0, len(entries))
	for _, e := range entries {
		var step api.Step
		if err := json.Unmarshal(e.JSON, &step); err != nil {
			return nil, fmt.Errorf("read the log of %s: %w", id, err)
		}
		steps = append(steps, step)
	}
	return steps, nil
}
