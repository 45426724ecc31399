// Package mind keeps what a mind is between ticks: its state, what it knows of
// incidents, a record of every tick, of every call to a model and of what was
// decided to tell, how telling fared, what waits for the next tick, and what the
// daemon has to say about itself. It publishes subconscious.json and holds the
// lock on the state folder.
//
// It stores the tables mind_state, mind_ticks (records and published
// documents), mind_incidents, mind_incident_links, mind_inputs,
// mind_entry_log, mind_entries_gone, mind_told, mind_notices,
// mind_model_calls, mind_decisions, mind_pushes, mind_scores, mind_habits,
// mind_missed and mind_meta. The daemon calls it: Commit inside the one transaction of a tick, the
// rest around it.
package mind
