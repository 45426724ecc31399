package threads

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// thoughtSchema is the shape of what a model answers as that thread. What a
// model adds beside it is not read.
func thoughtSchema(thread subconscious.ThreadName) *models.Schema {
	var kinds, names []string
	for _, kind := range subconscious.KindsOf(thread) {
		kinds = append(kinds, strconv.Quote(string(kind)))
	}
	for _, name := range subconscious.Threads() {
		names = append(names, strconv.Quote(string(name)))
	}
	return &models.Schema{Name: "thought", JSON: fmt.Appendf(nil, thoughtJSON, prompts.Findings, strings.Join(kinds, ","), strings.Join(names, ","))}
}

const thoughtJSON = `{"type":"object","required":["findings"],"properties":{` +
	`"findings":{"type":"array","maxItems":%d,"items":{"type":"object","required":["kind","summary","importance","evidence"],"properties":{` +
	`"kind":{"type":"string","enum":[%s]},` +
	`"summary":{"type":"string"},` +
	`"importance":{"type":"integer","minimum":1,"maximum":10},` +
	`"evidence":{"type":"array","items":{"type":"string"}},` +
	`"reinforces":{"type":"array","items":{"type":"string"}},` +
	`"due":{"type":"string"},` +
	`"escalate":{"type":"boolean"},` +
	`"escalate_reason":{"type":"string"}}}},` +
	`"suggested_focus":{"type":"object","required":["thread","hint"],"properties":{"thread":{"type":"string","enum":[%s]},"hint":{"type":"string"}}},` +
	`"journal":{"type":"string"}}}`

// thought is what a model answers.
type thought struct {
	Findings []struct {
		Kind           string   `json:"kind"`
		Summary        string   `json:"summary"`
		Importance     float64  `json:"importance"` // whole, which the schema sees to; some write 7.0
		Evidence       []string `json:"evidence"`
		Reinforces     []string `json:"reinforces"`
		Due            string   `json:"due"`
		Escalate       bool     `json:"escalate"`
		EscalateReason string   `json:"escalate_reason"`
	} `json:"findings"`
	Focus *struct {
		Thread string `json:"thread"`
		Hint   string `json:"hint"`
	} `json:"suggested_focus"`
	Journal string `json:"journal"`
}

// What is kept of an answer, whatever it has.
const (
	evidenceKept   = 8
	evidenceBytes  = 80
	reinforcesKept = 8
	reasonBytes    = 240
)

// checkThought judges what the schema cannot: its error tells the model what to
// mend. That nothing is cited that was not shown is for the mechanics to see.
func checkThought(data json.RawMessage, zone *time.Location) error {
	var t thought
	if err := json.Unmarshal(data, &t); err != nil {
		return err
	}
	for i, f := range t.Findings {
		if strings.TrimSpace(f.Summary) == "" {
			return fmt.Errorf("findings[%d].summary: is empty", i)
		}
		if len(f.Evidence) == 0 {
			return fmt.Errorf("findings[%d].evidence: is empty; copy a reference out of square brackets, or leave the finding out", i)
		}
		if !slices.ContainsFunc(f.Evidence, isReference) {
			return fmt.Errorf("findings[%d].evidence: %.60q is no reference; copy one out of square brackets, or leave the finding out", i, f.Evidence[0])
		}
		if _, err := readDue(f.Due, zone); err != nil {
			return fmt.Errorf("findings[%d].due: %w", i, err)
		}
	}
	return nil
}

// isReference: to an observation, or to an entry, which the mechanics refuse by
// its name.
func isReference(text string) bool {
	text = bare(text)
	_, ok := subconscious.ParseCitation(text)
	return ok || isEntryID(text)
}

func isEntryID(text string) bool {
	return len(text) > 4 && len(text) <= 64 && text[1] == '-' && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

// bare is a reference without the brackets around it.
func bare(text string) string { return strings.Trim(text, " \t\n[]\"`") }

// Years that a due time can be in.
const (
	firstYear = 1970
	lastYear  = 2200
)

// readDue reads a due time. Models leave out seconds, or the offset, which is
// then that of the mind's zone. A year that no sense takes either is none: it
// could not be recorded in every zone.
func readDue(text string, zone *time.Location) (time.Time, error) {
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return time.Time{}, nil
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if due, err := time.ParseInLocation(layout, text, zone); err == nil && due.Year() >= firstYear && due.Year() <= lastYear {
			return due.In(zone).Truncate(time.Second), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.60q is no time; write it as \"2026-11-27T17:00:00+01:00\", or null", text)
}
