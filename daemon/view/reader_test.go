package view

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/store"
)

func TestAnswer(t *testing.T) {
	full := &store.Error{Code: store.CodeDiskFull, Text: "there is no space left", Next: "Free some space", Err: io.ErrShortWrite}
	for _, test := range []struct {
		name string
		err  error
		want api.Problem
	}{
		{"a full disk", fmt.Errorf("commit tick 2: %w", full),
			api.Problem{Code: api.CodeUnavailable, Detail: "there is no space left", Next: "free some space"}},
		{"a command that cannot be taken", &store.Error{Code: store.CodeInput, Text: "too long", Next: "Shorten it"},
			api.Problem{Code: api.CodeBadRequest, Detail: "too long", Next: "shorten it"}},
		{"without a next step", &store.Error{Code: store.CodeBusy, Text: "held"},
			api.Problem{Code: api.CodeUnavailable, Detail: "held"}},
		{"said already", api.Errorf(api.CodePaused, "resume", "paused: %w", full),
			api.Problem{Code: api.CodePaused, Detail: "paused: " + full.Error(), Next: "resume"}},
		{"a fault", io.ErrUnexpectedEOF,
			api.Problem{Code: api.CodeInternal, Detail: "the daemon failed to answer", Next: "read its log for the reason"}},
	} {
		got := Answer(test.err)
		if !errors.Is(got, test.err) && !errors.Is(test.err, got) {
			t.Errorf("%s: the cause is lost", test.name)
		}
		if p := api.ProblemOf(got); p.Code != test.want.Code || p.Detail != test.want.Detail || p.Next != test.want.Next {
			t.Errorf("%s: %s, %q, %q", test.name, p.Code, p.Detail, p.Next)
		}
	}
	if Answer(nil) != nil {
		t.Error("no error became one")
	}
}
