package archtest

import "slices"

// AnyTest are the packages that every test may import: they are there for
// tests, or, as the store, so small that a fake of them would be the same again.
func AnyTest() []string {
	return []string{"internal/testutil", "internal/testutil/...", "redact/redacttest", "store"}
}

// below are the packages that know the words of the mind, or nothing, and no more.
func below(more ...string) []string {
	return append([]string{"subconscious", "internal/lazy"}, more...)
}

// Rules is the table. More special patterns come first.
func Rules() []Rule {
	return slices.Concat(coreRules(), senseRules(), modelRules(), thinkingRules(), outerRules(), internalRules())
}

func coreRules() []Rule {
	return []Rule{
		{
			Packages: []string{"subconscious"}, StandardOnly: true, Pure: true,
			Reason: "everybody imports it, so what it imports everybody does: it has the standard library alone",
		}, {
			Packages: []string{"aggregator", "escalate", "presence"}, May: below(), StandardOnly: true, Pure: true,
			Reason: "what is kept, told or held depends on recorded inputs alone: nothing that does I/O is in its reach",
		}, {
			Packages: []string{"redact/redacttest"}, May: []string{"redact"}, TestOnly: true,
			Reason: "it plants secrets and finds them again, for tests of whatever they could leak to",
		}, {
			Packages: []string{"redact"}, May: []string{"internal/lazy"},
			Reason: "it stands before everything that stores or sends, and so knows none of it",
		}, {
			Packages: []string{"prompts"}, May: below("internal/trusted"),
			Reason: "a prompt is made of input structs of its own, so that it can be read and tested without the rest",
		}, {
			Packages: []string{"store"}, May: []string{"internal/failpoint", "internal/dates", "internal/trusted"},
			Reason: "it opens the database for packages that it does not know: they hand it their migrations",
		}, {
			Packages: []string{"store/mind"}, May: below("store", "redact", "internal/failpoint", "internal/trusted"),
			Reason: "it stores the words of the mind, and decides nothing",
		}, {
			Packages: []string{"budget", "notify", "router"}, May: below("store", "redact", "internal/failpoint", "internal/wake"), Tests: []string{"notify/notifytest"},
			Reason: "what it stores it stores by itself, and what it needs of others it declares as small interfaces",
		}, {
			Packages: []string{"memory", "memory/..."}, May: below("store", "redact", "internal/foreign", "internal/fulltext", "memory"),
			Reason: "memory outlives the models: an Embedder is its own interface",
		},
	}
}

func senseRules() []Rule {
	driver := below("senses", "senses/folder", "redact", "internal/foreign", "internal/watch", "internal/dates", "internal/links", "internal/prose", "internal/failpoint")
	return []Rule{
		{
			Packages: []string{"senses/sensetest"}, May: below("senses", "store", "internal/watch"), TestOnly: true,
			Reason: "the suite runs any sense through a real ledger, and knows no driver",
		}, {
			Packages: []string{"senses/mail/mailtest"},
			Reason:   "its server stands in for a real one, and knows no driver",
		}, {
			Packages: []string{"senses/mail/mailtest/dovecot"}, May: []string{"senses/mail/mailtest"}, TestOnly: true,
			Reason: "it starts a real server for tests, and knows no driver",
		}, {
			Packages: []string{"senses/mail/message"}, May: []string{"subconscious", "redact"},
			Reason: "it reads one message, and knows nothing of where it came from",
		}, {
			Packages: []string{"senses/mail/account"}, May: []string{"subconscious", "internal/secret", "internal/failpoint"}, Tests: []string{"senses/mail/mailtest", "senses/mail/mailtest/dovecot"},
			Reason: "it speaks IMAP, and knows nothing of what is looked for",
		}, {
			Packages: []string{"senses/mail"}, May: append(driver, "senses/mail/account", "senses/mail/message", "internal/secret", "internal/oauth"),
			Tests:  []string{"senses/sensetest", "senses/mail/mailtest", "senses/mail/mailtest/dovecot"},
			Reason: "a driver knows its parent and no sibling; it puts its own parts together",
		}, {
			Packages: []string{"senses/calendar"}, May: append(driver, "internal/secret", "internal/oauth"), Tests: []string{"senses/calendar/calendartest", "senses/sensetest"},
			Reason: "it expands every calendar, and knows none of the servers they come from",
		}, {
			Packages: []string{"senses/calendar/google"}, May: below("senses/calendar", "senses/calendar/google/access", "internal/oauth"), Tests: []string{"senses", "senses/calendar/calendartest", "senses/sensetest", "internal/oauth/oauthtest"},
			Reason: "it alone links Google's library: what the command line needs of an account is in its part access",
		}, {
			Packages: []string{"senses/calendar/google/access"}, May: below("senses/calendar", "redact", "internal/oauth"), Tests: []string{"internal/oauth/oauthtest"},
			Reason: "it asks an account plainly, so that whoever signs in or tries one links no library",
		}, {
			Packages: []string{"senses/calendar/calendartest"}, May: []string{"senses", "senses/sensetest"}, TestOnly: true,
			Reason: "it compares what any sense shows of a calendar, and knows no driver",
		}, {
			Packages: []string{"senses/calendar/*"}, May: below("senses", "senses/calendar", "redact", "internal/secret", "internal/oauth"), Tests: []string{"senses/calendar/calendartest", "senses/sensetest", "internal/oauth/oauthtest"},
			Reason: "it says what changed on a server, and nothing of what that means",
		}, {
			Packages: []string{"senses/source"}, May: append(driver, "store", "internal/program"), Tests: []string{"senses/sensetest"},
			Reason: "what is handed in to it it keeps by itself until a tick has taken it",
		}, {
			Packages: []string{"senses/folder"}, May: below("senses", "redact", "internal/watch"),
			Reason: "it is what the drivers of watched folders share, and knows none of them",
		}, {
			Packages: []string{"senses/*/..."}, May: driver, Tests: []string{"senses/sensetest"},
			Reason: "a driver knows its parent and no sibling, so that each can be understood, tested and left out alone",
		}, {
			Packages: []string{"senses"}, May: below("store", "redact", "internal/failpoint"), Tests: []string{"senses/sensetest"},
			Reason: "the parent of the drivers knows none of them: the daemon hands them to it",
		},
	}
}

