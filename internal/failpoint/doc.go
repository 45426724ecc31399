// Package failpoint makes a named point in the code fail on purpose, so that
// tests can prove what a crash at that point does.
//
// A point is one line, `if err := failpoint.Hit("store.commit"); err != nil {
// return err }`. Without the build tag failpoints Hit is a constant nil that
// the compiler removes. With it, the environment decides:
//
//	SUBCONSCIOUS_FAILPOINTS="store.commit=kill@0.02;sense.collect=error*3;other=sleep(20ms)"
//
// The actions are error, panic, kill (SIGKILL to this very process) and
// sleep(DURATION); *N ends a point after N times, @P lets it act with that
// probability, and SUBCONSCIOUS_FAILPOINTS_SEED makes those draws repeatable.
//
// It stores nothing. Packages whose crashes are tested call it.
package failpoint
