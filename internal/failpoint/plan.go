//go:build failpoints

package failpoint

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

type action string

const (
	actError action = "error"
	actPanic action = "panic"
	actKill  action = "kill"
	actSleep action = "sleep"
)

// plan is what all points do.
type plan struct{ points map[string]*point }

// point is what one point does.
type point struct {
	action action
	sleep  time.Duration

	mu          sync.Mutex
	left        int // -1: without end
	probability float64
	random      *rand.Rand
}

// draw decides whether the point acts this time.
func (p *point) draw() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == 0 || p.probability < 1 && p.random.Float64() >= p.probability {
		return false
	}
	if p.left > 0 {
		p.left--
	}
	return true
}

// parse reads "name=action*N@P;…". An empty text is a plan in which nothing
// acts.
func parse(spec, seed string) (*plan, error) {
	number := rand.Uint64()
	if seed != "" {
		var err error
		if number, err = strconv.ParseUint(seed, 10, 64); err != nil {
			return nil, fmt.Errorf("seed %q is not a number", seed)
		}
	}
	p := &plan{points: map[string]*point{}}
	for part := range strings.SplitSeq(spec, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, does, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not name=action", part)
		}
		if p.points[name] != nil {
			return nil, fmt.Errorf("%q is set twice", name)
		}
		one, err := parsePoint(does)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		one.random = rand.New(rand.NewPCG(number, uint64(len(p.points))))
		p.points[name] = one
	}
	return p, nil
}

// parsePoint reads "action", "action*N", "action@P" or "action*N@P".
func parsePoint(text string) (*point, error) {
	p := &point{left: -1, probability: 1}
	text, chance, ok := strings.Cut(text, "@")
	if ok {
		var err error
		if p.probability, err = strconv.ParseFloat(chance, 64); err != nil || !(p.probability >= 0 && p.probability <= 1) {
			return nil, fmt.Errorf("probability %q is not a number from 0 to 1", chance)
		}
	}
	text, count, ok := strings.Cut(text, "*")
	if ok {
		var err error
		if p.left, err = strconv.Atoi(count); err != nil || p.left < 0 {
			return nil, fmt.Errorf("count %q is not a whole number", count)
		}
	}
	switch p.action = action(text); p.action {
	case actError, actPanic, actKill:
		return p, nil
	}
	duration, begun := strings.CutPrefix(text, "sleep(")
	duration, ended := strings.CutSuffix(duration, ")")
	var err error
	if p.sleep, err = time.ParseDuration(duration); begun && ended && err == nil && p.sleep >= 0 {
		p.action = actSleep
		return p, nil
	}
	return nil, fmt.Errorf("action %q is none of error, panic, kill, sleep(DURATION)", text)
}