func modelRules() []Rule {
	return []Rule{
		{
			Packages: []string{"models/modeltest/conformance"}, May: below("models", "models/modeltest"), TestOnly: true,
			Reason: "the suite runs any driver, and knows none",
		}, {
			Packages: []string{"models/modeltest", "models/modeltest/..."}, May: below("models"),
			Reason: "its servers stand in for any provider, and know no driver",
		}, {
			Packages: []string{"models/*"}, May: below("models", "budget", "redact", "internal/secret", "internal/failpoint"), Tests: []string{"models/modeltest", "models/modeltest/conformance"},
			Reason: "a driver knows its parent and no sibling; limits, budgets and retries are decorators around it",
		}, {
			Packages: []string{"models"}, May: below("redact", "budget", "internal/own", "internal/secret"), Tests: []string{"models/*", "prompts", "threads"},
			Reason: "the parent of the drivers knows none of them: the daemon hands them to it",
		}, {
			Packages: []string{"notify/ntfy/ntfytest"}, May: below("notify"),
			Reason: "its server stands in for a real one, and knows no driver",
		}, {
			Packages: []string{"notify/notifytest"}, May: below("notify", "store"), TestOnly: true,
			Reason: "the suite runs any channel, and knows no driver",
		}, {
			Packages: []string{"notify/*"}, May: below("notify", "redact", "internal/own", "internal/secret", "internal/failpoint", "internal/wake"), Tests: []string{"notify/notifytest", "notify/ntfy/ntfytest"},
			Reason: "a driver knows its parent and no sibling",
		}, {
			Packages: []string{"presence/*"}, May: below("presence"),
			Reason: "it asks the session what presence judges, and judges nothing",
		},
	}
}

func thinkingRules() []Rule {
	return []Rule{
		{
			Packages: []string{"threads/score"}, May: below(), StandardOnly: true, Pure: true,
			Reason: "a score is sums of whole numbers over what it is given",
		}, {
			Packages: []string{"threads/reflex"}, May: below("threads", "threads/score"), StandardOnly: true, Pure: true,
			Reason: "reflex thinking is rules over observations: no model, no I/O, no clock",
		}, {
			Packages: []string{"threads", "escalate/deliberate", "escalate/actions", "chat", "chat/..."},
			May: below("redact", "prompts", "models", "budget", "store", "aggregator", "escalate", "presence",
				"internal/foreign", "internal/watch", "internal/failpoint", "internal/fulltext", "internal/program", "internal/unseen", "internal/wake"), Tests: []string{"models/modeltest", "threads/reflex"},
			Reason: "what thinks sees the world through a snapshot: never the senses, and what it needs of its neighbours it declares as small interfaces",
		},
	}
}

