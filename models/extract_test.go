package models_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/models"
)

func TestExtractFindsTheOneObject(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		repaired   bool
	}{
		"as it is":             {`{"a":1}`, `{"a":1}`, false},
		"with keys sorted":     {`{"b":2,"a":1}`, `{"a":1,"b":2}`, false},
		"a key twice":          {`{"a":1,"a":2}`, `{"a":2}`, false},
		"in prose":             {"Here it is: {\"a\":1}. Good luck!", `{"a":1}`, false},
		"in a fence":           {"```json\n{\"a\":1}\n```", `{"a":1}`, false},
		"a fence not closed":   {"```json\n{\"a\":1}", `{"a":1}`, false},
		"behind thoughts":      {`<think>maybe {"a":0}?</think>{"a":1}`, `{"a":1}`, false},
		"behind THINKING":      {"<Thinking>\n{\"a\":0}\n</THINKING>\n{\"a\":1}", `{"a":1}`, false},
		"thoughts not opened":  {`so {"a":0} is wrong</think>{"a":1}`, `{"a":1}`, false},
		"thoughts behind it":   {`{"a":1}<think>was it {"a":2}?`, `{"a":1}`, false},
		"thoughts in a string": {`{"a":"<think>x</think>"}`, `{"a":"<think>x</think>"}`, false},
		"a fence in a string":  {"{\"a\":\"```json {} ```\"}", "{\"a\":\"```json {} ```\"}", false},
		"braces in prose":      {`Dear {name}, {"a":1}`, `{"a":1}`, false},
		"braces in a string":   {`{"a":"} { \" }"}`, `{"a":"} { \" }"}`, false},
		"a brace too many":     {`{"a":1}}`, `{"a":1}`, false},
		"the same twice":       {"{\"a\":1}\n{ \"a\": 1 }", `{"a":1}`, false},
		"a broken one first":   {`{"a":1,} {"a":1}`, `{"a":1}`, false},
		"a large number":       {`{"a":12345678901234567890.5}`, `{"a":12345678901234567890.5}`, false},
		"invalid UTF-8":        {"{\"a\":\"\xff\"}", `{"a":"�"}`, false},
		"a note in brackets":   {`[1] {"a":1}`, `{"a":1}`, false},

		"a comma at the end":       {`{"a":[1,2,],}`, `{"a":[1,2]}`, true},
		"single quotes":            {`{'a': 'b'}`, `{"a":"b"}`, true},
		"bare keys":                {`{a: 1}`, `{"a":1}`, true},
		"Python's words":           {`{"a": None, "b": True, "c": False}`, `{"a":null,"b":true,"c":false}`, true},
		"a line break in a string": {"{\"a\":\"b\nc\"}", `{"a":"b\nc"}`, true},
		"brackets missing":         {`{"a":[{"b":"c"}`, `{"a":[{"b":"c"}]}`, true},
		"only the last missing":    {`{"a":{"b":true}`, `{"a":{"b":true}}`, true},
		"a bracket missing inside": {`{"a":[1,2}`, `{"a":[1,2]}`, true},
		"a comma missing":          {`{"a":1 "b":2}`, `{"a":1,"b":2}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, repaired, err := models.Extract(c.text)
			if err != nil || string(got) != c.want || repaired != c.repaired {
				t.Errorf("Extract(%q) = %s, %v, %v; want %s, %v", c.text, got, repaired, err, c.want, c.repaired)
			}
		})
	}
}

func TestExtractRefusesWhatIsInDoubt(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":               {" \n", "empty"},
		"prose":                 {"I found nothing of note.", "no JSON object"},
		"thoughts alone":        {`<think>{"a":1}`, "thoughts"},
		"an array":              {`[{"a":1}]`, "array"},
		"an array in a fence":   {"```json\n[ {\"a\":1} ]\n```", "array"},
		"an array of numbers":   {`[1, 2]`, "array"},
		"two that differ":       {`{"a":1} {"a":2}`, "more than one"},
		"two repaired":          {`{"a":1,} {"a":2,}`, "more than one"},
		"cut in a string":       {`{"a":"the disk is fu`, "ends in the middle"},
		"cut in a number":       {`{"a":12`, "ends in the middle"},
		"cut behind a key":      {`{"a":1,"b"`, "ends in the middle"},
		"cut behind a colon":    {`{"a":`, "ends in the middle"},
		"left out":              {`{"a":[1,2,...]}`, "cannot be read"},
		"a value missing":       {`{"a": }`, "cannot be read"},
		"a comment":             {`{"a":1 // or was it 2?` + "\n}", "cannot be read"},
		"too deep":              {strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), "deeper"},
		"too large":             {`{"a":"` + strings.Repeat("x", 300<<10) + `"}`, "larger"},
		"JSON within a string":  {`"{\"a\":1}"`, "no JSON object"},
		"a lot of objects":      {strings.Repeat(`{"a":1}`, 1000), "more than one"},
		"Mongo's way of saying": {`{"a": NumberLong("2")}`, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := models.Extract(c.text)
			if err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Extract(%.80q) = %s, %v; want an error with %q", c.text, got, err, c.want)
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		`{"a":1}`, "```json\n{\"a\":[1,2,],}\n```", `<think>{"a"</think>{'a': None}`, `{"a":"b`, `{"a":{"b":[`, `[{"a":1}]`,
		"{\"a\":\"b\nc\"}", `{a:1 b:2}`, `{"a":1}{"a":1}`, `{"a":"\ud800"}`, "{\"a\":\"\x00\xff\"}", `{"":{}}`, `{"a": /x/, 'b': "c" + "d"}`,
		strings.Repeat("{'a':", 70), strings.Repeat(`{"a" `, 40), `{"a":C:\temp\u12}`, "{\"a\":`b`}", `{"-":- .5e}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, repaired, err := models.Extract(text)
		if err != nil {
			if got != nil || repaired {
				t.Fatalf("an error and a result: %s", got)
			}
			return
		}
		var object map[string]any
		if !json.Valid(got) || json.Unmarshal(got, &object) != nil || object == nil {
			t.Fatalf("Extract(%q) = %q, which is no JSON object", text, got)
		}
		again, _, err := models.Extract(string(got))
		if err != nil || string(again) != string(got) {
			t.Fatalf("Extract of its own result %s = %s, %v", got, again, err)
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	item := `{"category":"watch","text":"The disk of the mail server is 93 % full and grows by 2 % a day","cites":["files/1","health/2"],"strength":0.6},`
	text := "<think>Let me look.</think>\n```json\n{\"findings\":[" + strings.Repeat(item, 4096/len(item)) + "{}]}\n```"
	broken := strings.Replace(text, "{}]}", "{},]}", 1)
	for name, text := range map[string]string{"whole": text, "repaired": broken} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := models.Extract(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
