package threads

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/prompts"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// The names of the tools.
const (
	readFileTool    = "read_file"
	listEventsTool  = "list_events"
	healthTool      = "health"
	searchNotesTool = "search_notes"
	readMailTool    = "read_mail"

	searchMemoryTool        = "search_memory"
	searchAgentsTool        = "search_agents_memory"
	getMemoryTool           = "get_memory"
	searchConversationsTool = "search_conversations"
	readSubconsciousTool    = "read_subconscious"
)

// tool is something that a model may ask for. It reads, and does nothing.
type tool struct {
	name, description string
	parameters        string // JSON Schema of an object
	// deadline of one call; 0 is the registry's.
	deadline time.Duration
	// bytes bounds its result; 0 is the toolbox's.
	bytes int
	// call returns with an error, too, whose words the error rests on.
	call func(ctx context.Context, snapshot subconscious.Snapshot, arguments []byte) (prompts.Result, error)
}

// Toolbox is the tools of one thread at one tick, or of one deliberation. Its
// methods may be called by any goroutine.
type Toolbox struct {
	registry *Registry
	snapshot subconscious.Snapshot
	tools    []tool
	maxCalls int
	maxBytes int // of a result

	mu    sync.Mutex
	calls int
	shown map[subconscious.Ref]bool
}

var _ models.Toolbox = (*Toolbox)(nil)

// For returns the tools of a thread at the tick of the snapshot.
func (r *Registry) For(thread subconscious.ThreadName, snapshot subconscious.Snapshot) *Toolbox {
	b := r.toolbox(snapshot, MaxToolCalls, prompts.ResultBytes)
	names := r.Names(thread)
	b.tools = slices.DeleteFunc(b.tools, func(t tool) bool { return !slices.Contains(names, t.name) })
	return b
}

const (
	// MaxDeskCalls is how often a deliberation may use its tools.
	MaxDeskCalls = 24
	// deskBytes bounds what one of its results takes.
	deskBytes = 8 << 10
)

// Desk returns the tools of a deliberation: all that there are. The snapshot
// needs At, Zone, State and World.
func (r *Registry) Desk(snapshot subconscious.Snapshot) *Toolbox {
	return r.toolbox(snapshot, MaxDeskCalls, deskBytes)
}

func (r *Registry) toolbox(snapshot subconscious.Snapshot, calls, bytes int) *Toolbox {
	b := &Toolbox{registry: r, snapshot: snapshot, maxCalls: calls, maxBytes: bytes, shown: map[subconscious.Ref]bool{}}
	if r != nil {
		b.tools = slices.Clone(r.tools)
	}
	return b
}

// Tools implements models.Toolbox.
func (b *Toolbox) Tools() []models.Tool {
	tools := make([]models.Tool, 0, len(b.tools))
	for _, t := range b.tools {
		tools = append(tools, models.Tool{Name: t.name, Description: t.description, Parameters: json.RawMessage(t.parameters)})
	}
	return tools
}

// Call implements models.Toolbox. What it returns is in a block of its own, as
// prompts have them.
func (b *Toolbox) Call(ctx context.Context, call models.ToolCall) (string, error) {
	reading, err := b.Read(ctx, call)
	return reading.Text, err
}

// Reading is what a tool brought back.
type Reading struct {
	// Text is what the model is shown, in a block of its own.
	Text string
	// Sources are those whose words stand in it, each once.
	Sources []Source
	// Refs are the observations in it that can be cited.
	Refs []subconscious.Ref
}

