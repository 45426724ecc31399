package reflex

import (
	"slices"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/threads"
)

// Rule is one way of noticing something.
type Rule struct {
	// Name is unique: "watcher.machine". It is recorded with each finding.
	Name string
	// Doc says in a sentence what it notices, and Example is what it writes in
	// the case that testdata/example.NAME.txtar describes.
	Doc, Example string
	// Low and High bound the importance of its findings.
	Low, High int

	// fact says of what is new whether the rule judges it at every tick, whoever
	// else thinks; nil means nothing.
	fact func(subconscious.Observation) bool
	find func(*scene) []noticed
	// over reports whether an entry that rests on this rule, all of whose
	// evidence still stands, is no longer so; nil means never.
	over func(*scene, subconscious.Entry) bool
}

// Rules returns the rules of a thread, in the order in which they are tried.
func Rules(thread subconscious.ThreadName) []Rule {
	switch thread {
	case subconscious.Watcher:
		return watcherRules()
	case subconscious.Librarian:
		return librarianRules()
	case subconscious.Oracle:
		return oracleRules()
	case subconscious.Dreamer:
		return dreamerRules()
	}
	return nil
}

// isCritical: a part of the machine is in its critical band.
func isCritical(o subconscious.Observation) bool {
	return o.Stands() && o.Severity >= subconscious.Critical
}

func isEvent(o subconscious.Observation) bool { return o.Sense == "calendar" }

// isOwn: the person wrote it down, told the mind, or promised it.
func isOwn(o subconscious.Observation) bool {
	return o.Trust == subconscious.Owner || threads.OwnMail(o) || saidPromise(o) && o.Trust != subconscious.Outsider
}

func watcherRules() []Rule {
	return []Rule{
		{
			Name: "watcher.machine", Low: 4, High: 9, find: machine, fact: isCritical,
			Doc:     "A part of the machine is over its threshold, has failed, keeps crashing, or will be full within a day.",
			Example: "Disk /var is 88% full: 6.1 GB left, full at about Mon 23 Nov 17:40",
		}, {
			Name: "watcher.secret", Low: 4, High: 6, find: secretFiles,
			Doc:     "A file that looks like a secret was touched.",
			Example: "work/.env was saved: it looks like a secret",
		}, {
			Name: "watcher.config", Low: 4, High: 7, find: configFiles,
			Doc:     "A file was touched that decides what a machine does or who may enter it.",
			Example: "home/.ssh/authorized_keys was saved: it decides who may log in",
		}, {
			Name: "watcher.burst", Low: 3, High: 7, find: bursts,
			Doc:     "Many files changed at once, more than usual there; most of all where they were deleted.",
			Example: "4,012 files under work/photos changed at once: 4,000 deleted, 12 saved",
		}, {
			Name: "watcher.file", Low: 3, High: 3, find: plainFiles,
			Doc:     "A file or folder was created, saved, renamed, moved or deleted.",
			Example: "work/report.md was saved",
		}, {
			Name: "watcher.moved", Low: 5, High: 7, find: movedEvents, over: movedOver,
			Doc:     "An event that was known has another time.",
			Example: "Planning moved from Mon 23 Nov 10:00 to Tue 24 Nov 11:00",
		}, {
			Name: "watcher.note", Low: 6, High: 6, find: toldNotes,
			Doc:     "The person told the mind something without a date.",
			Example: "You noted: the boiler makes a noise",
		}, {
			Name: "watcher.mail", Low: 3, High: 8, find: letters, over: lettersOver,
			Doc:     "A mail to the person asks something, answers what they asked, is urgent, or comes from somebody they write to. Nothing of lists, bulk senders, machines and junk; of strangers what they ask, and it is never told at once for their words.",
			Example: "Request from Ines Duarte, due Fri 27 Nov: Contract for signature",
		},
	}
}

func librarianRules() []Rule {
	return []Rule{
		{
			Name: "librarian.pattern", Low: 6, High: 6, find: patterns,
			Doc:     "The same thing went wrong on three days or more; with its rhythm.",
			Example: "backup.service fails every Monday at about 02:00, since 9 Nov",
		}, {
			Name: "librarian.forgotten", Low: 4, High: 5, find: forgotten, over: forgottenOver,
			Doc:     "Something open in the notes, or promised in a conversation, has no date and has been so for long. Looked for when little else is new.",
			Example: "Open since Tue 3 Nov: renew the domain example.org",
		}, {
			Name: "librarian.quiet", Low: 4, High: 5, find: quiet, over: forgottenOver,
			Doc:     "A note or a conversation holds several open things, and nothing has come of them for long. Looked for when little else is new.",
			Example: "garden.md has gone quiet: 4 things open, the oldest since Tue 3 Nov: order the seeds",
		}, {
			Name: "librarian.connection", Low: 4, High: 5, find: noteConnections, over: connectionOver,
			Doc:     "A new note, mail or word in a conversation speaks of the same thing as an event, another sense's words or a part of the machine: a rare word or a link. Where a link joins note, mail and event, all three.",
			Example: `"lighthouse" links the note "bring the lighthouse drawings" and Lighthouse review on Wed 25 Nov`,
		}, {
			Name: "librarian.awaiting", Low: 4, High: 5, find: unansweredMail,
			Doc:     "What the person asked in a mail has had no answer for three working days.",
			Example: "No answer from Ines Duarte since Tue 17 Nov: may we have the plan of the roof?",
		}, {
			Name: "librarian.promised", Low: 4, High: 5, find: promisedMail, over: promisedOver,
			Doc:     "The person promised something in a mail, without a date, and has not written in that thread for three working days.",
			Example: "Promised to Ines Duarte on Tue 17 Nov, and open: I will ask the office",
		}, {
			Name: "librarian.asked", Low: 3, High: 5, find: askedByAgents,
			Doc:     "An agent asked the person something in a conversation, and the person has not written there since. It counts most in the mind's own conversations, from where it goes into the next digest.",
			Example: "Unanswered in roof: codex asks: Shall I merge the branch?",
		},
	}
}

