package screen

import (
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
)

// Sort names the sort of thing that a score is about.
func Sort(s api.ScoreStatus) string {
	var parts []string
	for _, part := range []string{string(s.Thread), s.Source, string(s.Kind)} {
		if part = clean(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

// usefulShare is how many in ten of what was said of a sort were for telling.
func usefulShare(s api.ScoreStatus) int {
	good := s.Useful + s.Missed
	all := good + s.NotUseful + s.Dismissed + s.Ignored
	if all == 0 {
		return 0
	}
	return (good*barCells + all/2) / all
}

// Forgotten is what a reset of the calibration forgot.
type Forgotten struct {
	Forgot []api.ScoreStatus `json:"forgot"`
	api.Calibration
}
