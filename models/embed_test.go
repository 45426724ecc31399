package models_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/models/modeltest"
	"github.com/subconsciousd/subconsciousd/redact"
)

// TestEmbedderWithholdsPersonalData: a remote embedder is told no more of a
// person than a remote model is, and a local one all.
func TestEmbedderWithholdsPersonalData(t *testing.T) {
	for _, local := range []bool{false, true} {
		server := scripted(t, modeltest.Options{})
		lab := provider("lab", models.OpenAI, server)
		lab.Local = local
		mask := redact.NewMask(redact.MaskOptions{MailAddresses: true})
		r, err := models.OpenRoster(models.RosterOptions{Protocols: protocols,
			Config: models.Config{Timeout: 5 * time.Second, Providers: []models.Provider{lab}, Roles: []models.Role{{ID: models.RoleEmbedding, Provider: "lab", Model: "e-1"}}},
			Env:    func(name string) (string, bool) { value, ok := keyed[name]; return value, ok },
			Masker: func() models.Masker { return mask.New() },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		embedder, _ := r.Embedder()
		if _, err := embedder.Embed(context.Background(), models.Purpose{Role: models.RoleEmbedding}, []string{"from bob@example.com", "to ada@example.com"}); err != nil {
			t.Fatal(err)
		}
		body := string(server.Requests()[0].Body)
		if strings.Contains(body, "ada@example.com") != local || strings.Count(body, "[mail-1]") != map[bool]int{false: 2, true: 0}[local] {
			t.Errorf("local %v: on the wire is %s", local, body)
		}
	}
}

// TestEmbedderCountsWhatWasPaid: what was embedded before a later request
// failed counts against the budget.
func TestEmbedderCountsWhatWasPaid(t *testing.T) {
	server := scripted(t, modeltest.Options{Troubles: []modeltest.Trouble{modeltest.Nth(modeltest.RateHeader, 2)}})
	f := open(t, models.Config{Providers: []models.Provider{provider("lab", models.OpenAI, server)},
		Prices: []models.Price{{Provider: "lab", Model: "e-1", Input: 1}},
		Roles:  []models.Role{{ID: models.RoleEmbedding, Provider: "lab", Model: "e-1"}}}, keyed)
	embedder, _ := f.Embedder()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // less than the provider asks for: it is not asked again
	defer cancel()
	_, err := embedder.Embed(ctx, models.Purpose{Role: models.RoleEmbedding}, strings.Split(strings.Repeat("word ", 40), " "))
	failure := failureOf(t, err)
	if got := f.ledger.settled[1]; failure.Kind != models.KindRate || got.Tokens == 0 || got.Money == 0 || failure.Cost != got.Money || got.Tokens >= f.ledger.charges[0].Worst.Tokens {
		t.Errorf("after %+v it is settled as %+v, of %+v", failure, got, f.ledger.charges[0].Worst)
	}
}

// TestEmbedInParts: where a later request fails, those before it are paid for,
// and the failure says what they took.
func TestEmbedInParts(t *testing.T) {
	texts := make([]string, 33)
	for name, c := range map[string]struct {
		usage  string
		want   models.Usage
		unsure int
	}{
		"known":   {`,"usage":{"prompt_tokens":5,"total_tokens":5}`, models.Usage{Input: 5, Known: true}, 0},
		"unknown": {"", models.Usage{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var vectors []string
			for i := range 32 {
				vectors = append(vectors, fmt.Sprintf(`{"index":%d,"embedding":[1,2]}`, i))
			}
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				if asked++; asked == 2 {
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				_, _ = fmt.Fprintf(w, `{"data":[%s]%s}`, strings.Join(vectors, ","), c.usage)
			}))
			t.Cleanup(server.Close)
			r, err := models.OpenRoster(models.RosterOptions{Protocols: protocols, Config: models.Config{Timeout: 5 * time.Second,
				Providers: []models.Provider{{ID: "lab", Kind: models.OpenAI, BaseURL: server.URL + "/v1/", Local: true}},
				Roles:     []models.Role{{ID: models.RoleEmbedding, Provider: "lab", Model: "e-1"}}},
				Wait: func() time.Duration { return time.Hour }}) // longer than a retry is worth
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			embedder, _ := r.Embedder()
			_, err = embedder.Embed(t.Context(), models.Purpose{}, texts)
			if failure := failureOf(t, err); failure.Kind != models.KindRate || failure.Usage != c.want || failure.Unsure != c.unsure || failure.Attempts != 2 {
				t.Errorf("the failure is %+v, want one after %+v, unsure %d", failure, c.want, c.unsure)
			}
		})
	}
}

// TestEmbedderRests: a model of vectors that fails three times in a row is left alone, as
// any other is.
func TestEmbedderRests(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(server.Close)
	r, err := models.OpenRoster(models.RosterOptions{Protocols: protocols, Config: models.Config{Timeout: 5 * time.Second,
		Providers: []models.Provider{{ID: "lab", Kind: models.OpenAI, BaseURL: server.URL + "/v1/", Local: true}},
		Roles:     []models.Role{{ID: models.RoleEmbedding, Provider: "lab", Model: "e-1"}}},
		Wait: func() time.Duration { return time.Hour }}) // longer than a retry is worth
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	embedder, _ := r.Embedder()
	var kinds []models.Kind
	for range 5 {
		_, err := embedder.Embed(t.Context(), models.Purpose{Role: models.RoleEmbedding}, []string{"a boat"})
		kinds = append(kinds, failureOf(t, err).Kind)
	}
	if asked != 3 || kinds[2] == models.KindResting || kinds[3] != models.KindResting || kinds[4] != models.KindResting {
		t.Errorf("it was asked %d times: %v", asked, kinds)
	}
}
