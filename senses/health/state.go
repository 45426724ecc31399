package health

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/subconsciousd/subconsciousd/senses"
)

const (
	stateVersion = 1
	// keepEvery is how often readings are written into the cursor while
	// something that stands is on the move.
	keepEvery = time.Hour
	// keptReadings is how many of them are written, so that the cursor stays
	// small: the last hour at a tick every five minutes.
	keptReadings = 13
)

// state is the cursor: what was last announced of whatever is not in order.
type state struct {
	Version int                 `json:"v"`
	Kept    int64               `json:"kept,omitempty"` // Unix seconds when readings were last written
	Gauges  map[string]gaugeNow `json:"gauges,omitempty"`
	Loops   map[string]loop     `json:"loops,omitempty"`
	Clock   *clockNow           `json:"clock,omitempty"`
	// Listed are the folders that were in the list of disks, Left those that are no longer.
	Listed []string    `json:"listed,omitempty"`
	Left   senses.Left `json:"left,omitempty"`
}

// gaugeNow is what was last announced of one gauge, with the readings that its
// trend rests on.
type gaugeNow struct {
	Band     band   `json:"band,omitempty"`
	Course   course `json:"course,omitzero"`
	Readings series `json:"readings,omitempty"`
}

// decodeState reads a cursor. A nil cursor is the first collect.
func decodeState(cursor []byte) (state, error) {
	if cursor == nil {
		return state{}, nil
	}
	var s state
	if err := json.Unmarshal(cursor, &s); err != nil {
		return state{}, fmt.Errorf("read the cursor of health: %w", err)
	}
	if s.Version != stateVersion {
		return state{}, fmt.Errorf("read the cursor of health: version %d is not %d", s.Version, stateVersion)
	}
	return s, nil
}

// class returns the state without what changes at every collect.
func (s state) class() state {
	s.Kept = 0
	gauges, loops := maps.Clone(s.Gauges), maps.Clone(s.Loops)
	for id, g := range gauges {
		g.Readings, g.Course.Rate = nil, 0
		gauges[id] = g
	}
	for id, l := range loops {
		l.Restarts = 0
		loops[id] = l
	}
	s.Gauges, s.Loops = gauges, loops
	return s
}

// moving reports whether something changes that a restart should not forget.
func (s state) moving() bool {
	for _, g := range s.Gauges {
		if g.Course.Trend != steady {
			return true
		}
	}
	return len(s.Loops) > 0
}

// encode returns the cursor to keep after before, nil where the last one will
// do: nothing that matters moved, and readings need not be kept yet.
func (s state) encode(before state, readings map[string]series, at time.Time) ([]byte, error) {
	now, _ := json.Marshal(s.class()) // without any reading, which cannot fail
	was, _ := json.Marshal(before.class())
	late := s.moving() && at.Sub(time.Unix(before.Kept, 0)).Abs() >= keepEvery
	if string(now) == string(was) && !late {
		return nil, nil
	}
	s.Kept = 0
	if s.moving() {
		s.Kept = at.Unix()
	}
	for id, g := range s.Gauges {
		if kept := readings[id]; g.Course.Trend != steady && len(kept) > 0 {
			g.Readings = kept[max(0, len(kept)-keptReadings):]
			s.Gauges[id] = g
		}
	}
	content, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the cursor of health: %w", err)
	}
	return content, nil
}
