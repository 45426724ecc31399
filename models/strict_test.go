package models_test

import (
	"encoding/json"
	"testing"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/models"
)

func TestStrict(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"closed, required, nullable, in order": {
			`{"type":"object","required":["z"],"properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`,
			`{"type":"object","required":["z","a"],"properties":{"z":{"type":"string"},"a":{"type":["integer","null"]}},"additionalProperties":false}`,
		},
		"an enum": {
			`{"type":"object","properties":{"e":{"type":"string","enum":["x"]}}}`,
			`{"type":"object","properties":{"e":{"type":["string","null"],"enum":["x",null]}},"required":["e"],"additionalProperties":false}`,
		},
		"within items and definitions": {
			`{"type":"object","required":["l"],"properties":{"l":{"type":"array","items":{"$ref":"#/$defs/d"}}},"$defs":{"d":{"type":"object","properties":{}}}}`,
			`{"type":"object","required":["l"],"properties":{"l":{"type":"array","items":{"$ref":"#/$defs/d"}}},"$defs":{"d":{"type":"object","properties":{},"required":[],"additionalProperties":false}},"additionalProperties":false}`,
		},
		"a reference that may be missing": {
			`{"type":"object","properties":{"d":{"$ref":"#/$defs/d"}}}`,
			`{"type":"object","properties":{"d":{"anyOf":[{"$ref":"#/$defs/d"},{"type":"null"}]}},"required":["d"],"additionalProperties":false}`,
		},
		"what it does not know": {
			`{"$schema":"x","type":"object","required":["s"],"properties":{"s":{"type":"string","maxLength":9,"default":"d","description":"<b>"}}}`,
			`{"type":"object","required":["s"],"properties":{"s":{"type":"string","description":"<b>"}},"additionalProperties":false}`,
		},
		"a property named as a keyword": {
			`{"type":"object","required":["default"],"properties":{"default":{"type":"string"}}}`,
			`{"type":"object","required":["default"],"properties":{"default":{"type":"string"}},"additionalProperties":false}`,
		},
		"an object of nothing": {`{"type":"object"}`, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`},
		"no JSON":              {`{"type":`, `{"type":`},
	} {
		t.Run(name, func(t *testing.T) {
			got := models.Strict(json.RawMessage(c.schema))
			if string(got) != c.want {
				t.Errorf("Strict(%s)\n got %s\nwant %s", c.schema, got, c.want)
			}
			if again := models.Strict(got); string(again) != string(got) {
				t.Errorf("a second time it is %s", again)
			}
		})
	}
}

func FuzzStrict(f *testing.F) {
	f.Add(findings)
	f.Add(`{"properties":{"a":{},"a":true,"b":{"enum":[1]},"c":{"type":["null"]},"d":{"properties":3}},"required":7,"anyOf":[1,{}]}`)
	f.Add(`[{"type":"object"}] 1`)
	f.Fuzz(func(t *testing.T, schema string) {
		got := models.Strict(json.RawMessage(schema))
		if json.Valid([]byte(schema)) && !json.Valid(got) {
			t.Errorf("Strict(%s) = %s", schema, got)
		}
		if again := models.Strict(got); json.Valid([]byte(schema)) && string(again) != string(got) {
			t.Errorf("Strict(%s) = %s, a second time %s", schema, got, again)
		}
	})
}

// What fits the strict schema must be what Converse takes: a model that writes
// null for all that it leaves out has answered well.
func TestStrictAnswersFitTheSchema(t *testing.T) {
	resolved := testutil.Schema(t, models.Strict(json.RawMessage(findings)))
	answer := `{"n":1,"note":null,"deep":[{"x":null,"y":null}]}`
	var value any
	_ = json.Unmarshal([]byte(answer), &value)
	if err := resolved.Validate(value); err != nil {
		t.Fatalf("it does not fit the strict schema: %v", err)
	}
	reply, err := models.Converse(t.Context(), driver(groq, says(answer)), shaped(), models.ConverseOptions{})
	if err != nil || reply.Requests != 1 {
		t.Errorf("Converse = %+v, %v", reply, err)
	}
}
