package daemon_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/api"
	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/notifytest"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
	"github.com/subconsciousd/subconsciousd/senses/mail/mailtest"
	"github.com/subconsciousd/subconsciousd/setup"
)

// signInAt signs a person in at a provider, as by "auth mail --paste".
func signInAt(t *testing.T, options oauth.Options) {
	t.Helper()
	flow, err := oauth.Begin(options, oauth.Request{})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	browser := &http.Client{Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Get(flow.URL())
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if _, err := flow.Paste(t.Context(), response.Header.Get("Location")); err != nil {
		t.Fatal(err)
	}
}

// accessToken is the one that is kept.
func accessToken(t *testing.T, path string) string {
	t.Helper()
	text := testutil.Read(t, path)
	var kept struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal(text, &kept); err != nil || kept.Access == "" {
		t.Fatalf("the sign-in holds no token: %v", err)
	}
	return kept.Access
}

// mailState is how the sense mail fares.
func (w *world) mailState() api.SenseStatus {
	w.t.Helper()
	for _, s := range w.status().Senses {
		if s.Kind == mail.Name {
			return s
		}
	}
	w.t.Fatal("there is no sense mail")
	return api.SenseStatus{}
}

// mailServer is one that ends after the mind.
func mailServer(t testing.TB, users ...mailtest.User) *mailtest.Server {
	t.Helper()
	server := mailtest.New(mailtest.Options{Users: users})
	t.Cleanup(func() {
		ctx, done := context.WithTimeout(context.Background(), patience)
		defer done()
		if err := server.Close(ctx); err != nil {
			t.Errorf("close the mail server: %v", err)
		}
	})
	return server
}

// TestSearchedMailIsOfAccountsThatAreLookedAt: what is kept of an account that
// was taken out of the configuration is found by no model.
func TestSearchedMailIsOfAccountsThatAreLookedAt(t *testing.T) {
	const person, first, second = "sam@example.com", "the lighthouse of the first account", "the lighthouse of the second account"
	w := newWorld(t)
	off := false
	accounts := map[string]mail.Config{}
	servers := map[string]*mailtest.Server{}
	for id, subject := range map[string]string{"first": first, "second": second} {
		server := mailServer(t, mailtest.User{Name: person, Password: "sample"})
		at := start.Add(-time.Hour)
		server.User(person).Deliver("INBOX", []byte("From: Ines <ines@example.org>\r\nTo: "+person+"\r\nSubject: "+subject+"\r\nMessage-ID: <"+id+
			"@example.org>\r\nDate: "+at.Format(time.RFC1123Z)+"\r\n\r\nHello Sam, can you send me the plan by Friday?\r\n"), at)
		accounts[id] = mail.Config{ID: id, Host: "localhost", Security: account.None, User: person, Idle: &off, Password: secret.Ref{Env: "MAIL_PASSWORD"}, Port: len(servers) + 1}
		servers[net.JoinHostPort("localhost", strconv.Itoa(len(servers)+1))] = server
	}
	w.options.Env = func(string) (string, bool) { return "sample", true }
	w.options.DialMail = func(_ context.Context, _, address string) (net.Conn, error) { return servers[address].Dial() }
	found := func() (subjects []string) {
		t.Helper()
		mails, err := w.d.SearchMail(t.Context(), "lighthouse")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range mails {
			subjects = append(subjects, l.Subject)
		}
		slices.Sort(subjects)
		return subjects
	}
	w.options.Config.Senses.Mail = []mail.Config{accounts["first"], accounts["second"]}
	w.begin()
	w.ticks(3)
	if got := found(); len(got) != 2 || !strings.Contains(got[0], first) || !strings.Contains(got[1], second) {
		t.Fatalf("of two accounts it finds %q", got)
	}
	w.options.Config.Senses.Mail = []mail.Config{accounts["second"]}
	w.restart()
	w.tick()
	if got := found(); len(got) != 1 || !strings.Contains(got[0], second) {
		t.Errorf("of the account that is left it finds %q", got)
	}
}

// lettered is a mind that looks at the mail of one account, with its server's box.
func lettered(t testing.TB, w *world, click string) (server *mailtest.Server, box *mailtest.Box) {
	t.Helper()
	const person = "sam@example.com"
	server = mailServer(t, mailtest.User{Name: person, Password: "sample"})
	off := false
	w.options.Env = func(string) (string, bool) { return "sample", true }
	w.options.DialMail = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
	w.options.Config.Senses.Mail = []mail.Config{{ID: "home", Host: "localhost", Security: account.None, User: person, Idle: &off,
		Password: secret.Ref{Env: "MAIL_PASSWORD"}, Click: click}}
	return server, server.User(person)
}

// letter is one of Ines to Sam.
func letter(subject, text, id string, at time.Time) []byte {
	return mailtest.Compose(mailtest.Message{From: "Ines <ines@example.org>", To: []string{"sam@example.com"}, Subject: subject, Text: text, MessageID: id, Date: at})
}

// TestMissedThatWasPassedOver: what the sense did not report is found where it lies,
// and why; where its server cannot be asked, that is said.
func TestMissedThatWasPassedOver(t *testing.T) {
	w := newWorld(t)
	server, box := lettered(t, w, "")
	at := start.Add(-24 * time.Hour)
	box.Deliver("INBOX", letter("The kayak", "It is sold.", "", at), at)
	box.Create("A\xff") // no program can ask for it
	box.Create("Projects")
	box.Deliver("Projects", letter("The zeppelin", "It is late.", "", at), at)
	w.begin()
	w.ticks(2)
	box.Deliver("INBOX", letter("The lighthouse", "It is dark.", "", start), start)
	for words, want := range map[string]string{
		"the kayak": "before the account was first looked at", "the zeppelin": `lies in the folder "Projects"`, "the lighthouse": "has not been looked at yet",
	} {
		trace := w.missed(words)
		if len(trace.Candidates) != 1 || !strings.Contains(trace.Verdict, want) || trace.Missed || trace.Counted ||
			trace.Candidates[0].Observation.Attrs["from"] != "ines@example.org" {
			t.Errorf("%s: %+v", words, trace)
		}
	}
	w.tick()
	if trace := w.missed("the lighthouse"); !strings.HasPrefix(stages(trace), "+sense") || !trace.Missed {
		t.Errorf("reported: %+v", trace)
	}
	server.Refuse(mailtest.Unavailable, 100)
	server.Drop()
	if trace := w.missed("the kayak"); len(trace.Candidates) != 0 || len(trace.Steps) == 0 || !strings.Contains(trace.Steps[0].Text, "cannot be looked for now") {
		t.Errorf("without the server: %+v", trace)
	}
}

// TestClick: a tap opens the letter at the address of the configuration, in which its
// Message-ID is a name and nothing more; a channel that others read has no address.
func TestClick(t *testing.T) {
	w := newWorld(t)
	phone := phoned(w)
	watch := &notifytest.Recorder{}
	w.options.Channels = append(w.options.Channels, notify.Channel{ID: "watch", Kind: "recorder", Content: notify.ContentTitle, Notifier: watch})
	_, box := lettered(t, w, "https://mail.example.com/#search/{id}")
	at := start.Add(-48 * time.Hour)
	box.Create("Sent")
	box.Deliver("Sent", mailtest.Compose(mailtest.Message{From: "sam@example.com", To: []string{"Ines <ines@example.org>"}, Subject: "Hello", Text: "Hello Ines.", Date: at}), at)
	w.begin()
	w.ticks(2)
	box.Deliver("INBOX", letter("The plan",
		"Hello Sam, can you send me the plan by 15:00 today? It is urgent, we lose the hall otherwise.", "a/../x?b=http://evil.example&c#d@example.org", start), start)
	w.ticks(2)
	w.pushed(phone, "the letter", "Ines")
	w.pushed(watch, "the letter", "Ines")
	if got, want := phone.Messages()[0].Link, "https://mail.example.com/#search/a%2F..%2Fx%3Fb%3Dhttp%3A%2F%2Fevil.example%26c%23d%40example.org"; got != want {
		t.Errorf("a tap opens %s, want %s", got, want)
	}
	if got := watch.Messages()[0].Link; got != "" {
		t.Errorf("by the title alone a tap opens %s", got)
	}
}

// TestMailTokenThatIsRefused: a token that the mail server does not take, though
// it has not run out, is replaced by the daemon itself at its next sign-in.
func TestMailTokenThatIsRefused(t *testing.T) {
	const person = "sam@example.com"
	provider := oauthtest.New(oauthtest.Options{ClientID: "sample"})
	defer provider.Close()
	server := mailServer(t, mailtest.User{Name: person})
	w := newWorld(t)
	off := false
	c := mail.Config{ID: "home", Host: "localhost", Security: account.None, User: person, Idle: &off,
		OAuth: &oauth.Config{Provider: oauth.Custom, ClientID: "sample", AuthURL: provider.AuthURL(), TokenURL: provider.TokenURL(), Scopes: []string{"imap"}}}
	w.options.Config.Senses.Mail = []mail.Config{c}
	w.options.DialMail = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
	signIn := setup.MailSignIn(c, w.state, nil)
	signInAt(t, signIn)
	first := accessToken(t, signIn.Path)
	server.SetToken(person, "none that was given out")

	w.begin()
	w.tick()
	if s := w.mailState(); s.State == "ok" {
		t.Fatalf("a token that is refused lets it in: %+v", s)
	}
	var second string
	for range 5 { // what failed is not tried at every tick
		w.clock.advance(time.Hour)
		w.tick()
		if second = accessToken(t, signIn.Path); second != first {
			break
		}
	}
	if second == first {
		t.Fatal("the token that was refused is kept")
	}
	server.SetToken(person, second)
	for range 5 {
		w.clock.advance(time.Hour)
		w.tick()
		if w.mailState().State == "ok" {
			return
		}
	}
	t.Errorf("the token that took its place is not used: %+v", w.mailState())
}

// TestMailsNamedLikeTokens: mails of unrelated senders whose Message-IDs look
// like secrets are two incidents, a thread of such mails is one, and each can be
// read by its reference.
func TestMailsNamedLikeTokens(t *testing.T) {
	const person = "sam@example.com"
	first, second, third := "ghp_16C7e42F292c6912E7710c838347Ae178B4a@example.org", "ghp_0aB3x81Kq7ZtR5mWv2LcYd9HsGf4NpJuE6oT@example.org", "xoxb-123456789012-abcdefABCDEF123456789012@example.org"
	server := mailServer(t, mailtest.User{Name: person, Password: "sample"})
	for i, l := range []struct{ from, id, refs string }{
		{"Ines <ines@example.org>", first, ""}, {"Mallory <mallory@example.net>", second, ""},
		{"Tom <tom@example.net>", third, first}, {"Mallory <mallory@example.net>", "plain@example.net", second},
	} {
		at := start.Add(time.Duration(i-9) * time.Hour)
		server.User(person).Deliver("INBOX", []byte("From: "+l.from+"\r\nTo: "+person+"\r\nSubject: the lighthouse\r\nMessage-ID: <"+l.id+">\r\nReferences: <"+l.refs+
			">\r\nDate: "+at.Format(time.RFC1123Z)+"\r\n\r\nHello Sam, can you send me the plan of house "+strconv.Itoa(i)+" by Friday?\r\n"), at)
	}
	w := newWorld(t)
	off := false
	w.options.Config.Senses.Mail = []mail.Config{{ID: "home", Host: "localhost", Security: account.None, User: person, Idle: &off, Password: secret.Ref{Env: "MAIL_PASSWORD"}}}
	w.options.Env = func(string) (string, bool) { return "sample", true }
	w.options.DialMail = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
	w.begin()
	w.ticks(3)
	incidents := map[string]int{}
	w.query(`SELECT body FROM mind_incidents WHERE key LIKE 'thread:%'`, func(scan func(...any) error) error {
		var body string
		err := scan(&body)
		incidents[body]++
		return err
	})
	if len(incidents) != 2 {
		t.Errorf("two threads are %d incidents: %v", len(incidents), incidents)
	}
	mails, err := w.d.SearchMail(t.Context(), "lighthouse")
	if err != nil || len(mails) != 4 {
		t.Fatalf("it finds %d mails, %v", len(mails), err)
	}
	for _, l := range mails {
		if read, err := w.d.Mailbox().Mail(t.Context(), l.Ref); err != nil || !strings.Contains(l.Text, strings.TrimSpace(read.Text)) || len(read.Thread) != 1 {
			t.Errorf("%s is read as %+v, %v", l.Ref, read, err)
		}
	}
}