// Read runs a tool, and says whose words it brought back. An error is for the
// model, and holds no text but our own and what the model wrote itself. Where it
// rests on somebody's words, as on how long they are, it comes with a Reading
// whose Sources say so.
func (b *Toolbox) Read(ctx context.Context, call models.ToolCall) (Reading, error) {
	at := slices.IndexFunc(b.tools, func(t tool) bool { return t.name == call.Name })
	if at < 0 {
		return Reading{}, fmt.Errorf("there is no tool %.40q; there are %q", call.Name, b.names())
	}
	if !b.take() {
		return Reading{}, fmt.Errorf("you have used your %d calls; answer now", b.maxCalls)
	}
	t := b.tools[at]
	ctx, cancel := context.WithTimeout(ctx, b.deadline(t))
	defer cancel()
	result, err := b.run(ctx, t, call.Arguments)
	result.Tool = call.Name
	if err != nil {
		return Reading{Sources: sourcesOf(prompts.Result{Tool: call.Name, Quoted: result.Quoted}, b.snapshot.World)}, err
	}
	result.Zone, result.MaxBytes = b.snapshot.Zone, cmp.Or(t.bytes, b.maxBytes)
	text, part := result.Show()
	reading := Reading{Text: text, Sources: sourcesOf(part, b.snapshot.World), Refs: part.Refs()}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ref := range reading.Refs {
		b.shown[ref] = true
	}
	return reading, nil
}

func (b *Toolbox) deadline(t tool) time.Duration {
	return cmp.Or(t.deadline, b.registry.options.Deadline)
}

func (b *Toolbox) names() (names []string) {
	for _, t := range b.tools {
		names = append(names, t.name)
	}
	return names
}

func (b *Toolbox) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls == b.maxCalls {
		return false
	}
	b.calls++
	return true
}

// Shown are the references that the tools returned, sorted.
func (b *Toolbox) Shown() []subconscious.Ref {
	b.mu.Lock()
	defer b.mu.Unlock()
	shown := make([]subconscious.Ref, 0, len(b.shown))
	for ref := range b.shown {
		shown = append(shown, ref)
	}
	slices.Sort(shown)
	return shown
}

// run runs a tool beside the caller, who waits no longer than ctx: a disk that
// does not answer cannot be interrupted.
func (b *Toolbox) run(ctx context.Context, t tool, arguments []byte) (prompts.Result, error) {
	type outcome struct {
		result prompts.Result
		err    error
	}
	if !b.registry.gate.enter(maxReaders) {
		return prompts.Result{}, errBusy
	}
	done := make(chan outcome, 1)
	go func() {
		out := outcome{err: errors.New("the tool has a fault; do without it")}
		defer func() {
			if problem := recover(); problem != nil {
				out = outcome{err: errors.New("the tool has a fault; do without it")}
			}
			b.registry.gate.leave()
			done <- out
		}()
		out.result, out.err = t.call(ctx, b.snapshot, arguments)
	}()
	select {
	case out := <-done:
		return out.result, out.err
	case <-ctx.Done():
		return prompts.Result{}, fmt.Errorf("it took longer than %s; do without it", b.deadline(t))
	}
}

// maxReaders is how many calls may be under way at once, those that hang
// included: four threads and a deliberation one each, and as many again.
const maxReaders = 10

// errBusy is the answer while too many calls hang.
var errBusy = errors.New("earlier calls have not come back from the disk; do without it")

// Stop lets no tool be called any more, and waits until all are back, or ctx is
// done.
func (r *Registry) Stop(ctx context.Context) error {
	left, err := r.gate.stop(ctx)
	if err != nil {
		return fmt.Errorf("stop tools: %d of their calls not back: %w", left, err)
	}
	return nil
}

// define makes a tool that takes A: a struct whose fields are arguments, with
// tags that say their name (json), what a model is told of them (about), whether
// they must be there (required), and the bounds of numbers (minimum, maximum). A
// number that is left out is 0, which is within all bounds.
func define[A any](name, description string, call func(ctx context.Context, snapshot subconscious.Snapshot, a A) (prompts.Result, error)) tool {
	fields := reflect.VisibleFields(reflect.TypeFor[A]())
	return tool{name: name, description: description, parameters: parametersOf(fields),
		call: func(ctx context.Context, snapshot subconscious.Snapshot, data []byte) (prompts.Result, error) {
			var a A
			if err := decode(data, &a); err != nil {
				return prompts.Result{}, err
			}
			for _, field := range fields {
				if err := checkBounds(field, reflect.ValueOf(a).FieldByIndex(field.Index)); err != nil {
					return prompts.Result{}, err
				}
			}
			return call(ctx, snapshot, a)
		}}
}

