package escalate

import (
	"fmt"
	"math"
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The prior of a sort of thing is Beta(priorUseful, priorUseless): seven of ten
// are thought to be of use before anybody said a word. It is as strong as twenty
// answers, so that importance 7 is still pushed after one click: who dismisses a
// promise because it is kept wants to hear of the next one.
const (
	priorUseful  = 14.0
	priorUseless = 6.0
	priorMean    = priorUseful / (priorUseful + priorUseless)

	// A dismissal says more than "not useful", silence says little, and what
	// should have been told says as much as a dismissal the other way.
	dismissedCounts = 1.5
	missedCounts    = 1.5
	ignoredCounts   = 0.25
	// ignoredMost bounds what silence says in all: who never presses a button
	// still hears of what is of importance 7.
	ignoredMost = 1.5

	// Whatever the answers, a weight stays within these, so that nothing is
	// silenced for good and nothing is raised to an alarm.
	leastWeight = 0.6
	mostWeight  = 1.25

	// notHeldDown is the importance from which on answers to others of its sort
	// hold nothing back.
	notHeldDown = 9

	// rounding keeps 0.6 from being less than 0.6.
	rounding = 1e-9
)

// Weight is what importance is multiplied by for things of that sort: the mean
// of its Beta posterior over the mean of the prior, from 0.6 to 1.25.
func Weight(score subconscious.Score) float64 {
	useful := priorUseful + counted(score.Useful) + missedCounts*counted(score.Missed)
	useless := priorUseless + counted(score.NotUseful) + dismissedCounts*counted(score.Dismissed) + min(ignoredCounts*counted(score.Ignored), ignoredMost)
	return min(max(useful/(useful+useless)/priorMean, leastWeight), mostWeight)
}

func counted(n int) float64 { return float64(max(n, 0)) }

// confidence is what importance and calibration come to, 0 to 1.
func confidence(importance int, score subconscious.Score, critical bool) float64 {
	importance = min(max(importance, 1), 10)
	weight := Weight(score)
	if critical || importance >= notHeldDown {
		weight = max(weight, 1)
	}
	return math.Round(min(float64(importance)/10*weight, 1)*1e6) / 1e6
}

// Needs is the least importance with which a thing of that sort is pushed: 1 to
// 10, or 11 where none is enough.
func Needs(score subconscious.Score, pushFrom float64) int {
	for importance := 1; importance <= 10; importance++ {
		if confidence(importance, score, false) >= pushFrom-rounding {
			return importance
		}
	}
	return 11
}

// Explain says in plain words how importance and the answers so far come to a
// confidence, and what that is enough for.
func Explain(asked subconscious.Asked, score subconscious.Score, critical bool, rules Rules) string {
	sum := confidence(asked.Importance, score, critical)
	enough := "less than the digest needs"
	switch {
	case sum >= rules.PushFrom-rounding && !neverPushed(asked.Kind):
		enough = "enough to be pushed"
	case sum >= rules.DigestFrom-rounding:
		enough = "enough for the digest"
	}
	importance := min(max(asked.Importance, 1), 10)
	if asked.Scored {
		return fmt.Sprintf("importance %d of 10, which counts what you do with such letters, is %.2f: %s", importance, sum, enough)
	}
	text := fmt.Sprintf("importance %d of 10, times %.2f for how the answers to such things were (%s), is %.2f: %s",
		importance, Weight(score), answers(score), sum, enough)
	if Weight(score) < 1 && (critical || importance >= notHeldDown) {
		text += "; what is this important is not held down by answers to other things"
	}
	return text
}

// neverPushed are kinds that are worth a place in a digest at best: they ask
// for thought, not for the phone.
func neverPushed(kind subconscious.Kind) bool {
	return slices.Contains([]subconscious.Kind{subconscious.KindIdea, subconscious.KindQuestion, subconscious.KindChallenge, subconscious.KindConnection, subconscious.KindPattern}, kind)
}

// answers counts what the person said.
func answers(score subconscious.Score) string {
	var text string
	for _, part := range []struct {
		count int
		word  string
	}{
		{score.Useful, "useful"}, {score.NotUseful, "not useful"}, {score.Dismissed, "dismissed"},
		{score.Ignored, "unanswered"}, {score.Missed, "missed"},
	} {
		if part.count > 0 {
			text += fmt.Sprintf(", %d %s", part.count, part.word)
		}
	}
	if text == "" {
		return "none yet"
	}
	return text[2:]
}

// Learn replaces the person's earlier word on an incident by another: "" where
// there was none, or where it is taken back.
func Learn(score subconscious.Score, before, after subconscious.Feedback) subconscious.Score {
	if before == after {
		return score
	}
	if n := counter(&score, before); n != nil {
		*n = max(*n-1, 0)
	}
	if n := counter(&score, after); n != nil {
		*n = min(max(*n, 0)+1, math.MaxInt32)
	}
	return score
}

func counter(score *subconscious.Score, word subconscious.Feedback) *int {
	return map[subconscious.Feedback]*int{
		subconscious.Useful: &score.Useful, subconscious.NotUseful: &score.NotUseful, subconscious.Dismissed: &score.Dismissed,
		subconscious.Ignored: &score.Ignored, subconscious.Missed: &score.Missed,
	}[word]
}
