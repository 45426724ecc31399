package oauth_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
)

// begin begins a sign-in, hands it on and ends it.
func begin(t *testing.T, options oauth.Options, request oauth.Request, use func(*oauth.Flow)) {
	t.Helper()
	flow, err := oauth.Begin(options, request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := flow.Close(); err != nil {
			t.Error(err)
		}
	}()
	use(flow)
}

// shown is a page that a browser ended at.
type shown struct {
	status int
	text   string
	at     *url.URL
	head   http.Header
	err    error
}

// client is a browser without memory.
func client(t *testing.T) *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// browse opens an address as a browser does, beside the test.
func browse(t *testing.T, address string) <-chan shown {
	t.Helper()
	pages := make(chan shown, 1)
	browser := client(t)
	go func() { pages <- get(t.Context(), browser, address) }()
	return pages
}

func get(ctx context.Context, browser *http.Client, address string) shown {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return shown{err: err}
	}
	response, err := browser.Do(request)
	if err != nil {
		return shown{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return shown{response.StatusCode, string(text), response.Request.URL, response.Header, err}
}

// ended is the address at which a browser ends where nobody listens.
func ended(t *testing.T, address string) string {
	t.Helper()
	browser := client(t)
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.Header.Get("Location")
}

func TestSignInByTheBrowser(t *testing.T) {
	server, options, _ := registered(t, oauthtest.Options{})
	begin(t, options, oauth.Request{Listen: true, Account: "me@example.com"}, func(flow *oauth.Flow) {
		page := browse(t, flow.URL())
		state, err := flow.Wait(t.Context())
		if err != nil || !state.Renewable || state.ClientID != "sample-client" || state.Expiry.IsZero() {
			t.Fatalf("%+v, %v", state, err)
		}
		p := <-page
		if p.err != nil || p.status != http.StatusOK || !strings.Contains(p.text, "You are signed in") || !strings.Contains(p.text, "may close this window") {
			t.Errorf("the page is %+v", p)
		}
		noSecrets(t, server, "the page", p.text)
		if p.head.Get("Cache-Control") != "no-store" || p.head.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(p.head.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("its header is %v", p.head)
		}
		// The same answer again is taken by nobody.
		if again := <-browse(t, p.at.String()); again.err == nil && !strings.Contains(again.text, "answered already") {
			t.Errorf("a code that was used is taken again: %+v", again)
		}
		if _, err := flow.Paste(t.Context(), p.at.String()); err == nil || !strings.Contains(err.Error(), "answered already") {
			t.Errorf("or by hand: %v", err)
		}
	})
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests for a token, want one", n)
	}
	for _, p := range []string{"grant_type=authorization_code", "client_id=sample-client", "code_verifier="} {
		if !strings.Contains(server.Requests()[0].Encode(), p) {
			t.Errorf("%s is not in the request", p)
		}
	}
}

// TestWhatElseAsks: a wrong state, another page, another host name, another
// method. None of them ends the sign-in.
func TestWhatElseAsks(t *testing.T) {
	_, options, _ := registered(t, oauthtest.Options{})
	begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
		ask := func(method, path, host string) int {
			request, err := http.NewRequestWithContext(t.Context(), method, flow.Redirect()+path, nil)
			check(t, err)
			request.Host = host
			response, err := client(t).Do(request)
			check(t, err)
			check(t, response.Body.Close())
			return response.StatusCode
		}
		back, err := url.Parse(flow.URL())
		check(t, err)
		right := "/?code=x&state=" + back.Query().Get("state")
		for _, test := range []struct {
			method, path, host string
			want               int
		}{
			{"GET", "/?code=x&state=wrong", "", 400}, {"GET", "/?code=x", "", 400}, {"GET", "/", "", 400}, {"GET", "/?error=access_denied", "", 400},
			{"GET", strings.Replace(right, "code=x&", "", 1), "", 400},
			{"GET", "/favicon.ico", "", 404}, {"POST", right, "", 404}, {"GET", right, "evil.example.com:80", 404}, {"GET", right, "evil.example.com", 404},
			{"GET", "/?state=" + strings.Repeat("x", 20<<10), "", 400},
		} {
			if got := ask(test.method, test.path, test.host); got != test.want {
				t.Errorf("%s %.60s at %q: HTTP %d, want %d", test.method, test.path, test.host, got, test.want)
			}
		}
		browse(t, flow.URL())
		if _, err := flow.Wait(t.Context()); err != nil {
			t.Errorf("after all that: %v", err)
		}
	})
}