func outerRules() []Rule {
	// owners have a Config.
	owners := below("aggregator", "api", "budget", "chat", "chat/...", "escalate", "escalate/...", "memory", "memory/...", "models", "models/*",
		"notify", "notify/*", "presence", "presence/*", "prompts", "redact", "router", "senses", "senses/*", "store", "store/mind", "threads", "threads/reflex", "threads/score")
	return []Rule{
		{
			Packages: []string{"api/apitest"}, May: below("aggregator", "api", "escalate", "escalate/actions", "memory", "models"), TestOnly: true,
			Reason: "it is a mind without a daemon, for tests of the API and of what calls it",
		}, {
			Packages: []string{"api/client"}, May: below("api"), Tests: []string{"api/apitest"},
			Reason: "a client knows what travels and nothing of the daemon",
		}, {
			Packages: []string{"api", "api/..."}, May: below("aggregator", "api", "api/web", "chat", "escalate", "escalate/actions", "memory", "models", "notify", "senses"), Tests: []string{"api/apitest"},
			Reason: "it serves interfaces that it declares itself, so that it can be served by anything, and the domain's own types travel",
		}, {
			Packages: []string{"setup", "setup/..."}, May: append(owners, "senses/mail/account", "senses/calendar/caldav", "senses/calendar/google/access", "internal/secret", "internal/oauth", "internal/trusted", "setup/..."), Tests: []string{"models/modeltest", "notify/ntfy/ntfytest", "senses/mail/mailtest", "internal/oauth/oauthtest"},
			Reason: "it fills the Config of every package, and runs none of them: daemon, commands and internals are out of its reach",
		}, {
			Packages: []string{"cmd/subconsciousctl", "cmd/subconsciousctl/..."},
			May:      below("api", "api/client", "setup", "setup/...", "prompts", "models/modeltest", "notify/ntfy/ntfytest", "store", "internal/unseen", "cmd/subconsciousctl/..."),
			Tests:    []string{"api/apitest", "daemon", "senses/mail/mailtest", "internal/oauth/oauthtest"},
			Reason:   "the command line talks to the daemon over its API; the types that travel, setup and the store, for restoring, are all else it knows",
		}, {
			Packages: []string{"cmd/subconsciousd"}, May: below("api", "daemon", "eval", "setup", "internal/unseen"),
			Tests:  []string{"api/client", "internal/failpoint", "notify/ntfy/ntfytest", "store", "store/mind"},
			Reason: "main parses flags, builds daemon.Options and returns an exit code: putting the parts together is the daemon's",
		}, {
			Packages: []string{"daemon/view"}, May: append(owners, "setup", "setup/live"),
			Reason: "what is read of a mind is read of values and stores: it knows neither the daemon nor the senses' drivers",
		}, {
			Packages: []string{"daemon/*/..."}, May: append(owners, "internal/foreign", "internal/watch", "internal/dates", "internal/failpoint"),
			Reason: "a part of the daemon does not know the whole",
		}, {
			Packages: []string{"daemon"}, May: append(owners, "senses/mail/account", "senses/mail/mailtest", "senses/calendar/*", "senses/calendar/google/access", "internal/foreign", "internal/watch", "internal/dates", "internal/failpoint", "internal/oauth", "internal/secret", "setup", "setup/...", "daemon/..."),
			Tests:  []string{"api/client", "api/apitest", "senses/sensetest", "models/modeltest", "notify/notifytest", "notify/ntfy/ntfytest", "internal/oauth/oauthtest"},
			Reason: "it puts everything together, and only commands, eval and tests know it",
		}, {
			Packages: []string{"eval", "eval/..."}, May: append(owners, "daemon", "setup", "eval/...", "api/client", "models/modeltest", "notify/ntfy/ntfytest", "senses/mail/mailtest", "senses/mail/message", "internal/foreign", "internal/prose", "internal/watch"),
			Tests:  []string{"internal/failpoint"},
			Reason: "it runs the whole, but no command of it",
		},
	}
}

func internalRules() []Rule {
	return []Rule{
		{
			Packages: []string{"internal/testutil", "internal/testutil/..."}, May: append(below("store", "senses", "threads"), "internal/testutil/..."), TestOnly: true,
			Reason: "it is shared by tests of the lower rooms, and so must not know the upper ones",
		}, {
			Packages: []string{"internal/foreign", "internal/watch", "internal/dates", "internal/lazy", "internal/fulltext", "internal/failpoint", "internal/own", "internal/program", "internal/trusted", "internal/unseen", "internal/wake"},
			Reason:   "drivers share it, so that it must know nothing of the mind",
		}, {
			Packages: []string{"internal/links", "internal/prose", "internal/secret"}, May: []string{"internal/dates", "internal/lazy"},
			Reason: "drivers share it, so that it must know nothing of the mind",
		}, {
			Packages: []string{"internal/oauth/oauthtest"}, TestOnly: true,
			Reason: "its provider stands in for a real one, and knows nothing of who signs in",
		}, {
			Packages: []string{"internal/oauth"}, May: []string{"internal/secret", "internal/lazy"}, Tests: []string{"internal/oauth/oauthtest"},
			Reason: "whoever signs in somewhere shares it, so that it must know nothing of the mind",
		}, {
			Packages: []string{"internal/archtest"},
			Reason:   "it judges the others by their source and imports none of them",
		}, {
			Packages: []string{"deploy"},
			Reason:   "service files are checked against systemd and launchd alone",
		}, {
			Packages: []string{"docs"},
			Reason:   "documents are checked against the tree and the built commands alone",
		},
	}
}
