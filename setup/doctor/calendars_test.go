package doctor_test

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/setup/doctor"
)

// TestCalendars holds each fault of a calendar on a server against what is said of it.
func TestCalendars(t *testing.T) {
	const password = "Vq7mZx2LwR9tKpB4"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != password {
			w.WriteHeader(http.StatusUnauthorized)
		}
		if r.URL.Path == "/home.ics" {
			_, _ = w.Write([]byte("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"))
		}
	}))
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	testutil.Write(t, ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	at := func(kind, path string) string {
		return fmt.Sprintf("senses: {calendar: [{id: home, %s: %s%s, ca_file: %s, user: me, password_env: CALENDAR_PASSWORD}]}", kind, server.URL, path, ca)
	}
	given := func(value string, now time.Time) func(*testing.T, *patient) {
		return func(_ *testing.T, p *patient) {
			p.env["CALENDAR_PASSWORD"] = value
			if !now.IsZero() {
				p.options.Now = func() time.Time { return now }
			}
		}
	}
	for name, test := range map[string]struct {
		fault
		next string
	}{
		"all is well":         {fault{at("url", "/home.ics"), given(password, time.Time{}), "home", doctor.OK, "with 1 events"}, ""},
		"a wrong password":    {fault{at("url", "/home.ics"), given("other", time.Time{}), "home", doctor.Broken, "refused"}, "check user and password"},
		"no password":         {fault{at("caldav", ""), nil, "home", doctor.Broken, "CALENDAR_PASSWORD: it is not set"}, "export it"},
		"no calendar":         {fault{at("caldav", ""), given(password, time.Time{}), "home", doctor.Broken, "no calendars are found"}, "check the address"},
		"a strange authority": {fault{strings.Replace(at("url", "/home.ics"), "ca_file: "+ca+", ", "", 1), given(password, time.Time{}), "home", doctor.Broken, "certificate does not hold"}, "ca_file"},
		"a file": {fault{"senses: {calendar: [{id: home, ics: home.ics}]}", func(t *testing.T, p *patient) {
			write(t, p.dir+"/home.ics", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n", 0o600)
		}, "home", doctor.OK, "events: 1"}, ""},
		"a file that was cut": {fault{"senses: {calendar: [{id: home, ics: home.ics}]}", func(t *testing.T, p *patient) {
			write(t, p.dir+"/home.ics", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\n", 0o600)
		}, "home", doctor.Broken, "END:VCALENDAR"}, "export it again"},
		"a folder":            {fault{"senses: {calendar: [{id: home, ics: home.ics}]}", func(t *testing.T, p *patient) { write(t, p.dir+"/home.ics/a", "", 0o600) }, "home", doctor.Broken, "is not a file"}, "set ics to an .ics file"},
		"no iCalendar":        {fault{"senses: {calendar: [{id: home, ics: home.ics}]}", func(t *testing.T, p *patient) { write(t, p.dir+"/home.ics", "hello", 0o600) }, "home", doctor.Broken, "no iCalendar file"}, "export it again"},
		"a certificate's end": {fault{at("url", "/home.ics"), given(password, server.Certificate().NotAfter.AddDate(0, 0, -7)), "home certificate", doctor.Degraded, "certificate ends on"}, "renew"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := test.told(t, password); !strings.Contains(got.Next, test.next) || got.Part != doctor.PartCalendars {
				t.Errorf("%+v, want %q", got, test.next)
			}
		})
	}
}
