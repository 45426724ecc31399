// Package deliberate lets a frontier model deliberate on what the gate wants a
// person to be told. A worker beside the ticks takes one escalation after the
// other: the model is shown the escalation, may read more with tools, and ends
// in exactly one outcome. What it asks for happens only where the policy,
// which is outside any model, allows it by all that the model was shown. Where
// there is no model, no money or no time, the words of the gate tell the
// person.
//
// It stores the tables escalations, deliberation_steps and
// deliberation_systems: each escalation, and all that was said and done in it,
// written down as it happens, so that a crash neither loses nor repeats
// anything. The tick adds escalations in its transaction; the daemon starts and
// stops the worker and hands it what an effect needs.
package deliberate
