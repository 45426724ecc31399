package api

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Figures are what a program watches a mind by. They do not travel: /metrics shows them.
type Figures struct {
	Status
	Done
}

// Done is what ticks did: how many were committed, what they took, the findings that
// were accepted, and the messages that were given to the channels.
type Done struct {
	Ticks, Findings, Told int
	Took                  time.Duration
}

// metrics writes what Prometheus collects. What is spent counts from midnight, in the
// mind's time zone, and begins at 0 there, which Prometheus takes for a restart.
func (s *Server) metrics(ctx context.Context, _ Nothing) (Text, error) {
	f, err := s.options.Mind.Figures(ctx)
	if err != nil {
		return "", err
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m, d := exposition{}, f.Subconscious
	m.one("info", "gauge", "The version of the daemon.", 1, "version", f.Version)
	m.one("start_time_seconds", "gauge", "When the daemon started.", seconds(f.Mind.Started))
	m.one("paused", "gauge", "Whether ticks are stopped by the person.", truth(f.Mind.Paused))
	m.one("mind_ticks_total", "counter", "Ticks in the life of the mind.", float64(f.Tick.Count))
	m.one("ticks_total", "counter", "Ticks committed since the mind began or was reloaded.", float64(f.Ticks))
	m.one("tick_seconds_total", "counter", "What these ticks took.", f.Took.Seconds())
	m.one("findings_total", "counter", "Findings taken since then.", float64(f.Findings))
	m.one("pushes_total", "counter", "Messages given to the channels by ticks since then.", float64(f.Told))
	m.one("tick_failing", "gauge", "Whether the last tick was not committed.", truth(f.Tick.Error != ""))
	m.one("last_tick_time_seconds", "gauge", "When the last tick was.", seconds(f.Tick.Last))
	m.one("next_tick_time_seconds", "gauge", "When the next one is due; 0 for never.", seconds(f.Tick.Next))
	m.one("entries", "gauge", "What is on its mind.", float64(len(d.ActiveThreads)+len(d.Patterns)+len(d.Hunches)+len(d.Insights)))
	m.one("incidents", "gauge", "Incidents and proposals that are open.", float64(f.Incidents.Open), "state", "open")
	m.one("incidents", "", "", float64(f.Incidents.Held), "state", "held")
	m.one("incidents", "", "", float64(f.Incidents.Proposals), "state", "proposed")
	m.one("notices", "gauge", "What the daemon has to say about itself.", float64(len(f.Notices)))
	m.one("notifications_today", "counter", "Messages of today that count against the limit.", float64(f.Budget.NotificationsToday))
	for _, sense := range f.Senses {
		m.one("sense", "gauge", "The state of each sense: 1 for the one it is in.", 1, "kind", sense.Kind, "id", sense.ID, "state", string(sense.State))
	}
	for _, t := range f.Threads {
		m.one("thread", "gauge", "The state of each thread: 1 for the one it is in.", 1, "thread", t.Name, "mode", t.Mode, "state", t.State)
	}
	for _, r := range f.Budget.Roles {
		m.one("model_calls_today", "counter", "Calls of models today.", float64(r.Calls), "role", r.Role)
	}
	for _, r := range f.Budget.Roles {
		m.one("model_tokens_today", "counter", "Tokens of models today.", float64(r.Tokens), "role", r.Role)
	}
	for _, r := range f.Budget.Roles {
		m.one("model_dollars_today", "counter", "Money for models today, in US dollars.", r.Money, "role", r.Role)
	}
	m.one("event_listeners", "gauge", "Who listens to what changes.", float64(len(s.listeners)))
	m.one("goroutines", "gauge", "Goroutines of the daemon.", float64(runtime.NumGoroutine()))
	m.one("heap_bytes", "gauge", "Memory in use on the heap.", float64(memory.HeapAlloc))
	m.one("memory_bytes", "gauge", "Memory taken from the system.", float64(memory.Sys))
	return Text(m.String()), nil
}

// exposition is the text format of Prometheus.
type exposition struct {
	strings.Builder
	last string
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// one adds a value of a metric, of which the first says what it is.
func (x *exposition) one(name, kind, help string, value float64, labels ...string) {
	if name = "subconsciousd_" + name; name != x.last {
		fmt.Fprintf(x, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
		x.last = name
	}
	var pairs []string
	for i := 0; i < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+escaped.Replace(labels[i+1])+`"`)
	}
	if len(pairs) > 0 {
		name += "{" + strings.Join(pairs, ",") + "}"
	}
	fmt.Fprintf(x, "%s %s\n", name, strconv.FormatFloat(value, 'f', -1, 64))
}

func truth(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
