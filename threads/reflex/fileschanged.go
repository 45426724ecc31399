package reflex

import (
	"path"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads/score"
)

// usualAfter is how many times within usualWithin make something usual.
const (
	usualAfter  = 3
	usualWithin = 7 * 24 * time.Hour
)

// usual reports whether the same happened often of late.
func (s *scene) usual(o subconscious.Observation) bool {
	n := 0
	for _, past := range s.field.History[o.Ref()] {
		if past.Seq != o.Seq && o.At.Sub(past.At) < usualWithin {
			n++
		}
	}
	return n >= usualAfter
}

// fileWords say what happened to a file or a folder; a note that follows says
// why it matters. What is no file of the sense files keeps its own words.
func fileWords(o subconscious.Observation, note string) string {
	from := o.Attrs["from"]
	subject, verb := name(strings.TrimSuffix(o.ID, "/")), ""
	folder := ""
	if strings.HasSuffix(o.ID, "/") {
		folder = "the folder "
	}
	switch o.Attrs["action"] {
	case "created":
		verb = "created"
	case "changed":
		verb = "saved"
	case "deleted":
		verb = "deleted"
	case "renamed":
		if from == "" {
			return say("%s%s was renamed%s", folder, subject, note)
		}
		if path.Dir(strings.TrimSuffix(from, "/")) == o.Attrs["dir"] {
			return say("%s%s was renamed from %s%s", folder, subject, name(path.Base(from)), note)
		}
		return say("%s%s was moved from %s%s", folder, subject, name(from), note)
	default:
		return say("%s%s", prose(o.Title), note)
	}
	return say("%s%s was %s%s", folder, subject, verb, note)
}

// changedFile is worth a word by the score of its features.
func changedFile(s *scene, o subconscious.Observation) noticed {
	f := score.File{Usual: s.usual(o)}
	kind, words := subconscious.KindAnomaly, ""
	switch what := decides(o); {
	case o.Attrs["action"] == "burst":
		f.Files, f.Deleted = count(o, "files"), count(o, "deleted")
		words = burstWords(o, f.Files)
	case on(o, "secret"):
		f.Secret, words = true, fileWords(o, ": it looks like a secret")
	case on(o, "config"):
		f.Config, f.Enters = true, what == whoLogsIn || what == whoMay
		words = fileWords(o, ": "+what)
	default:
		words = fileWords(o, "")
	}
	if f.Usual {
		kind = subconscious.KindObservation
	}
	return notice(kind, 0, words, o).judged(score.Files.Judge(f, 0))
}

// What files decide about others.
const (
	whoLogsIn = "it decides who may log in"
	whoMay    = "it decides who may do what"
)

// decides says what a file of configuration is about.
func decides(o subconscious.Observation) string {
	file := o.Attrs["path"]
	base, folder := path.Base(file), path.Base(path.Dir(file))
	switch {
	case base == "authorized_keys" || strings.HasPrefix(base, "sshd_config") || folder == "sshd_config.d":
		return whoLogsIn
	case base == "sudoers" || folder == "sudoers.d" || base == "passwd" || base == "group":
		return whoMay
	case strings.Contains(base, "cron") || strings.HasPrefix(folder, "cron"),
		folder == "LaunchAgents" || folder == "LaunchDaemons" || folder == "autostart",
		strings.HasSuffix(base, ".service") || strings.HasSuffix(base, ".timer") || strings.HasSuffix(base, ".socket"):
		return "it decides what runs by itself"
	case base == "hosts" || base == "resolv.conf" || base == "nsswitch.conf":
		return "it decides where names lead"
	case strings.HasPrefix(base, ".") || strings.HasSuffix(base, ".fish") || folder == "profile.d":
		return "programs read it when they start"
	}
	return "it decides what the machine does"
}

func burstWords(o subconscious.Observation, total int) string {
	folder, inFolder := strings.CutSuffix(o.ID, "/*")
	if !inFolder || total == 0 {
		return say("%s", prose(o.Title))
	}
	var parts []string
	for _, p := range [...][2]string{{"deleted", "deleted"}, {"changed", "saved"}, {"created", "created"}, {"renamed", "renamed"}} {
		if n := count(o, p[0]); n > 0 {
			parts = append(parts, number(n)+" "+p[1])
		}
	}
	where := "under"
	if o.Attrs["dir"] == "." {
		where = "directly in"
	}
	if len(parts) == 0 {
		return say("%s %s %s changed at once", plural(total, "file"), where, name(folder))
	}
	return say("%s %s %s changed at once: %s", plural(total, "file"), where, name(folder), strings.Join(parts, ", "))
}

// toldNote is what the person said by command. One with a date is a deadline.
func toldNote(s *scene, o subconscious.Observation) noticed {
	if !o.Due.IsZero() {
		return noticed{}
	}
	if o.Trust == subconscious.Agent {
		return notice(subconscious.KindObservation, 0, say("An agent noted: %s", prose(o.Title)), o).judged(score.Messages.Judge(score.Message{Mind: true, Told: true}, 0))
	}
	return notice(subconscious.KindObservation, 6, say("You noted: %s", prose(o.Title)), o)
}

// noter says whose a note is that was told by command.
func noter(o subconscious.Observation) string {
	if o.Trust == subconscious.Agent {
		return "an agent's"
	}
	return "your"
}
