package subconscious_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/subconsciousd/subconsciousd/subconscious"
	"github.com/subconsciousd/subconsciousd/subconscious/documenttest"
)

const sampleDocument = `{"version":1,"tick_count":7,"last_tick":"2026-11-02T08:10:00+01:00",
 "active_threads":[{"id":"w-disk-100","summary":"Disk /var is 86% full","strength":3,"kind":"anomaly","created":"2026-11-02T08:05:00+01:00",
   "last_seen":"2026-11-02T08:10:00+01:00","due":"2026-11-04T08:10:00+01:00","over":true,"evidence":["health:abcdefghij","notes:abcdefghij@42"]}],
 "patterns":[],"hunches":[{"id":"d-idea-3k0-2","summary":"An idea","strength":0,"kind":"idea","last_seen":"2026-11-02T08:10:00Z","evidence":[]}],"insights":[],
 "escalation_history":[{"at":"2026-11-02T08:10:00Z","incident":"health:disk:/var","summary":"full","reason":"critical","outcome":"told"}],
 "thread_state":{"watcher":{"last_findings":[["w-disk-100"],[]],"novelty_pressure":10,"focus_hint":"","health":"ok"}}}`

func schema(t interface{ Fatal(...any) }) *jsonschema.Resolved {
	var s jsonschema.Schema
	if err := json.Unmarshal(subconscious.Schema, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func validateBySchema(s *jsonschema.Resolved, data string) error {
	var value any
	if err := json.Unmarshal([]byte(data), &value); err != nil {
		return err
	}
	return s.Validate(value)
}

// TestDecodeDocument: a document is read and written as it is, and the schema
// takes it.
func TestDecodeDocument(t *testing.T) {
	doc, err := documenttest.Decode([]byte(sampleDocument))
	if err != nil {
		t.Fatal(err)
	}
	if err := validateBySchema(schema(t), sampleDocument); err != nil {
		t.Fatal(err)
	}
	again, err := documenttest.Decode([]byte(asJSON(t, doc)))
	if err != nil || asJSON(t, again) != asJSON(t, doc) || len(doc.ActiveThreads) != 1 || doc.ThreadState["watcher"].NoveltyPressure != 10 {
		t.Fatal(err, asJSON(t, doc))
	}
}

// beyondSchema is what the decoder says of what the schema takes.
var beyondSchema = map[string]string{
	"version as 1.0": "cannot unmarshal number 1.0", "too many ticks": "cannot unmarshal number", "last tick": "cannot parse",
	"a field twice": "written again", "an id twice": "used twice", "142 bytes of ä": "142 bytes long", "zero last_seen": "last_seen is missing",
	"a thread twice": "written again", "too large": "at most 1048576 are published",
}

// TestBrokenDocuments breaks a document in every way there is. Both the decoder
// and the schema refuse it; where only one does, it says why.
func TestBrokenDocuments(t *testing.T) {
	resolved := schema(t)
	entry := func(s string) [2]string { return [2]string{`"id":"d-idea-3k0-2"`, s} }
	for name, c := range map[string]struct {
		replace [2]string
		schema  string // why the schema takes what the decoder does not, or the reverse
	}{
		"version":            {[2]string{`"version":1`, `"version":2`}, ""},
		"no version":         {[2]string{`"version":1,`, ``}, ""},
		"version as text":    {[2]string{`"version":1`, `"version":"1"`}, ""},
		"version as 1.0":     {[2]string{`"version":1`, `"version":1.0`}, "1.0 is an integer to JSON Schema"},
		"negative ticks":     {[2]string{`"tick_count":7`, `"tick_count":-1`}, ""},
		"half a tick":        {[2]string{`"tick_count":7`, `"tick_count":7.5`}, ""},
		"no ticks":           {[2]string{`"tick_count":7,`, ``}, ""},
		"too many ticks":     {[2]string{`"tick_count":7`, `"tick_count":99999999999999999999`}, "JSON Schema knows no size of integers"},
		"no last tick":       {[2]string{`"last_tick":"2026-11-02T08:10:00+01:00",`, ``}, ""},
		"last tick":          {[2]string{`"last_tick":"2026-11-02T08:10:00+01:00"`, `"last_tick":"yesterday"`}, "a format is no more than a note to the validator"},
		"last tick null":     {[2]string{`"last_tick":"2026-11-02T08:10:00+01:00"`, `"last_tick":null`}, ""},
		"name in upper case": {[2]string{`"version"`, `"Version"`}, ""},
		"unknown field":      {[2]string{`"version":1`, `"version":1,"colour":"red"`}, ""},
		"a field twice":      {[2]string{`"version":1`, `"version":1,"version":1`}, "the last of two counts when JSON is read"},
		"no patterns":        {[2]string{`"patterns":[],`, ``}, ""},
		"patterns null":      {[2]string{`"patterns":[]`, `"patterns":null`}, ""},
		"patterns an object": {[2]string{`"patterns":[]`, `"patterns":{}`}, ""},
		"an entry null":      {[2]string{`"patterns":[]`, `"patterns":[null]`}, ""},
		"empty entry":        {[2]string{`"patterns":[]`, `"patterns":[{}]`}, ""},
		"too many insights":  {[2]string{`"insights":[]`, `"insights":[` + fourEntries + `]`}, ""},
		"too many patterns":  {[2]string{`"patterns":[]`, `"patterns":[` + fourEntries + `,` + strings.ReplaceAll(fourEntries, "w-e-", "w-f-") + `]`}, ""},
		"an id twice":        {entry(`"id":"w-disk-100"`), "JSON Schema cannot compare entries"},
		"id in upper case":   {entry(`"id":"W-disk-100"`), ""},
		"id without word":    {entry(`"id":"w-"`), ""},
		"long id":            {entry(`"id":"w-` + strings.Repeat("a", 63) + `"`), ""},
		"no id":              {entry(`"over":false`), ""},
		"unknown in entry":   {entry(`"id":"d-idea-3k0-2","weight":3`), ""},
		"importance of 11":   {entry(`"id":"d-idea-3k0-2","importance":11`), ""},
		"empty summary":      {[2]string{`"An idea"`, `""`}, ""},
		"blank summary":      {[2]string{`"An idea"`, `" \t "`}, ""},
		"141 bytes":          {[2]string{`"An idea"`, `"` + strings.Repeat("x", 141) + `"`}, ""},
		"142 bytes of ä":     {[2]string{`"An idea"`, `"` + strings.Repeat("ä", 71) + `"`}, "JSON Schema counts characters, not bytes"},
		"20 words":           {[2]string{`"An idea"`, `"` + strings.TrimSpace(strings.Repeat("ab ", 20)) + `"`}, ""},
		"strength 11":        {[2]string{`"strength":0`, `"strength":11`}, ""},
		"strength -1":        {[2]string{`"strength":0`, `"strength":-1`}, ""},
		"no strength":        {[2]string{`"strength":0,`, ``}, ""},
		"kind":               {[2]string{`"kind":"idea"`, `"kind":"dream"`}, ""},
		"no last_seen":       {[2]string{`"last_seen":"2026-11-02T08:10:00Z",`, ``}, ""},
		"zero last_seen":     {[2]string{`"last_seen":"2026-11-02T08:10:00Z"`, `"last_seen":"0001-01-01T00:00:00Z"`}, "JSON Schema does not compare times"},
		"over null":          {[2]string{`"over":true`, `"over":null`}, ""},
		"created null":       {[2]string{`"created":"2026-11-02T08:05:00+01:00"`, `"created":null`}, ""},
		"no evidence":        {[2]string{`,"evidence":[]`, ``}, ""},
		"three references":   {[2]string{`"evidence":[]`, `"evidence":["a:aaaaaaaaaa","b:aaaaaaaaaa","c:aaaaaaaaaa"]`}, ""},
		"no reference":       {[2]string{`"evidence":[]`, `"evidence":["because"]`}, ""},
		"reference null":     {[2]string{`"evidence":[]`, `"evidence":[null]`}, ""},
		"huge change":        {[2]string{`notes:abcdefghij@42`, `notes:abcdefghij@1234567890123456789`}, ""},
		"history":            {[2]string{`"outcome":"told"`, `"outcome":7`}, ""},
		"a negative cost":    {[2]string{`"outcome":"told"`, `"outcome":"told","cost":-1`}, ""},
		"a wrong citation":   {[2]string{`"outcome":"told"`, `"outcome":"told","cited":["a","notes:abcdefghij@"]`}, ""},
		"many citations":     {[2]string{`"outcome":"told"`, `"outcome":"told","cited":["notes:abcdefghij"` + strings.Repeat(`,"notes:abcdefghij"`, 8) + `]`}, ""},
		"a long id":          {[2]string{`"outcome":"told"`, `"outcome":"told","deliberation":"` + strings.Repeat("x", 201) + `"`}, ""},
		"cited as objects":   {[2]string{`"outcome":"told"`, `"outcome":"told","cited":[{"ref":"notes:abcdefghij"}]`}, ""},
		"no outcome":         {[2]string{`,"outcome":"told"`, ``}, ""},
		"long history":       {[2]string{`"escalation_history":[`, `"escalation_history":[` + strings.Repeat(`{"at":"2026-11-02T08:10:00Z","incident":"a","summary":"a","reason":"a","outcome":"a"},`, 10)}, ""},
		"thread null":        {[2]string{`{"watcher":{`, `{"oracle":null,"watcher":{`}, ""},
		"a thread twice":     {[2]string{`{"watcher":{`, `{"watcher":{"last_findings":[],"novelty_pressure":1,"focus_hint":"","health":"ok"},"watcher":{`}, "the last of two counts when JSON is read"},
		"no findings":        {[2]string{`"last_findings":[["w-disk-100"],[]],`, ``}, ""},
		"four findings":      {[2]string{`"last_findings":[["w-disk-100"],[]]`, `"last_findings":[[],[],[],[]]`}, ""},
		"findings null":      {[2]string{`"last_findings":[["w-disk-100"],[]]`, `"last_findings":[null]`}, ""},
		"pressure 11":        {[2]string{`"novelty_pressure":10`, `"novelty_pressure":11`}, ""},
		"no hint":            {[2]string{`"focus_hint":"",`, ``}, ""},
		"a second value":     {[2]string{`"ok"}}}`, `"ok"}}} {}`}, ""},
		"a brace too many":   {[2]string{`"ok"}}}`, `"ok"}}}}`}, ""},
		"cut off":            {[2]string{`"ok"}}}`, `"ok"}}`}, ""},
		"an array":           {[2]string{sampleDocument, `[]`}, ""},
		"null":               {[2]string{sampleDocument, `null`}, ""},
		"nothing":            {[2]string{sampleDocument, ``}, ""},
		"too large":          {[2]string{sampleDocument, sampleDocument + strings.Repeat(" ", 1<<20)}, "JSON Schema knows no size of documents"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(sampleDocument, c.replace[0]) == 0 {
				t.Fatalf("%s is not in the sample", c.replace[0])
			}
			broken := strings.Replace(sampleDocument, c.replace[0], c.replace[1], 1)
			switch doc, err := documenttest.Decode([]byte(broken)); {
			case err == nil:
				t.Errorf("it is taken: %+v", doc)
			case c.schema != "" && (beyondSchema[name] == "" || !strings.Contains(err.Error(), beyondSchema[name])):
				t.Errorf("it says %v, want %q", err, beyondSchema[name])
			}
			if err := validateBySchema(resolved, broken); (err != nil) != (c.schema == "") {
				t.Errorf("the schema says %v; difference explained: %q", err, c.schema)
			}
		})
	}
}

const fourEntries = `{"id":"w-e-1","summary":"x","strength":1,"kind":"idea","last_seen":"2026-11-02T08:10:00Z","evidence":[]},
{"id":"w-e-2","summary":"x","strength":1,"kind":"idea","last_seen":"2026-11-02T08:10:00Z","evidence":[]},
{"id":"w-e-3","summary":"x","strength":1,"kind":"idea","last_seen":"2026-11-02T08:10:00Z","evidence":[]},
{"id":"w-e-4","summary":"x","strength":1,"kind":"idea","last_seen":"2026-11-02T08:10:00Z","evidence":[]}`

// TestSchemaKnowsTheTypes: the limits of the schema are those of the package,
// and it knows the same names.
func TestSchemaKnowsTheTypes(t *testing.T) {
	resolved := schema(t)
	s := fullState(languages["english"])
	for _, doc := range []subconscious.Document{s.Document(), (subconscious.State{}).Document()} {
		if err := validateBySchema(resolved, asJSON(t, doc)); err != nil {
			t.Errorf("the schema refuses a document: %v", err)
		}
	}
	root := resolved.Schema()
	for list, limit := range map[string]int{"active_threads": subconscious.MaxActive, "patterns": subconscious.MaxPatterns,
		"hunches": subconscious.MaxHunches, "insights": subconscious.MaxInsights, "escalation_history": subconscious.MaxHistory} {
		if got := root.Properties[list].MaxItems; got == nil || *got != limit {
			t.Errorf("%s: the schema has %v, the package %d", list, got, limit)
		}
	}
	entry := root.Defs["entry"]
	if got := entry.Properties["strength"].Maximum; *got != subconscious.MaxStrength {
		t.Errorf("strength to %v", *got)
	}
	if got := entry.Properties["summary"].MaxLength; *got != subconscious.SummaryBytes {
		t.Errorf("summaries to %v", *got)
	}
	if got := root.Properties["thread_state"].AdditionalProperties.Properties["novelty_pressure"].Maximum; *got != subconscious.MaxPressure {
		t.Errorf("pressure to %v", *got)
	}
	if got, want := asJSON(t, entry.Properties["kind"].Enum), asJSON(t, subconscious.Kinds()); got != want {
		t.Errorf("kinds %s, want %s", got, want)
	}
	inferred, err := jsonschema.For[subconscious.Document](nil)
	if err != nil {
		t.Fatal(err)
	}
	compareNames(t, "", inferred, root)
	compareNames(t, "entry.", inferred.Properties["hunches"].Items, entry)
	compareNames(t, "thread.", inferred.Properties["thread_state"].AdditionalProperties, root.Properties["thread_state"].AdditionalProperties)
	compareNames(t, "escalation.", inferred.Properties["escalation_history"].Items, root.Properties["escalation_history"].Items)
}

// compareNames compares the schema with the one that follows from the types.
func compareNames(t *testing.T, path string, inferred, written *jsonschema.Schema) {
	t.Helper()
	if len(inferred.Properties) == 0 || len(inferred.Properties) != len(written.Properties) || len(inferred.Required) != len(written.Required) {
		t.Errorf("%s has %d names, %d required; the types have %d and %d", path, len(written.Properties), len(written.Required), len(inferred.Properties), len(inferred.Required))
	}
	for name := range inferred.Properties {
		if written.Properties[name] == nil {
			t.Errorf("%s%s is not in the schema", path, name)
		}
	}
	if written.AdditionalProperties == nil {
		t.Errorf("%s lets other names pass", path)
	}
}

func FuzzDecodeDocument(f *testing.F) {
	f.Add([]byte(sampleDocument))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"version":2}`))
	f.Add([]byte(asJSON(f, (subconscious.State{}).Document())))
	f.Add([]byte(asJSON(f, fullState(languages["emoji"]).Document())))
	f.Add([]byte(asJSON(f, fullState(languages["german"]).Document())))
	resolved := schema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := documenttest.Decode(data)
		if err != nil {
			return
		}
		if err := validateBySchema(resolved, string(data)); err != nil {
			t.Fatalf("the decoder takes what the schema does not: %v", err)
		}
		written := asJSON(t, doc)
		again, err := documenttest.Decode([]byte(written))
		if err != nil || asJSON(t, again) != written {
			t.Fatalf("%v: %s", err, written)
		}
	})
}