// parametersOf is the JSON Schema of arguments.
func parametersOf(fields []reflect.StructField) string {
	var required, properties []string
	for _, field := range fields {
		tag := field.Tag
		kind, bounds := "string", ""
		if field.Type.Kind() == reflect.Int {
			kind = "integer"
		}
		for _, bound := range [...]string{"minimum", "maximum"} {
			if value := tag.Get(bound); value != "" {
				bounds += fmt.Sprintf(`%q:%s,`, bound, value)
			}
		}
		properties = append(properties, fmt.Sprintf(`%q:{"type":%q,%s"description":%q}`, tag.Get("json"), kind, bounds, tag.Get("about")))
		if tag.Get("required") != "" {
			required = append(required, strconv.Quote(tag.Get("json")))
		}
	}
	must := ""
	if len(required) > 0 {
		must = `"required":[` + strings.Join(required, ",") + `],`
	}
	return `{"type":"object","additionalProperties":false,` + must + `"properties":{` + strings.Join(properties, ",") + `}}`
}

func checkBounds(field reflect.StructField, value reflect.Value) error {
	if field.Type.Kind() != reflect.Int || value.IsZero() {
		return nil
	}
	name, least, most := field.Tag.Get("json"), field.Tag.Get("minimum"), field.Tag.Get("maximum")
	from, _ := strconv.ParseInt(least, 10, 64)
	to, err := strconv.ParseInt(most, 10, 64)
	switch n := value.Int(); {
	case err != nil && n < from:
		return fmt.Errorf("%s is %d, must be %s or more", name, n, least)
	case err == nil && (n < from || n > to):
		return fmt.Errorf("%s is %d, must be %s to %s", name, n, least, most)
	}
	return nil
}

