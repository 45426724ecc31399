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

	"models":        "Thinking.",
	"models.preset": "Who thinks: reflex, which is rules without any model.",
	"models.gate":   "When a thread thinks: adaptive (something is new to it, or long nothing was), changed (something is new to it), always.",

	"threads":            "The threads of thought.",
	"threads.deadline":   "How long one thread may think in a tick: 100ms to 10m, and not longer than tick_timeout.",
	"threads.night":      "When the watcher and the librarian think at every other scheduled tick alone; from = to: never.",
	"threads.night.from": "Time of day, in the time zone.",
	"threads.night.to":   "Time of day, in the time zone.",

	"mechanics":                    "What is kept and for how long. The defaults are good; tests hold for them.",
	"mechanics.active_threads":     "How many things are followed at once: 1 to 5.",
	"mechanics.patterns":           "How many patterns are kept: 1 to 5.",
	"mechanics.hunches":            "How many hunches are kept: 1 to 5.",
	"mechanics.insights":           "How many insights are kept: 1 to 3.",
	"mechanics.parked":             "How many things wait for room in a full list: 0 to 50.",
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
}
