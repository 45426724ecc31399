package threads

import (
	"net/mail"
	"slices"
	"strings"

	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// Source is one whose words a tool showed.
type Source struct {
	Trust subconscious.Trust
	// Ref is the observation that they were read in; "" where there is none, or
	// where it is not known whose words they are.
	Ref subconscious.Ref
	// Voice is who speaks (see VoiceOf); "" where that is not known.
	Voice string
	// Tool is the tool's name.
	Tool string
}

// VoiceOf says who speaks in an observation, as far as that is known: the
// sender's address of a mail, in lower case, unless it is known to be forged;
// "organizer " and the organizer of an event, since whoever invites names them
// without a proof; else "".
func VoiceOf(o subconscious.Observation) string {
	switch {
	case o.Sense == "mail" && o.Attrs["forged"] != "true":
		return voice(o.Attrs["from"])
	case o.Sense != "calendar":
		return ""
	}
	for _, link := range o.Links {
		if address, ok := strings.CutPrefix(link, "addr:"); ok {
			return "organizer " + voice(address)
		}
	}
	if name := voice(o.Attrs["organizer"]); name != "" {
		return "organizer " + name
	}
	return ""
}

// maxVoice bounds a voice, in bytes. What is longer is nobody's.
const maxVoice = 254

func voice(name string) string {
	if name = strings.ToLower(strings.TrimSpace(subconscious.Printable(name))); len(name) > maxVoice {
		return ""
	}
	return name
}

// voiceOf says who wrote a mail: as the sense says, where the observation stands.
func voiceOf(world subconscious.World, ref subconscious.Ref, m Mail) string {
	if world != nil {
		if o, stands := world.Get(ref); stands {
			return VoiceOf(o)
		}
	}
	if len(m.From) > mailLine {
		return ""
	}
	if address, err := mail.ParseAddress(m.From); err == nil {
		return voice(address.Address)
	}
	return ""
}

// modelRule begins the rule of a finding that a model made.
const modelRule = "model "

// SourcesOf are those whose words stand in an entry. They are the person's and
// the machine's alone where a rule wrote it and all that it rests on stands and
// is theirs. Else it counts as an outsider's, and of no observation: whoever
// wrote it may have read anything. So it does where the entry holds as much as
// it can, since what its words rest on may be no more among that.
func SourcesOf(e subconscious.Entry, world subconscious.World) []Source {
	unknown := []Source{{Trust: subconscious.Outsider}}
	if e.Rule == "" || strings.HasPrefix(e.Rule, modelRule) || len(e.Evidence) == 0 || len(e.Evidence) >= subconscious.MaxHeld || world == nil {
		return unknown
	}
	var sources []Source
	for _, held := range e.Evidence {
		o, stands := world.Get(held.Ref)
		if !stands || prompts.Untrusted(o.Trust) {
			return unknown
		}
		sources = append(sources, Source{Trust: o.Trust, Ref: held.Ref})
	}
	return sources
}

// sourcesOf are those whose words stand in a result.
func sourcesOf(shown prompts.Result, world subconscious.World) []Source {
	var all []Source
	add := func(more ...Source) {
		for _, s := range more {
			switch s.Trust {
			case subconscious.Owner, subconscious.Machine, subconscious.Agent:
			default:
				s.Trust = subconscious.Outsider
			}
			if s.Tool = shown.Tool; !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	for _, e := range slices.Concat(shown.Entries, shown.Parked) {
		add(SourcesOf(e, world)...)
	}
	if len(shown.Told) > 0 {
		add(Source{}) // what came of it may be in a model's words
	}
	for _, o := range shown.Observations {
		add(Source{Trust: o.Trust, Ref: o.Ref(), Voice: VoiceOf(o)})
	}
	for _, e := range slices.Concat(shown.Excerpts, shown.Quoted) {
		add(Source{Trust: e.Trust, Ref: e.Ref, Voice: e.Voice})
	}
	return all
}
