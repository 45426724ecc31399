package screen

import (
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

const (
	blind  = "blind"
	failed = "failed"

	byRules   = "by rules" // a thread whose model did not answer
	byAnother = "stand-in" // a thread for which a fallback answered

	narrow = 60 // columns of a screen that has room for the commit alone

)

// Degraded lists what keeps a mind from thinking as it should, in plain words:
// blind senses, failed threads, roles whose model fails or cannot be asked,
// channels that fail, a heartbeat that does not arrive, backups and a document that are
// not made, and a last tick that did not commit.
func Degraded(s api.Status) []string {
	var reasons []string
	for _, sense := range s.Senses {
		if sense.State == blind {
			reasons = append(reasons, senseLabel(sense.Kind, sense.ID)+" is blind")
		}
	}
	for _, thread := range s.Threads {
		if thread.State == failed {
			reasons = append(reasons, clean(thread.Name)+" failed")
		}
	}
	if bad := troubles(s.Models); len(bad) > 0 {
		var roles []string
		for _, t := range bad {
			roles = append(roles, t.Roles...)
		}
		words := "the model of " + roles[0] + " fails"
		if len(roles) > 1 {
			words = "the models of " + some(roles, 4) + " fail"
		}
		reasons = append(reasons, words)
	}
	if mute := silentChannels(s.Channels); mute != "" {
		reasons = append(reasons, mute)
	}
	if s.Heartbeat != nil && s.Heartbeat.Error != "" {
		reasons = append(reasons, "the heartbeat does not arrive")
	}
	for _, n := range s.Notices {
		switch n.Code {
		case api.NoticeBackup:
			reasons = append(reasons, "the backup fails")
		case api.NoticeBackupCheck:
			reasons = append(reasons, "the backup is not whole")
		case api.NoticeConfiguration:
			if s.Configuration != nil && s.Configuration.Refused != "" {
				reasons = append(reasons, "the configuration on the disk is refused")
			}
		case api.NoticeUnpublished:
			reasons = append(reasons, "subconscious.json is not written")
		}
	}
	if s.Tick.Error != "" {
		reasons = append(reasons, "the last tick failed")
	}
	return reasons
}

// entries is one list of entries with its title.
type entries struct {
	Title   string
	Entries []subconscious.DocumentEntry
}

// status is what one screen about a mind has beside its answer.
func status(view View, s api.Status) any {
	if i := strings.LastIndexByte(s.Version, ' '); view.Width < narrow && i >= 0 {
		s.Version = s.Version[i+1:] // the commit alone
	}
	s.Threads = slices.Clone(s.Threads)
	reasons := map[string]string{}
	for i, t := range s.Threads {
		s.Threads[i].Reason = once(reasons, clean(t.Name), t.Reason)
	}
	doc := s.Subconscious
	lists := []entries{{"Following", doc.ActiveThreads}, {"Patterns", doc.Patterns}, {"Hunches", doc.Hunches}, {"Insights", doc.Insights}}
	var empty []string
	for _, l := range lists {
		if len(l.Entries) == 0 {
			empty = append(empty, strings.ToLower(l.Title))
		}
	}
	// What is being deliberated on is neither told nor kept back.
	kept, heard := part(doc.EscalationHistory, func(r subconscious.EscalationRecord) bool { return subconscious.OutcomeKind(r.Outcome).KeepsBack() })
	heard = slices.DeleteFunc(heard, func(r subconscious.EscalationRecord) bool { return r.Outcome == string(subconscious.OutcomePending) })
	bad, well := part(s.Channels, func(c api.ChannelStatus) bool {
		return c.State == "failing" || c.State == "resting" || c.AnswersError != "" || c.Flooded()
	})
	return struct {
		api.Status
		Reasons, Empty  []string
		Lists           []entries
		Heard, KeptBack []subconscious.EscalationRecord
		Troubled        []api.ChannelStatus
		Well            []string
		Troubles        []trouble
	}{s, Degraded(s), empty, lists, heard, kept, bad, channelNames(well), troubles(s.Models)}
}

// modelWords says of models that can be asked whether they ever were.
func modelWords(models []api.ModelStatus) string {
	unused := func(m api.ModelStatus) bool { return m.State == api.ModelUnused }
	asked := modelNames(slices.DeleteFunc(slices.Clone(models), unused))
	others := slices.DeleteFunc(modelNames(models), func(name string) bool { return slices.Contains(asked, name) })
	var parts []string
	if len(asked) > 0 {
		parts = append(parts, "well: "+some(asked, 3))
	}
	if len(others) > 0 {
		parts = append(parts, "not yet asked: "+some(others, 3))
	}
	return strings.Join(parts, " · ")
}

// modelNames are the models that there are, each once, in order.
func modelNames(models []api.ModelStatus) []string {
	var names []string
	for _, m := range models {
		if name := identity(m.Provider, m.Model); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
