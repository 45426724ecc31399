package models

// InWords tells a model of a schema that its provider does not enforce.
func InWords(s Schema) string {
	return "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n" + string(s.JSON)
}