func oracleRules() []Rule {
	return []Rule{
		{
			Name: "oracle.event", Low: 2, High: 7, find: events, over: eventOver,
			Doc:     "An event comes near. It counts too little to be kept until its last two hours, an all-day one until the evening before, and little beside a clash that tells of it, unless the person dismissed that.",
			Example: "Dentist, Mon 23 Nov 10:30–11:00 (Harbour Street 12)",
		}, {
			Name: "oracle.clash", Low: 3, High: 7, find: clashes, over: clashOver, fact: isEvent,
			Doc:     "Two events overlap, and the person is expected at both.",
			Example: "Clash on Mon 23 Nov: Review 10:00–10:45 and Dentist 10:20–10:50",
		}, {
			Name: "oracle.gap", Low: 3, High: 6, find: gaps, over: gapOver,
			Doc:     "Two events in different places follow each other too closely to get from one to the other.",
			Example: "Only 5 minutes from Review (Station Road 3) to Dentist (Harbour Street 12): Mon 23 Nov 10:45–10:50",
		}, {
			Name: "oracle.zone", Low: 4, High: 4, find: zones, over: zoneOver,
			Doc:     "A single event of the next day is given in a zone where the clock shows another time.",
			Example: "Call, Mon 23 Nov 15:00 here, is 09:00 in New York",
		}, {
			Name: "oracle.clocks", Low: 5, High: 6, find: clockChanges,
			Doc:     "A recurring event of another zone is at another time than usual here, since the clocks change on different days.",
			Example: "Call, Mon 9 Mar 14:00–14:30, is an hour earlier here than before: the clocks changed in New York",
		}, {
			Name: "oracle.unusual", Low: 4, High: 6, find: unusual, over: unusualOver,
			Doc:     "A recurring event is off its usual time.",
			Example: "Team meeting is on Tue 24 Nov 14:00, not on Mon 23 Nov 10:00 as usual",
		}, {
			Name: "oracle.unanswered", Low: 4, High: 5, find: unanswered, over: unansweredOver,
			Doc:     "An invitation of the next three days has no answer.",
			Example: "Invitation not answered: Budget review, Tue 24 Nov 14:00–15:00",
		}, {
			Name: "oracle.preparation", Low: 5, High: 8, find: preparations, over: preparationOver,
			Doc:     "Something open in the notes, promised in a mail or asked by somebody the person writes to has to do with an event of the next three days.",
			Example: "Before Lighthouse review, Mon 23 Nov 14:00: ask the office for the projector of the lighthouse",
		}, {
			Name: "oracle.deadline", Low: 3, High: 8, find: deadlines, over: deadlineOver, fact: isOwn,
			Doc:     "Something promised in notes or conversations, or promised, asked or set in a mail, has a date: when it is written, whatever the date, as it comes near, and when it has passed. What a stranger asks counts at most 4, or 7 where the person's notes or events name the domain that it comes from; what an office or a machine sets 5, and 7 where the person's notes, events or promises name its number; what was sent to many and names neither number nor amount, 3.",
			Example: "Due Fri 27 Nov: I will send the report",
		}, {
			Name: "oracle.appointment", Low: 4, High: 7, find: mailedAppointments, over: mailedOver,
			Doc:     "A mail confirms an appointment that the calendar does not hold; more where it meets an event.",
			Example: "Not in your calendar: Dental practice (example.org), Tue 24 Nov 10:30: Your appointment",
		},
	}
}

func dreamerRules() []Rule {
	return []Rule{
		{
			Name: "dreamer.connection", Low: 3, High: 4, find: wildConnections, over: connectionOver,
			Doc:     "Two observations of different senses, never seen together before, share a rare word or a link.",
			Example: `"lighthouse" links work/lighthouse-budget.csv and Lighthouse review on Mon 23 Nov`,
		},
	}
}

// over names the incidents of entries that rest on one of the rules alone and
// that are no longer so. Entries whose evidence is gone end by themselves.
func (s *scene) over(rules []Rule) (keys []subconscious.IncidentKey) {
	for _, e := range s.entries {
		if !slices.Equal(e.Sources, []subconscious.ThreadName{s.thread}) || e.Over {
			continue
		}
		for _, rule := range rules {
			if rule.Name == e.Rule && rule.over != nil && rule.over(s, e) {
				keys = append(keys, e.Incident)
			}
		}
	}
	return keys
}
