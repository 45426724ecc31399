package mind_test

import (
	"testing"

	"github.com/subconsciousd/subconsciousd/store"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

func TestAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		state   subconscious.TellingState
		closed  bool
		command subconscious.Command // that waits
		want    bool
	}{
		"nothing":                     {},
		"acknowledged":                {state: subconscious.TellingAcknowledged, want: true},
		"snoozed":                     {state: subconscious.TellingSnoozed, want: true},
		"dismissed":                   {state: subconscious.TellingDismissed, want: true},
		"resolved":                    {state: subconscious.TellingResolved},
		"closed":                      {closed: true, want: true},
		"waits: dismissed by name":    {command: subconscious.Command{Kind: subconscious.CommandDismiss, IncidentID: "i-disk-1"}, want: true},
		"waits: snoozed by key":       {command: subconscious.Command{Kind: subconscious.CommandSnooze, Incident: told(subconscious.Telling{ID: "i-disk-1"}).Key, Until: noon.AddDate(0, 0, 1)}, want: true},
		"waits: closed by entry":      {command: subconscious.Command{Kind: subconscious.CommandClose, Entry: "w-disk-1"}, want: true},
		"waits: acknowledged":         {command: subconscious.Command{Kind: subconscious.CommandAck, IncidentID: "i-disk-1"}, want: true},
		"waits: missed":               {command: subconscious.Command{Kind: subconscious.CommandAck, IncidentID: "i-disk-1", Feedback: subconscious.Missed}},
		"waits: another":              {command: subconscious.Command{Kind: subconscious.CommandDismiss, IncidentID: "i-disk-2"}},
		"waits: reminder":             {command: subconscious.Command{Kind: subconscious.CommandRemind, IncidentID: "i-disk-1", Until: noon.AddDate(0, 0, 1)}},
		"waits: said in deliberation": {command: subconscious.Command{Kind: subconscious.CommandDismiss, IncidentID: "i-disk-1", By: subconscious.ByDeliberation}},
	} {
		t.Run(name, func(t *testing.T) {
			minds, db := newStore(t, store.Memory)
			telling := subconscious.Telling{ID: "i-disk-1", State: subconscious.TellingTold, Since: noon}
			if c.state != "" {
				telling.State = c.state
			}
			incident := told(telling)
			if c.closed {
				incident.Closed = &subconscious.Closure{At: noon}
			}
			keep(t, minds, db, incident)
			if c.command.Kind != "" {
				c.command.At = noon
				if c.command.By == "" {
					c.command.By = "person"
				}
				if _, err := minds.Enqueue(t.Context(), c.command); err != nil {
					t.Fatal(err)
				}
			}
			var got bool
			if err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
				got, err = minds.Answered(t.Context(), tx, incident.Key, "i-disk-1", "w-disk-1")
				return err
			}); err != nil || got != c.want {
				t.Errorf("answered: %v, %v", got, err)
			}
		})
	}
}
