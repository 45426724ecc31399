package engine

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEngine asks the engine as it is, without any driver.
func TestEngine(t *testing.T) {
	engine := Start(t)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	exchange := func(method, path, body string) (int, string) {
		t.Helper()
		request, err := http.NewRequest(method, engine.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		data, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(data)
	}
	if status, body := exchange(http.MethodGet, "/v1/models", ""); status != 200 || !strings.Contains(body, `"`+Model+`"`) {
		t.Errorf("models: %d %s", status, body)
	}
	schema := `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":` +
		`{"word":{"enum":["calm","storm"]},"sure":{"type":"boolean"}},"required":["word","sure"],"additionalProperties":false}}}`
	status, body := exchange(http.MethodPost, "/v1/chat/completions", `{"model":"toy","max_tokens":60,`+schema+`,"messages":[{"role":"user","content":"How is it?"}]}`)
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	var verdict struct {
		Word string
		Sure *bool
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 || len(answer.Choices) != 1 {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	content := answer.Choices[0].Message.Content
	if err := json.Unmarshal([]byte(content), &verdict); err != nil || !slices.Contains([]string{"calm", "storm"}, verdict.Word) || verdict.Sure == nil {
		t.Errorf("%q does not keep to its schema: %v", content, err)
	}
	_, body = exchange(http.MethodPost, "/v1/chat/completions", `{"model":"toy","max_tokens":20,"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Go on"}]}`)
	if !strings.HasSuffix(body, "data: [DONE]\n\n") || strings.Count(body, `"content":`) < 5 || !strings.Contains(body, `"prompt_tokens":`) {
		t.Errorf("the stream is %s", body)
	}
	for _, bad := range []string{`{`, `{"model":"toy"}`, `{"messages":[],"response_format":{"type":"xml"}}`} {
		if status, body := exchange(http.MethodPost, "/v1/chat/completions", bad); status != 400 {
			t.Errorf("%s: %d %s", bad, status, body)
		}
	}
	if status, _ := exchange(http.MethodGet, "/elsewhere", ""); status != 404 {
		t.Errorf("elsewhere: %d", status)
	}
}
