package deliberate

import (
	"fmt"
	"testing"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// TestShortenedStep: a step that was cut still says whose words were in it.
func TestShortenedStep(t *testing.T) {
	var s Step
	for i := range 20 {
		s.Words = append(s.Words, escalate.Word{Trust: subconscious.Machine, Ref: subconscious.Ref(fmt.Sprint(i))})
	}
	s.Words = append(s.Words, escalate.Word{Trust: subconscious.Agent}, escalate.Word{Trust: subconscious.Outsider})
	short := s.shortened()
	taint := escalate.Taint{}.With(short.Words...)
	if !short.Cut || len(short.Words) != 8 || !taint.Has(subconscious.Outsider) || !taint.Has(subconscious.Agent) || !taint.Has(subconscious.Machine) {
		t.Errorf("it is %+v", short.Words)
	}
}