func TestConsentIsDenied(t *testing.T) {
	for code, want := range map[string]string{"access_denied": "was told not to let this program in", "invalid_scope": "check scopes", "<script>": "it did not say why"} {
		server, options, _ := registered(t, oauthtest.Options{Denies: code})
		begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
			page := browse(t, flow.URL())
			_, err := flow.Wait(t.Context())
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, oauth.ErrSignInAgain) {
				t.Errorf("%s: %v", code, err)
			}
			if p := <-page; !strings.Contains(p.text, "You are not signed in") || strings.Contains(p.text, "<b>") || strings.Contains(p.text, "<script>") {
				t.Errorf("%s: the page is %s", code, p.text)
			}
		})
		if _, err := os.Stat(options.Path); !errors.Is(err, os.ErrNotExist) || len(server.Requests()) != 0 {
			t.Errorf("%s: something was kept or asked: %v", code, err)
		}
	}
}

// TestSignInByPasting: the browser is on another machine.
func TestSignInByPasting(t *testing.T) {
	server, options, _ := registered(t, oauthtest.Options{})
	begin(t, options, oauth.Request{}, func(flow *oauth.Flow) {
		address := ended(t, flow.URL())
		other := ""
		begin(t, options, oauth.Request{}, func(flow *oauth.Flow) { other = ended(t, flow.URL()) })
		for text, want := range map[string]string{
			"": "copy all of it", "yes": "copy all of it", flow.Redirect(): "copy all of it", flow.URL(): "copy all of it", other: "another sign-in",
			strings.Split(address, "&state")[0]: "copy all of it", flow.Redirect() + "/?" + strings.Repeat("x", 20<<10): "too long", "?%zz": "copy all of it",
		} {
			if _, err := flow.Paste(t.Context(), text); !errors.Is(err, oauth.ErrNotTheAddress) || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60q: %v", text, err)
			} else {
				noSecrets(t, server, "the error", err.Error())
			}
		}
		if state, err := flow.Paste(t.Context(), ` "`+strings.TrimPrefix(address, "http://")+"#frag\"\n"); err != nil || !state.Renewable {
			t.Fatalf("%+v, %v", state, err)
		}
	})
	if token(t, oauth.New(options)) == "" {
		t.Error("nothing is kept")
	}
}

// TestReplayedCode: somebody used the code before, or the provider took it back.
func TestReplayedCode(t *testing.T) {
	server, options, _ := registered(t, oauthtest.Options{})
	begin(t, options, oauth.Request{}, func(flow *oauth.Flow) {
		address := ended(t, flow.URL())
		server.Fail(oauthtest.InvalidGrant)
		_, err := flow.Paste(t.Context(), address)
		if err == nil || !strings.Contains(err.Error(), "used up or too old") || errors.Is(err, oauth.ErrSignInAgain) {
			t.Error(err)
		}
		noSecrets(t, server, "the error", err.Error())
	})
}

func TestLeavingASignIn(t *testing.T) {
	_, options, _ := registered(t, oauthtest.Options{})
	begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := flow.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	server, options, _ := registered(t, oauthtest.Options{})
	server.Fail(oauthtest.Slow)
	begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
		page := browse(t, flow.URL())
		ctx, leave := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer leave()
		if _, err := flow.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if p := <-page; !strings.Contains(p.text, "You are not signed in") {
			t.Errorf("the page is %+v", p)
		}
	})
}

func TestPortThatIsTaken(t *testing.T) {
	_, options, _ := registered(t, oauthtest.Options{})
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	check(t, err)
	defer func() { _ = taken.Close() }()
	if _, err := oauth.Begin(options, oauth.Request{Listen: true, Port: taken.Addr().(*net.TCPAddr).Port}); err == nil || !strings.Contains(err.Error(), "at port") {
		t.Error(err)
	}
}

