package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"

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

// TestNotifyFakePressed: an answer is told as the button that was pressed, and the
// address of the stand-in shows what it holds.
func TestNotifyFakePressed(t *testing.T) {
	out, end := faked(t, "notify", "fake")
	lines := bufio.NewScanner(out)
	until := func(what string) string {
		for lines.Scan() {
			if strings.Contains(lines.Text(), what) {
				return lines.Text()
			}
		}
		t.Fatalf("%q was not printed", what)
		return ""
	}
	_, url, _ := strings.Cut(until("http://"), "http://")
	url = "http://" + strings.FieldsFunc(url, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == ',' })[0]
	post := func(to, body string) {
		response, err := http.Post(to, "application/json", strings.NewReader(body))
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		_ = response.Body.Close()
	}
	post(url, `{"topic":"mind","title":"Disk is full","message":"10 GB left.","actions":[{"action":"http","label":"Done","url":"`+url+`/re-1","body":"v2.secret"}]}`)
	post(url+"/re-1", "v2.secret")
	if line := until("pressed “Done” of"); strings.Contains(line, "v2.secret") {
		t.Error(line)
	}
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(page), "mind  Disk is full\n10 GB left.") || strings.Contains(string(page), "v2.secret") {
		t.Errorf("%d %q, %v", response.StatusCode, page, err)
	}
	_ = response.Body.Close()
	end()
	_ = out.Close()
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
