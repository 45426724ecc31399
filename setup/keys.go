package setup

import "reflect"

// describeKey says in one sentence what a key is for, with its unit.
func describeKey(key string) string { return descriptions[key] }

// defaults are the default values by key, as they are written.
func defaults() map[string]any {
	values := map[string]any{}
	collect(values, "", reflect.ValueOf(*Default()), root())
	return values
}

func collect(values map[string]any, prefix string, v reflect.Value, s shape) {
	for _, f := range s.fields {
		key, field := join(prefix, f.key), v.Field(f.index)
		switch f.shape.kind {
		case object:
			if f.shape.optional {
				continue
			}
			collect(values, key, field, f.shape)
		case items, texts:
			if field.Len() == 0 {
				values[key] = []string{}
			}
		default:
			if unset(field) && field.Kind() == reflect.Pointer {
				continue
			}
			if value, err := plain(field, f.shape); err == nil {
				values[key] = value
			}
		}
	}
}

// descriptions are shown by the schema, and by editors that read it.
var descriptions = map[string]string{
	"state_dir":    "The folder of the mind; one daemon uses it at a time. Also --state-dir and SUBCONSCIOUS_STATE_DIR.",
	"schedule":     "When to tick: minute, hour, day of the month, month, day of the week, in the time zone.",
	"jitter":       "Put each scheduled tick off by a random time up to this: 0s to 5m.",
	"tick_timeout": "End a tick that takes longer, with what it has by then: 1s to 1h.",
	"timezone":     "A name of the IANA database, or local for the machine's own, looked up again at each tick.",

	"api":        "Where the API is served.",
	"api.listen": "Beside the unix socket in the state folder; empty: nowhere.",

	"log":        "What is logged and how.",
	"log.level":  "The least that is logged: debug, info, warn or error.",
	"log.format": "auto: text on a terminal, else JSON.",

	"senses": "What the mind looks at.",

	"senses.health":                      "This machine.",
	"senses.health.enabled":              "Whether to look at this machine at all.",
	"senses.health.disk":                 "How full disks are, in per cent of their size.",
	"senses.health.disk.warn":            "From here on it is worth telling, per cent used.",
	"senses.health.disk.critical":        "From here on it is urgent, per cent used.",
	"senses.health.disk.paths":           "Folders whose disks are watched, at most 32; none means all local disks.",
	"senses.health.inodes":               "How many of the files that fit on a disk there are, in per cent.",
	"senses.health.inodes.warn":          "Per cent used.",
	"senses.health.inodes.critical":      "Per cent used.",
	"senses.health.memory":               "Memory that programs hold, in per cent.",
	"senses.health.memory.warn":          "Per cent used.",
	"senses.health.memory.critical":      "Per cent used.",
	"senses.health.swap":                 "Swap in use, in per cent.",
	"senses.health.swap.warn":            "Per cent used.",
	"senses.health.swap.critical":        "Per cent used.",
	"senses.health.load":                 "Load of 15 minutes for each core: 100% is one waiting process a core.",
	"senses.health.load.warn":            "Per cent of one process a core.",
	"senses.health.load.critical":        "Per cent of one process a core.",
	"senses.health.temperature":          "The hottest of each sensor, in degrees Celsius.",
	"senses.health.temperature.warn":     "Degrees Celsius.",
	"senses.health.temperature.critical": "Degrees Celsius.",
	"senses.health.battery":              "Charge that is left while discharging, in per cent; warn lies above critical.",
	"senses.health.battery.warn":         "Per cent left.",
	"senses.health.battery.critical":     "Per cent left.",
	"senses.health.units":                "Whether to look at failed systemd units and restart loops, where systemd runs.",
	"senses.health.restarts":             "What counts as a restart loop.",
	"senses.health.restarts.count":       "So many restarts: 2 to 1000.",
	"senses.health.restarts.within":      "Within so long: 5m to 24h.",
	"senses.health.clock":                "Whether to look at how far the clock is off, where a time service says so.",

	"senses.files":          "Folders whose files are watched; what happens in them is noticed, their first content is not.",
	"senses.files[].id":     "A short name, unique among the files.",
	"senses.files[].path":   "The folder, with all folders below it.",
	"senses.files[].ignore": "What to leave out, as in a .gitignore file; .gitignore files in the folder count too.",
	"senses.files[].trust":  "Whose word the files are: owner, machine, agent or outsider (the default).",

	"senses.notes":          "Folders of notes in Markdown: promises, dates and changes in them are noticed.",
	"senses.notes[].id":     "A short name, unique among the notes.",
	"senses.notes[].path":   "The folder, with all folders below it.",
	"senses.notes[].ignore": "What to leave out, as in a .gitignore file.",
	"senses.notes[].trust":  "Whose word the notes are: owner (the default), machine, agent or outsider.",

	"senses.calendar":             "Calendars: what lies ahead, clashes, and changes.",
	"senses.calendar[].id":        "A short name, unique among the calendars.",
	"senses.calendar[].ics":       "The path of an iCalendar file (.ics), at most 16 MiB.",
	"senses.calendar[].addresses": "Your mail addresses, to tell which of those invited is you.",
	"senses.calendar[].trust":     "Whose word the calendar is: owner, machine, agent or outsider (the default).",

	"senses.mail":                       "Mail accounts over IMAP: what arrives, what it asks of you, what you promised. Nothing is changed there, nothing is marked as read.",
	"senses.mail[].id":                  "A short name, unique among the accounts.",
	"senses.mail[].host":                "The name of the IMAP server, such as imap.example.com.",
	"senses.mail[].port":                "Its port; 0 or left out: 993 with tls, 143 with the others.",
	"senses.mail[].security":            "How the connection is protected: tls (the default), starttls, or none, which is for a server on this machine alone.",
	"senses.mail[].ca_file":             "A PEM file of the authority that signed the server's certificate; empty: those of the system.",
	"senses.mail[].user":                "The name to sign in with, mostly the mail address.",
	"senses.mail[].password_env":        "The variable that holds the password, mostly an app password.",
	"senses.mail[].password_file":       "A file whose first line is the password, readable by you alone (0600).",
	"senses.mail[].password_keyring":    "The keyring's entry that holds the password: SERVICE/USER.",
	"senses.mail[].password_credential": "The systemd credential that holds the password: a file of $CREDENTIALS_DIRECTORY.",
	"senses.mail[].addresses":           "Your own addresses, to tell what is written to you; left out: user.",
	"senses.mail[].folders":             "The folders that are looked at, as the server writes them; left out: INBOX.",
	"senses.mail[].sent":                "The folder of what you sent; left out: the one that the server marks so, or is usually called so; none: it is not looked at.",
	"senses.mail[].look_back":           "How old a message may be that the first look reports: 1h to 2160h; 0s or left out: 336h, which is 14 days.",
	"senses.mail[].idle":                "Whether the server is asked to say when mail comes; false: it is seen at the next tick. Left out: true.",

	"senses.mail[].oauth":                          "How to sign in by the browser, instead of a password: subconsciousctl auth mail ID.",
	"senses.mail[].oauth.provider":                 "google, microsoft or custom.",
	"senses.mail[].oauth.mechanism":                "How the token is sent, oauthbearer or xoauth2; left out: what the server offers.",
	"senses.mail[].oauth.client_id":                "The id of the client that you registered with the provider, as a desktop application.",
	"senses.mail[].oauth.client_secret_env":        "The variable that holds the secret of that client, where the provider gave one.",
	"senses.mail[].oauth.client_secret_file":       "A file whose first line is that secret, readable by you alone (0600).",
	"senses.mail[].oauth.client_secret_keyring":    "The keyring's entry that holds that secret: SERVICE/USER.",
	"senses.mail[].oauth.client_secret_credential": "The systemd credential that holds that secret.",
	"senses.mail[].oauth.auth_url":                 "Where one signs in at a custom provider; https, or http on this machine.",
	"senses.mail[].oauth.token_url":                "Where a custom provider gives tokens; https, or http on this machine.",
	"senses.mail[].oauth.scopes":                   "What a custom provider calls the right to read mail over IMAP.",

	"senses.conversation":          "Folders of transcripts that agents write (JSON lines, Markdown); the mind's own conversations are always looked at.",
	"senses.conversation[].id":     "A short name, unique among the folders; chat is that of the mind's own.",
	"senses.conversation[].path":   "The folder, with all folders below it.",
	"senses.conversation[].ignore": "What to leave out, as in a .gitignore file.",
	"senses.conversation[].trust":  "Whose word it is what the transcripts give as yours: agent (the default, since any program may write there), owner or outsider.",

	"deliberation":                   "How a frontier model deliberates on what is to be told, where one is there: see models.roles.",
	"deliberation.enabled":           "Whether a model is asked at all; false: you are told in the words of the rules.",
	"deliberation.rounds":            "How often a model may answer in one deliberation: 1 to 8.",
	"deliberation.deadline":          "How long one may take: 30s to 15m. After it you are told in the words of the rules.",
	"deliberation.critical_deadline": "The same for what is critical: 5s to 3m.",
	"deliberation.max_cost":          "What one may cost, in US dollars; taken off the budget before its first call. 0: only free models are asked.",

	"actions":                        "What a deliberation may ask to have done, by name; none by default. See docs/actions.md.",
	"actions[].id":                   "Its name: a-z, 0-9 and -, beginning with a letter.",
	"actions[].description":          "When to use it, for models and for you.",
	"actions[].command":              "The program and its arguments, one by one and never a shell line; {name} stands for a parameter.",
	"actions[].params":               "What the arguments are made of.",
	"actions[].params[].id":          "Its name in the command: a-z, 0-9 and _.",
	"actions[].params[].type":        "text (the default), integer, number, boolean, choice, date (YYYY-MM-DD) or path.",
	"actions[].params[].description": "What it means, for models and for you.",
	"actions[].params[].optional":    "Whether it may be left out.",
	"actions[].params[].max_length":  "The longest text, in characters; left out: 1000.",
	"actions[].params[].multiline":   "Whether a text may have line ends and tabs.",
	"actions[].params[].pattern":     "A regular expression (RE2) that the whole of a text must match.",
	"actions[].params[].min":         "The least number.",
	"actions[].params[].max":         "The greatest number.",
	"actions[].params[].choices":     "The values of a choice.",
	"actions[].params[].root":        "The folder of a path, which cannot lead out of it.",
	"actions[].folder":               "Where the program runs; left out: your home folder.",
	"actions[].timeout":              "After how long it is ended, with all that it started: 1s to 10m; left out: 30s.",
	"actions[].env":                  "Names of variables that it gets, beside PATH, HOME, LANG and TZ.",
	"actions[].approval":             "When it waits for you: always (the default), tainted (where a word of a stranger or an agent was shown) or never (only where a stranger's was).",
	"actions[].undo":                 "The program and arguments that take it back, offered for 10 minutes.",
	"actions[].per_hour":             "How often it may run within any hour; left out: 6.",
	"actions[].per_day":              "How often it may run within any 24 hours; left out: 24.",
	"actions[].max_output":           "How many bytes of its output are kept; left out: 16384.",

	"models":         "Which models think, where they are, and what they are told.",
	"models.preset":  "Who thinks: reflex (rules, no model), free (GLM-4.7-Flash of Z.AI), four-vendors (one for each thread), local (Ollama).",
	"models.gate":    "When a thread thinks: adaptive (something is new to it, or long nothing was), changed (something is new to it), always.",
	"models.timeout": "How long one attempt at an answer may take; never longer than the thread's own deadline.",

	"models.providers":                  "Accounts and servers of your own; what is left out, the vendor's preset fills in.",
	"models.providers[].id":             "A short name, unique among the providers; that of a vendor takes its preset.",
	"models.providers[].vendor":         "Whose preset fills what is left out; without it, that of the id.",
	"models.providers[].kind":           "The protocol: openai (any compatible endpoint) or anthropic.",
	"models.providers[].base_url":       "The address, up to what stands before /chat/completions; https, or http on this machine and its network.",
	"models.providers[].key_env":        "The variable that holds the key; without any key_… the vendor's own is looked up.",
	"models.providers[].key_file":       "A file whose first line is the key, readable by you alone (0600).",
	"models.providers[].key_keyring":    "The keyring's entry that holds the key: SERVICE/USER.",
	"models.providers[].key_credential": "The systemd credential that holds the key: a file of $CREDENTIALS_DIRECTORY.",
	"models.providers[].local":          "It costs nothing and is given plain text, secrets and names included: for servers of your own alone.",
	"models.providers[].schema":         "What it enforces of an answer's shape: json_schema, json_object or none; answers are checked here always.",

	"models.roles":               "Which model has which role, on top of the preset.",
	"models.roles[].id":          "watcher, librarian, oracle, dreamer, chat, fast, reasoning, extraction, synthesis, deliberation or embedding.",
	"models.roles[].provider":    "The id of a provider, or the name of a vendor.",
	"models.roles[].model":       "The model, as the provider calls it.",
	"models.roles[].temperature": "How freely it answers, 0 to 2; without it the role's own.",
	"models.roles[].max_tokens":  "The most tokens of an answer, thinking included; 0 is the role's own.",
	"models.roles[].thinking":    "How many of them it may think, in tokens; 0 is the role's own, -1 is none.",
	"models.roles[].fallbacks":   "Who is asked, in order, where the model fails: PROVIDER/MODEL. None is asked that is not listed here.",
	"models.roles[].accepts":     "Further names under which the model may answer; an answer under any other is thrown away.",

	"models.prices":            "What models cost, where the list that is shipped is silent or wrong.",
	"models.prices[].provider": "The id of a provider, or the name of a vendor.",
	"models.prices[].model":    "The model, as the provider calls it.",
	"models.prices[].input":    "US dollars for a million tokens that it takes in.",
	"models.prices[].output":   "US dollars for a million tokens that it gives out.",
	"models.prices[].cached":   "US dollars for a million tokens of input that the provider had kept; 0 is the price of input.",
	"models.prices[].written":  "US dollars for a million tokens of input that the provider is asked to keep; 0 is the price of input.",

	"models.privacy":                "What of you remote models are not told, beside secrets: placeholders stand for it, and are put back in the answer.",
	"models.privacy.mail_addresses": "Whether mail addresses are replaced.",
	"models.privacy.phone_numbers":  "Whether phone numbers are replaced.",
	"models.privacy.contacts":       "A vCard file, or one name a line: these names are replaced. Empty: none.",

	"budget":                           "What models may cost, and how often you may be told: hard limits. 0 lets nothing through; -1 is no limit, for models alone.",
	"budget.money_per_day":             "US dollars a day, in the time zone.",
	"budget.money_per_month":           "US dollars a calendar month.",
	"budget.calls_per_day":             "Calls to models a day.",
	"budget.tokens_per_day":            "Tokens a day, taken in and given out.",
	"budget.exploration_calls_per_day": "How often a day threads may ask a model although nothing in their field is new; 0: never.",
	"budget.notifications_per_day":     "How often a day you may be told, digests and reminders included: 0 to 200.",
	"budget.escalations_per_hour":      "How often within 60 minutes you may be told: 0 to 200.",
	"budget.notices_per_day":           "How often a day the daemon may tell you of its own troubles: 0 to 200.",
	"budget.threads":                   "Limits for one thread or role, beside those of all.",
	"budget.threads[].id":              "A thread or another role: watcher, librarian, oracle, dreamer, chat, deliberation, …",
	"budget.threads[].money_per_day":   "US dollars a day; left out: no limit of its own.",
	"budget.threads[].calls_per_day":   "Calls to models a day; left out: no limit of its own.",
	"budget.threads[].tokens_per_day":  "Tokens a day; left out: no limit of its own.",

	"threads":            "The threads of thought.",
	"threads.deadline":   "How long one thread may think in a tick: 100ms to 10m, and not longer than tick_timeout.",
	"threads.night":      "When the watcher and the librarian think at every other scheduled tick alone; from = to: never.",
	"threads.night.from": "Time of day, in the time zone.",
	"threads.night.to":   "Time of day, in the time zone.",

	"mechanics":                    "What is kept and for how long. The defaults are good; tests hold for them.",
	"mechanics.active_threads":     "How many entries are followed at once: 1 to 5.",
	"mechanics.patterns":           "How many patterns are kept: 1 to 5.",
	"mechanics.hunches":            "How many hunches are kept: 1 to 5.",
	"mechanics.insights":           "How many insights are kept: 1 to 3.",
	"mechanics.parked":             "How many entries wait for room in a full list: 0 to 50.",
	"mechanics.start_strength":     "The strength of what is new: 1 to 10.",
	"mechanics.gain":               "What new evidence adds to the strength: 1 to 10.",
	"mechanics.gain_two_threads":   "What it adds where two threads bring different new evidence: 1 to 10.",
	"mechanics.gain_better":        "What it adds where the change is for the better: 0 to 10.",
	"mechanics.min_importance":     "The least importance that is taken in: 1 to 10.",
	"mechanics.insight_importance": "The least importance that can become an insight: 1 to 10.",
	"mechanics.insight_days":       "On how many days there must be evidence for an insight: 1 to 8.",
	"mechanics.insight_changes":    "How many changes there must be for an insight: 1 to 100.",
	"mechanics.close_for":          "How long something stays closed that was a moment's: 1h to 8784h.",
	"mechanics.focus_for":          "How long a focus that you set lasts: 1m to 8784h.",
	"mechanics.max_tokens":         "The size of subconscious.json, in estimated tokens: 200 to 2000.",

	"quiet_hours":      "When nothing but what is critical is told; from = to: never.",
	"quiet_hours.from": "Time of day, in the time zone.",
	"quiet_hours.to":   "Time of day, in the time zone.",

	"escalation":               "When you are told, later or never.",
	"escalation.cooldown":      "The least time between two messages about the same thing: 0s to 168h.",
	"escalation.push_from":     "The least confidence, 0 to 1, for a message of its own.",
	"escalation.digest_from":   "The least confidence, 0 to 1, for a place in the daily digest.",
	"escalation.digest":        "When what is not worth a message of its own is told together.",
	"escalation.digest.daily":  "Time of day, in the time zone; empty: no daily digest.",
	"escalation.digest.weekly": "Day and time, such as \"sun 18:00\"; empty: no weekly digest.",
	"escalation.critical":      "What may be told in quiet hours: disk, unit, machine, event, deadline.",
	"escalation.hold_engaged":  "How long what is not urgent waits at most while you type: 0s to 24h.",
	"escalation.hold_busy":     "How long what is not urgent waits at most through a meeting: 0s to 24h.",
	"presence":                 "What tells a good moment from a bad one; none of it is stored or sent.",
	"presence.session":         "Whether to look at this machine's session: locked, idle, in use.",
	"presence.calendar":        "Whether to look at the calendar: in a meeting.",
	"presence.command_line":    "Whether to look at your own commands: looking just now.",

	"notify":           "The channels over which you are told. Without any, what is told waits in the inbox.",
	"notify[].id":      "A short name, unique among the channels, such as phone.",
	"notify[].content": "What it may carry: full, title, or none (that there is something, and its id). Left out: full where nobody else can read it, else title.",

	"notify[].ntfy":                     "A topic of an ntfy server, to which a phone subscribes.",
	"notify[].ntfy.url":                 "The address of the server, without the topic; https, or http on this machine and its network.",
	"notify[].ntfy.topic":               "The topic. Whoever knows it can read along: take one that nobody guesses.",
	"notify[].ntfy.token_env":           "The variable that holds the access token, where the server wants one.",
	"notify[].ntfy.token_file":          "A file whose first line is the token, readable by you alone (0600).",
	"notify[].ntfy.token_keyring":       "The keyring's entry that holds the token: SERVICE/USER.",
	"notify[].ntfy.token_credential":    "The systemd credential that holds the token.",
	"notify[].ntfy.username":            "The account, where the server wants a password instead.",
	"notify[].ntfy.password_env":        "The variable that holds the password.",
	"notify[].ntfy.password_file":       "A file whose first line is the password, readable by you alone (0600).",
	"notify[].ntfy.password_keyring":    "The keyring's entry that holds the password: SERVICE/USER.",
	"notify[].ntfy.password_credential": "The systemd credential that holds the password.",
	"notify[].ntfy.replies":             "Whether messages have buttons, whose answers come back over the reply topic.",
	"notify[].ntfy.reply_topic":         "Where answers come back; left out: a random topic that the mind keeps.",

	"notify[].shoutrrr":                "Any service that shoutrrr knows: Telegram, Signal, mail, and so on. No buttons.",
	"notify[].shoutrrr.url_env":        "The variable that holds the address of the service, which has secrets in it.",
	"notify[].shoutrrr.url_file":       "A file whose first line is the address, readable by you alone (0600).",
	"notify[].shoutrrr.url_keyring":    "The keyring's entry that holds the address: SERVICE/USER.",
	"notify[].shoutrrr.url_credential": "The systemd credential that holds the address.",

	"notify[].desktop": "The notifications of this machine's desktop; it has no keys: {}.",
	"notify[].stdout":  "Lines on the daemon's standard output; it has no keys: {}.",

	"escalation.notice_after": "How long the daemon waits before it tells of its own troubles: 0s to 168h.",
}