// TestProviders looks at what is asked of those whose addresses are known.
func TestProviders(t *testing.T) {
	for _, test := range []struct {
		provider, prefix string
		want             url.Values
	}{
		{oauth.Google, "https://accounts.google.com/", url.Values{"scope": {"https://mail.google.com/"}, "access_type": {"offline"}, "prompt": {"consent"}}},
		{oauth.Microsoft, "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?", url.Values{"scope": {"https://outlook.office.com/IMAP.AccessAsUser.All offline_access"}}},
	} {
		flow, err := oauth.Begin(oauth.Options{Config: oauth.Config{Provider: test.provider, ClientID: "me"}, Path: oauth.Path(t.TempDir(), "mail", "home")}, oauth.Request{Account: "me@example.com", Port: 8085})
		check(t, err)
		at, err := url.Parse(flow.URL())
		check(t, err)
		test.want.Set("login_hint", "me@example.com")
		test.want.Set("code_challenge_method", "S256")
		test.want.Set("response_type", "code")
		for name := range test.want {
			if got := at.Query().Get(name); got != test.want.Get(name) {
				t.Errorf("%s: %s is %q", test.provider, name, got)
			}
		}
		if !strings.HasPrefix(flow.URL(), test.prefix) || len(at.Query().Get("state")) < 20 || len(at.Query().Get("code_challenge")) != 43 || !strings.HasSuffix(at.Query().Get("redirect_uri"), ":8085") {
			t.Errorf("%s: %s", test.provider, flow.URL())
		}
		check(t, flow.Close())
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	good := oauth.Config{Provider: oauth.Custom, ClientID: "me", AuthURL: "https://login.example.com/a", TokenURL: "http://127.0.0.1:1/t", Scopes: []string{"imap"}}
	check(t, good.Validate())
	check(t, oauth.Config{Provider: oauth.Google, ClientID: "me"}.Validate())
	for want, change := range map[string]func(*oauth.Config){
		"provider: is missing":  func(c *oauth.Config) { c.Provider = "" },
		"provider: \"yahoo\"":   func(c *oauth.Config) { c.Provider = "yahoo" },
		"client_id: is missing": func(c *oauth.Config) { c.ClientID = " " },
		"client_id: has spaces": func(c *oauth.Config) { c.ClientID = "a b" },
		"auth_url: is missing":  func(c *oauth.Config) { c.AuthURL = "" },
		"auth_url: is no address; write it as https://example.com/authorize": func(c *oauth.Config) { c.AuthURL = "login.example.com" },
		"auth_url: is not prot":                   func(c *oauth.Config) { c.AuthURL = "http://login.example.com" },
		"token_url: is not prot":                  func(c *oauth.Config) { c.TokenURL = "http://127.0.0.1.example.com" },
		"token_url: has a name":                   func(c *oauth.Config) { c.TokenURL = "https://me:pw@login.example.com" },
		"client_id: has spaces in it, or is over": func(c *oauth.Config) { c.ClientID = strings.Repeat("x", 256) },
		"mechanism: \"plain\"":                    func(c *oauth.Config) { c.Mechanism = "plain" },
		"scopes: is missing":                      func(c *oauth.Config) { c.Scopes = nil },
		"scopes[0]:":                              func(c *oauth.Config) { c.Scopes = []string{"a b"} },
		"scopes[1]:":                              func(c *oauth.Config) { c.Scopes = []string{"a", `"b"`} },
		"scopes[20]:":                             func(c *oauth.Config) { c.Scopes = strings.Fields(strings.Repeat("imap ", 21)) },
		"auth_url: is known":                      func(c *oauth.Config) { c.Provider = oauth.Google },
		"client_secret_env:":                      func(c *oauth.Config) { c.Secret.Env, c.Secret.File = "A", "/b" },
	} {
		c := good
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if _, err := oauth.Begin(oauth.Options{Config: c}, oauth.Request{}); err == nil {
			t.Errorf("%s: a sign-in begins", want)
		}
	}
}
