package screen

import "strings"

// standIn is the state of a thread that is well, but for which somebody else
// thinks than the model that is configured.
func standIn(state, mode, model, usual string) string {
	switch {
	case state != "ok" || usual == "" || usual == model:
		return state
	case model != "":
		return byAnother
	case mode == "model":
		return state // which has not been asked yet
	}
	return byRules
}

// longReason is from which length on a reason is not said again.
const longReason = 60

// once says a long reason of several threads with the first of them alone.
func once(said map[string]string, name, reason string) string {
	if first, ok := said[reason]; ok {
		return "the same as of the " + first
	}
	if len(reason) >= longReason {
		said[reason] = name
	}
	return reason
}

// named reports whether a reason says already who stands in for whom.
func named(reason, model, usual string) bool {
	if strings.HasPrefix(reason, "the same as of the ") {
		return true
	}
	return usual != "" && strings.Contains(reason, usual+": ") && (model == "" || strings.Contains(reason, model+" thought in its place"))
}

// thinker says who thinks for a thread, and in whose place.
func thinker(mode, model, usual string) string {
	words := clean(mode)
	switch {
	case model != "":
		words = clean(model)
	case mode == "model" && usual != "":
		return clean(usual) // which has not been asked yet
	}
	if usual != "" && usual != model {
		words += " in place of " + clean(usual)
	}
	return words
}
