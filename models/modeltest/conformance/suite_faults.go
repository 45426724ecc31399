package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
)

// faultIsReported asks under a fault, and checks what the driver makes of it.
func faultIsReported(t testing.TB, s Suite, about modeltest.AboutAFault, streamed bool) {
	b := newBench(t, s, modeltest.Options{Script: modeltest.Eager(), Troubles: []modeltest.Trouble{modeltest.Always(about.Fault)}, Pace: 10 * time.Millisecond})
	request := question()
	request.Tools = []models.Tool{tool("read_file")}
	if streamed {
		request.OnText = func(string) {}
	}
	patience := answerTime
	if waits(about.Fault) {
		patience = silence
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	began, before := time.Now(), allocated()
	answer, err := b.driver.Generate(ctx, request)
	if took := time.Since(began); took > patience+promptly {
		t.Errorf("it came back after %s", took)
	}
	if grown := allocated() - before; grown > maxAllocated {
		t.Errorf("it took %d MiB of memory, want at most %d", grown>>20, maxAllocated>>20)
	}
	b.server.Close() // so that the record is complete
	if b.server.Strayed() > 0 {
		t.Error("it followed to another host")
	}
	if n := b.server.Count(); n != 1 {
		t.Errorf("%d requests were sent: to try again is not for drivers", n)
	}
	b.bounded(about.Fault)
	if err != nil {
		failure := wantKind(t, err, about.Kinds...)
		if failure != nil {
			b.failed(about, failure)
		}
		return
	}
	if len(about.Kinds) > 0 && !about.Answers {
		t.Fatalf("it answers %.100q, want a failure of %v", answer.Text, about.Kinds)
	}
	b.answered(about.Fault, answer)
}

// allocated counts the bytes that were allocated since the process began.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// waits reports whether a fault can only be waited out.
func waits(f modeltest.Fault) bool {
	return f == modeltest.Hang || f == modeltest.HangBefore || f == modeltest.Slow
}

// bounded checks that the driver did not read on and on.
func (b *bench) bounded(f modeltest.Fault) {
	b.t.Helper()
	if sent := b.last().Sent; sent > maxAnswer+inFlight {
		b.t.Errorf("under %s it took %d MiB, want at most %d", f, sent>>20, maxAnswer>>20)
	}
}

// failed checks a failure of the right kind.
func (b *bench) failed(about modeltest.AboutAFault, failure *models.Error) {
	t, f := b.t, about.Fault
	t.Helper()
	text := failure.Error()
	data, err := json.Marshal(failure)
	if err != nil {
		t.Errorf("the failure cannot be written: %v", err)
	}
	for err := error(failure); err != nil; err = errors.Unwrap(err) {
		text += "\n" + err.Error()
	}
	if strings.Contains(text, modeltest.Key) || strings.Contains(string(data), modeltest.Key) || strings.Contains(fmt.Sprintf("%+v", failure), modeltest.Key) {
		t.Errorf("the key is in the failure: %s", text)
	}
	if failure.Text == "" || len(failure.Text) > maxErrorText || strings.Contains(failure.Text, "<html") {
		t.Errorf("its text has %d bytes, want 1 to %d in plain words: %.200q", len(failure.Text), maxErrorText, failure.Text)
	}
	if failure.By != b.driver.Identity() && f != modeltest.WrongModel {
		t.Errorf("it is by %v, want %v", failure.By, b.driver.Identity())
	}
	if failure.Attempts != 1 {
		t.Errorf("attempts %d, want 1", failure.Attempts)
	}
	if paid := b.last().Charged.Total() > 0 && !failure.Usage.Known; paid && failure.Unsure != 1 {
		t.Errorf("unsure is %d, and the request may well be paid for", failure.Unsure)
	}
	if about.Status != 0 && failure.Status != about.Status {
		t.Errorf("status %d, want %d", failure.Status, about.Status)
	}
	switch f {
	case modeltest.RateHeader, modeltest.RateDate, modeltest.RateGemini:
		// The date has whole seconds, and some may have passed.
		if failure.RetryAfter < 4*time.Second || failure.RetryAfter > 7*time.Second {
			t.Errorf("retry after %s, want 7s", failure.RetryAfter)
		}
	default:
		if failure.RetryAfter != 0 {
			t.Errorf("retry after %s, and nothing was said of it", failure.RetryAfter)
		}
	}
}

// answered checks that an odd answer arrives as it was given.
func (b *bench) answered(f modeltest.Fault, answer models.Answer) {
	t := b.t
	t.Helper()
	switch f {
	case modeltest.WrongModel:
		if answer.By.Model != modeltest.Unasked {
			t.Errorf("it is by %v, and %s answered", answer.By, modeltest.Unasked)
		}
	case modeltest.NoUsage:
		if answer.Usage.Known {
			t.Errorf("usage %+v is known, and nothing was said of it", answer.Usage)
		}
	case modeltest.Empty, modeltest.NullContent:
		if answer.Text != "" || len(answer.Calls) > 0 {
			t.Errorf("it says %q, and nothing was said", answer.Text)
		}
	case modeltest.Refusal:
		if answer.Stop != "refused" {
			t.Errorf("it stopped for %q, want \"refused\"", answer.Stop)
		}
	case modeltest.Truncated:
		if answer.Stop != "length" {
			t.Errorf("it stopped for %q, want \"length\"", answer.Stop)
		}
	case modeltest.ToolLoop, modeltest.UnknownTool, modeltest.BadArguments:
		if len(answer.Calls) != 1 || answer.Stop != "tools" {
			t.Errorf("calls %v, stop %q; want one call and \"tools\"", answer.Calls, answer.Stop)
		}
	default:
		if answer.Text == "" {
			t.Errorf("the text is lost")
		}
	}
}