// decode reads what a model wrote, strictly. Nothing counts as {}.
func decode(data []byte, into any) error {
	if data = bytes.TrimSpace(data); len(data) == 0 || string(data) == "null" {
		data = []byte("{}")
	}
	if len(data) > maxArguments {
		return fmt.Errorf("the arguments have %d bytes, at most %d are read", len(data), maxArguments)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("the arguments are not as the tool's schema has them: %.120s", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the arguments are more than one JSON object")
	}
	return nil
}

const (
	// maxArguments bounds the arguments of a call, in bytes.
	maxArguments = 4 << 10
	// maxObservations is how many observations a tool returns.
	maxObservations = 30
)

// listEvents returns what is due.
func listEvents() tool {
	type arguments struct {
		From string `json:"from" about:"first day, YYYY-MM-DD; default today"`
		Days int    `json:"days" minimum:"1" maximum:"35" about:"default 3"`
	}
	return define(listEventsTool, "Lists what is in the calendar or has a date, in order of time; by default of the next 3 days.",
		func(_ context.Context, snapshot subconscious.Snapshot, a arguments) (prompts.Result, error) {
			from, to, err := eventRange(snapshot.At, a.From, cmp.Or(a.Days, 3))
			if err != nil {
				return prompts.Result{}, err
			}
			var result prompts.Result
			more := false
			snapshot.World.Due(from, to, func(o subconscious.Observation) bool {
				if more = len(result.Observations) == maxObservations; !more {
					result.Observations = append(result.Observations, o)
				}
				return !more
			})
			zone := snapshot.At.Location()
			result.Said = []string{fmt.Sprintf("What is due from %s to %s:", from.In(zone).Format("2006-01-02 Mon 15:04"), to.In(zone).Format("2006-01-02 Mon 15:04"))}
			switch {
			case len(result.Observations) == 0:
				result.Said = append(result.Said, "Nothing.")
			case more:
				result.Said = append(result.Said, fmt.Sprintf("These are the first %d; there are more. Ask for fewer days.", maxObservations))
			}
			result.More = "Ask for fewer days."
			return result, nil
		})
}

// maxDays is how far events are listed.
const maxDays = 35

// eventRange is from now, or from the beginning of a later day, for so many
// days; it lies within the next maxDays.
func eventRange(at time.Time, first string, days int) (from, to time.Time, err error) {
	end := at.AddDate(0, 0, maxDays)
	if from = at; first != "" {
		day := first
		if len(day) > len(time.DateOnly) && day[len(time.DateOnly)] == 'T' {
			day = day[:len(time.DateOnly)]
		}
		if from, err = time.ParseInLocation(time.DateOnly, day, at.Location()); err != nil {
			return from, to, fmt.Errorf("from is %.40q, must be a day as %q", first, at.Format(time.DateOnly))
		}
	}
	if from.Before(at) {
		from = at
	}
	if !from.Before(end) {
		return from, to, fmt.Errorf("from is more than %d days ahead", maxDays)
	}
	if to = from.AddDate(0, 0, days); to.After(end) {
		to = end
	}
	return from, to, nil
}

// health returns the state of the machine and of the senses.
func health(r *Registry) tool {
	return define(healthTool, "Shows the machine's disks, memory and services, and which senses are blind.",
		func(_ context.Context, snapshot subconscious.Snapshot, _ struct{}) (result prompts.Result, err error) {
			if r.options.Senses != nil {
				for _, line := range r.options.Senses() {
					result.Said = append(result.Said, senseLine(line, snapshot.At.Location()))
					if words := r.options.Redact(line.Words); words != "" { // they may be a server's
						result.Excerpts = append(result.Excerpts, prompts.Excerpt{Name: "sense " + line.Name, Trust: subconscious.Outsider, Text: words})
					}
				}
			}
			snapshot.World.Of("health", func(o subconscious.Observation) bool {
				result.Observations = append(result.Observations, o)
				return len(result.Observations) < maxObservations
			})
			if len(result.Observations) == 0 {
				result.Said = append(result.Said, "Nothing stands out about the machine.")
			}
			return result, nil
		})
}

// senseLine says how a sense is.
func senseLine(line SenseLine, zone *time.Location) string {
	said := "sense " + line.Name + ": " + line.State
	if !line.Since.IsZero() {
		said += " since " + line.Since.In(zone).Format("2006-01-02 Mon 15:04")
	}
	return said
}

const (
	// subconsciousBytes bounds what read_subconscious shows: all lists full, the
	// history, and half of what can be parked fit.
	subconsciousBytes = 15 << 10
	// escalationsShown is how many of the last escalations it shows.
	escalationsShown = 5
)

// readSubconscious shows what the mind holds, in the words of whoever wrote it.
func readSubconscious() tool {
	t := define(readSubconsciousTool, "Shows all that the mind holds, and what the person was told last. It counts as words of strangers.",
		func(_ context.Context, snapshot subconscious.Snapshot, _ struct{}) (prompts.Result, error) {
			state := snapshot.State
			told := slices.DeleteFunc(slices.Clone(state.History), func(e subconscious.EscalationRecord) bool {
				return strings.HasPrefix(e.Outcome, string(subconscious.OutcomePending))
			})
			result := prompts.Result{Entries: state.Entries, Parked: state.Parked, Told: told[max(0, len(told)-escalationsShown):]}
			if len(result.Entries)+len(result.Parked)+len(result.Told) == 0 {
				result.Said = []string{"It holds nothing."}
			}
			return result, nil
		})
	t.bytes = subconsciousBytes
	return t
}
