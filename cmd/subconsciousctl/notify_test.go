package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/subconsciousd/subconsciousd/notify/ntfy/ntfytest"
)

// TestNotifyFake serves, takes a message, breaks as it was told to, and ends.
func TestNotifyFake(t *testing.T) {
	out, end := faked(t, "notify", "fake", "--json", "--fault", "broken@2")
	answers := json.NewDecoder(out)
	var ready struct{ URL, Topic, Config string }
	if err := answers.Decode(&ready); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{http.StatusOK, http.StatusInternalServerError} {
		response, err := http.Post(ready.URL+"/"+ready.Topic, "text/plain", strings.NewReader("It works."))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("message %d: status %d, want %d", i+1, response.StatusCode, want)
		}
	}
	var seen ntfytest.Message
	if err := answers.Decode(&seen); err != nil {
		t.Fatal(err)
	}
	if seen.Topic != ready.Topic || seen.Message != "It works." {
		t.Errorf("it was told of as %+v", seen)
	}
	end()
	if rest, err := io.ReadAll(out); err != nil || strings.TrimSpace(string(rest)) != "" {
		t.Errorf("after it, %q, %v", rest, err)
	}
	_ = out.Close()
	// What it tells people to write is a configuration.
	if _, err := loadText(t, ready.Config); err != nil {
		t.Errorf("the configuration that it prints does not load: %v\n%s", err, ready.Config)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]ntfytest.Trouble{
		"broken":      {Fault: ntfytest.Broken, Use: ntfytest.Publish},
		"cut-after@3": {Fault: ntfytest.CutAfter, Use: ntfytest.Publish, Skip: 2, Times: 1},
		"silent":      {Fault: ntfytest.Silent, Use: ntfytest.Stream},
	} {
		if got, err := parseFault(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, args := range [][]string{{"--fault", "rain"}, {"--fault", "broken@0"}, {"--fault", "broken@x"}, {"--listen", "nowhere"}, {"--listen", ":80"}} {
		var errs strings.Builder
		if code := run(t.Context(), here(io.Discard, &errs, append([]string{"notify", "fake"}, args...)...)); code != exitUsage || !strings.Contains(errs.String(), args[0]) {
			t.Errorf("%v: exit code %d, %s", args, code, &errs)
		}
	}
	var wrong *usageError
	if err := (&app{}).fakeChannel(t.Context(), "127.0.0.1:0", []string{"rain"}); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
}
