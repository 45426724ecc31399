package daemon_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
	"github.com/subconsciousd/subconsciousd/senses/calendar"
)

// google answers as Google's calendars do.
type google func(r *http.Request) (status int, body string)

func (g google) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := g(r)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestGoogleTakesTheSignInBack: the tick that meets it shows what to run, what
// stood stands, and it is told once.
func TestGoogleTakesTheSignInBack(t *testing.T) {
	provider := oauthtest.New(oauthtest.Options{ClientID: "sample"})
	t.Cleanup(provider.Close)
	w := newWorld(t)
	signIn := oauth.Config{Provider: oauth.Custom, ClientID: "sample", AuthURL: provider.AuthURL(), TokenURL: provider.TokenURL(), Scopes: []string{"calendar"}}
	signInAt(t, oauth.Options{Config: signIn, Path: oauth.Path(w.state, "calendar", "work")})
	var over atomic.Bool
	w.options.Google = google(func(r *http.Request) (int, string) {
		switch {
		case over.Load():
			return http.StatusUnauthorized, `{"error": {"message": "Invalid Credentials", "errors": [{"reason": "authError"}]}}`
		case strings.HasSuffix(r.URL.Path, "calendarList"):
			return http.StatusOK, `{"items": [{"id": "me@example.com", "primary": true, "selected": true, "accessRole": "owner"}]}`
		}
		at := start.Add(72 * time.Hour)
		return http.StatusOK, `{"nextSyncToken": "1", "items": [{"id": "e", "iCalUID": "e", "status": "confirmed", "summary": "Roof inspection", "start": {"dateTime": "` +
			at.Format(time.RFC3339) + `"}, "end": {"dateTime": "` + at.Add(time.Hour).Format(time.RFC3339) + `"}}]}`
	})
	w.options.Config.Senses.Calendar = []calendar.Config{{ID: "work", Google: "me@example.com", OAuth: &signIn}}
	w.begin()
	state := func() (state, said string, standing int) {
		for _, s := range w.status().Senses {
			if s.Kind == "calendar" {
				return string(s.State), s.Error, s.Standing
			}
		}
		return "", "", 0
	}
	w.tick()
	if now, said, standing := state(); now != "ok" || standing != 1 {
		t.Fatalf("signed in it is %s, %d stand: %s", now, standing, said)
	}
	over.Store(true)
	provider.Fail(oauthtest.InvalidGrant)
	told := 0
	for range 8 {
		w.clock.advance(slot)
		report := w.tick()
		if now, said, standing := state(); now != "blind" || standing != 1 || !strings.Contains(said, "run: subconsciousctl auth google work") {
			t.Fatalf("it is %s, %d stand: %s", now, standing, said)
		}
		for _, m := range report.Told {
			if strings.HasPrefix(m.Title, "Calendar work has been blind") {
				told++
			}
			if strings.Contains(m.Title+m.Text, "subconsciousctl") {
				t.Errorf("a command is pushed: %q, %q", m.Title, m.Text)
			}
		}
	}
	if told != 1 {
		t.Errorf("it is told %d times, want once", told)
	}
}
