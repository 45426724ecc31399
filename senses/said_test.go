package senses_test

import (
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/senses"
)

// TestDegradedKeepsItsNextStep: what is wrong names a path, and what to do
// comes after it.
func TestDegradedKeepsItsNextStep(t *testing.T) {
	said := "cannot be read: /home/someone/" + strings.Repeat("folder/", 30) + " (permission denied); give this user the right to read"
	batch, _ := senses.Cleaner{}.Batch(noon, senses.SenseID{Sense: "files", ID: "work"}, senses.Batch{Degraded: said})
	if batch.Degraded != said {
		t.Errorf("cut to %q", batch.Degraded)
	}
	batch, _ = senses.Cleaner{}.Batch(noon, senses.SenseID{Sense: "files", ID: "work"}, senses.Batch{Degraded: strings.Repeat(said, 100)})
	if len(batch.Degraded) > 400 {
		t.Errorf("%d bytes", len(batch.Degraded))
	}
}
