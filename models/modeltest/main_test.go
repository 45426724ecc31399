package modeltest

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/subconsciousd/subconsciousd/models"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// smallSchema is one that strict providers accept.
func smallSchema() *models.Schema {
	return &models.Schema{Name: "mood", JSON: json.RawMessage(
		`{"type":"object","properties":{"level":{"type":"integer"},"word":{"type":"string","enum":["calm","busy"]}},"required":["level","word"],"additionalProperties":false}`)}
}

func tool(name string) models.Tool {
	return models.Tool{Name: name, Description: "Looks at " + name + ".", Parameters: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string","enum":["/home/notes \"a\".md"]}},"required":["path"],"additionalProperties":false}`)}
}
