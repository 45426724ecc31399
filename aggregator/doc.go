// Package aggregator is the mechanics: Merge turns mind state, thoughts and the
// evidence they cite into the next state. It is pure: no I/O, no model, no
// clock, and nothing depends on the order in which thoughts arrive, so a tick
// replays to the same bytes under the same MechanicsVersion. It stores nothing.
//
// The steps are methods of one merge, in this order, each in the file of its
// name: command, decay, check (with cite, join and link), reinforce (with
// verdict, absorb, speak and record), drop, add, promote, place, threads. What
// the person closed is in closing. The daemon calls Lookups, to know which
// incidents a merge needs, and Merge, once a tick; nothing else changes mind
// state.
//
// Nothing gains by being said again. A citation is news only where it is of the
// last change of an observation, that change is new to the thread, its incident
// has counted neither it nor a later one, and the observation belongs to the
// incident by its key or by a link that a sense extracted. Everything else
// stands already, is an old occurrence, or is cited beside the point.
//
// The rules beside a thread's model are that thread: what both say of an incident
// is not two threads agreeing. The higher importance holds, and the wish to be
// told, whoever of the two speaks first; see unite and second.
package aggregator

// MechanicsVersion names the rules below. It rises with every change that could
// make a recorded tick replay to other bytes.
const MechanicsVersion = 7
