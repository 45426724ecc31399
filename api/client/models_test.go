package client

import (
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/api/apitest"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

func TestModelMethods(t *testing.T) {
	folder := testutil.Folder(t)
	apitest.Serve(t, folder, apitest.Thinking(), api.Options{Now: apitest.At})
	c, ctx := newClient(t, folder), t.Context()
	if models, err := Ask(ctx, c, api.GetModels, api.Nothing{}); err != nil || len(models) != 5 || models[0].State != api.ModelResting {
		t.Errorf("models: %v %+v", err, models)
	}
	if tests, err := Ask(ctx, c, api.PostModelTest, api.ModelTestRequest{Who: "workshop"}); err != nil || len(tests) != 1 || !tests[0].OK {
		t.Errorf("tests: %v %+v", err, tests)
	}
	if prompt, err := Ask(ctx, c, api.GetPrompt, api.PromptQuery{Thread: "watcher"}); err != nil || prompt.Hash == "" {
		t.Errorf("prompt: %v %+v", err, prompt)
	}
	since := apitest.At().Add(-90 * time.Minute)
	if report, err := Ask(ctx, c, api.GetReport, api.ReportQuery{Since: since}); err != nil || !report.Since.Equal(since) || report.Ticks != 288 {
		t.Errorf("report: %v %+v", err, report)
	}
	if report, err := Ask(ctx, c, api.GetReport, api.ReportQuery{Since: time.Time{}}); err != nil || report.Until.Sub(report.Since) != 24*time.Hour {
		t.Errorf("report of a day: %v %+v", err, report)
	}
}
