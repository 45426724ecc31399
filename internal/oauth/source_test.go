package oauth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/oauth/oauthtest"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/internal/testutil"
)

const (
	command      = "subconsciousctl auth mail home"
	clientSecret = "GOCSPX-Vq7mZx2LwR9tKpB4"
)

// clock is one that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

// signedIn is a provider, and options with which somebody signed in there.
func signedIn(t *testing.T, provider oauthtest.Options) (*oauthtest.Server, oauth.Options, *clock) {
	t.Helper()
	server, options, clock := registered(t, provider)
	signIn(t, options)
	return server, options, clock
}

func signIn(t *testing.T, options oauth.Options) {
	t.Helper()
	begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
		browse(t, flow.URL())
		if _, err := flow.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// registered is a provider, and options of a client that it knows.
func registered(t *testing.T, provider oauthtest.Options) (*oauthtest.Server, oauth.Options, *clock) {
	t.Helper()
	provider.ClientID = "sample-client"
	server := oauthtest.New(provider)
	t.Cleanup(server.Close)
	clock := &clock{at: time.Now()}
	var ref secret.Ref
	if provider.ClientSecret != "" {
		ref.Env = "CLIENT_SECRET"
	}
	return server, oauth.Options{
		Config: oauth.Config{Provider: oauth.Custom, ClientID: "sample-client", AuthURL: server.AuthURL(), TokenURL: server.TokenURL(), Scopes: []string{"imap"}, Secret: ref},
		Path:   oauth.Path(t.TempDir(), "mail", "home"), Command: command, Now: clock.now,
		Env: func(name string) (string, bool) { return provider.ClientSecret, name == "CLIENT_SECRET" },
	}, clock
}

// token is the next one, which has to be there.
func token(t *testing.T, s *oauth.Source) string {
	t.Helper()
	text, err := s.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// noSecrets fails where one of what was handed out is in a text.
func noSecrets(t *testing.T, server *oauthtest.Server, where, text string) {
	t.Helper()
	for _, s := range append(server.Secrets(), clientSecret) {
		if strings.Contains(text, s) {
			t.Errorf("%s holds the secret %q: %s", where, s, text)
		}
	}
}

func TestTokenIsKeptAndRenewed(t *testing.T) {
	for _, rotates := range []bool{false, true} {
		server, options, clock := signedIn(t, oauthtest.Options{Rotates: rotates})
		source := oauth.New(options)
		first := token(t, source)
		clock.pass(58 * time.Minute)
		if again := token(t, source); again != first || len(server.Requests()) != 1 {
			t.Errorf("a token that is good was not used again")
		}
		clock.pass(90 * time.Second) // 30 seconds are left
		second := token(t, source)
		if second == first {
			t.Error("a token that ends within a minute is given out")
		}
		// Another one, as after a restart, takes what the first one kept.
		other := oauth.New(options)
		if kept := token(t, other); kept != second {
			t.Error("what was renewed is not kept")
		}
		for range 3 {
			clock.pass(time.Hour)
			token(t, other)
		}
		if n := len(server.Requests()); n != 5 {
			t.Errorf("%d requests, want 5", n)
		}
		if stat, err := os.Stat(options.Path); err != nil || stat.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, %v", stat.Mode(), err)
		}
		if stat, err := os.Stat(filepath.Dir(options.Path)); err != nil || stat.Mode().Perm() != 0o700 {
			t.Errorf("the folder is %v, %v", stat.Mode(), err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(options.Path), "*")); err != nil || len(left) != 2 {
			t.Errorf("the folder holds %v, %v", left, err)
		}
		state, err := oauth.Kept(options)
		if err != nil || !state.Renewable || !state.Renewed.After(state.SignedIn) {
			t.Errorf("it looks as %+v, %v", state, err)
		}
	}
}

// TestEndIsKept: the end of a sign-in, as the provider gave it, outlasts renewals.
func TestEndIsKept(t *testing.T) {
	_, options, clock := signedIn(t, oauthtest.Options{Ends: 7 * 24 * time.Hour})
	before, err := oauth.Kept(options)
	if err != nil || !before.Ends.Equal(before.SignedIn.Add(7*24*time.Hour)) {
		t.Fatalf("it ends on %v, %v", before.Ends, err)
	}
	clock.pass(2 * time.Hour)
	token(t, oauth.New(options))
	if after, err := oauth.Kept(options); err != nil || !after.Renewed.After(after.SignedIn) || after.Ends.Before(before.Ends) {
		t.Errorf("then on %v, %v", after.Ends, err)
	}
}

// TestOneRenewalForAll asks from many goroutines and several sources at once: a
// refresh token that came twice would end the sign-in.
func TestOneRenewalForAll(t *testing.T) {
	server, options, clock := signedIn(t, oauthtest.Options{Rotates: true})
	sources := []*oauth.Source{oauth.New(options), oauth.New(options), oauth.New(options)}
	for round := range 3 {
		clock.pass(2 * time.Hour)
		got := make([]string, 24)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				var err error
				if got[i], err = sources[i%len(sources)].Token(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, text := range got {
			if text != got[0] {
				t.Fatal("they got different tokens")
			}
		}
		if n := len(server.Requests()); n != round+2 {
			t.Fatalf("%d requests after %d rounds", n, round+1)
		}
	}
}

// TestSignInOfAnotherProcess: what `auth mail` writes counts at once.
func TestSignInOfAnotherProcess(t *testing.T) {
	server, options, clock := signedIn(t, oauthtest.Options{Rotates: true})
	source := oauth.New(options)
	before := token(t, source)
	clock.pass(time.Hour)
	server.Fail(oauthtest.InvalidGrant)
	if _, err := source.Token(t.Context()); !errors.Is(err, oauth.ErrSignInAgain) {
		t.Fatal(err)
	}
	asked := len(server.Requests())
	for range 5 {
		if _, err := source.Token(t.Context()); !errors.Is(err, oauth.ErrSignInAgain) || !strings.Contains(err.Error(), "run: "+command) {
			t.Fatal(err)
		}
	}
	if n := len(server.Requests()); n != asked {
		t.Errorf("a sign-in that ended was asked about %d times more", n-asked)
	}
	clock.pass(2 * time.Hour)
	if _, err := source.Token(t.Context()); !errors.Is(err, oauth.ErrSignInAgain) || len(server.Requests()) != asked+1 {
		t.Errorf("it is not tried again after a while: %v", err)
	}
	server.Fail(oauthtest.None)
	signIn(t, options)
	if after := token(t, source); after == before {
		t.Error("the new sign-in does not count")
	}
	if was, err := oauth.Forget(t.Context(), options.Path); !was || err != nil {
		t.Errorf("forgotten: %v, %v", was, err)
	}
	if _, err := source.Token(t.Context()); !errors.Is(err, oauth.ErrSignInAgain) || !strings.Contains(err.Error(), "nobody has signed in") {
		t.Error(err)
	}
	if was, err := oauth.Forget(t.Context(), options.Path); was || err != nil {
		t.Errorf("forgotten again: %v, %v", was, err)
	}
}

func TestRejectedTokenIsReplaced(t *testing.T) {
	_, options, _ := signedIn(t, oauthtest.Options{})
	source := oauth.New(options)
	first := token(t, source)
	source.Reject(first)
	second := token(t, source)
	if second == first {
		t.Error("a token that was rejected is given out again")
	}
	if token(t, source) != second {
		t.Error("one that was not is replaced")
	}
}

// TestServerThatTakesNoToken: where it is not for the token, the provider is not
// asked for a new one at each sign-in.
func TestServerThatTakesNoToken(t *testing.T) {
	server, options, clock := signedIn(t, oauthtest.Options{Rotates: true})
	source := oauth.New(options)
	before := len(server.Requests())
	for range 10 { // a sign-in at each tick
		source.Reject(token(t, source))
		clock.pass(5 * time.Minute)
	}
	if n := len(server.Requests()) - before; n != 1 {
		t.Errorf("%d tokens were asked for within an hour, want 1", n)
	}
	last := token(t, source)
	clock.pass(11 * time.Minute)
	source.Reject(last)
	if token(t, source) == last {
		t.Error("an hour later the one that is refused is used again")
	}
}

// TestFaultsOfTheProvider: none is a reason to sign in again but one, none shows
// a secret, each says who failed, and the token that is kept stays.
func TestFaultsOfTheProvider(t *testing.T) {
	for fault, want := range map[oauthtest.Fault]string{
		oauthtest.InvalidGrant: "no longer takes the sign-in", oauthtest.Overloaded: "HTTP status 503", oauthtest.Huge: "too long",
		oauthtest.Slow: "deadline exceeded", oauthtest.Nonsense: "what is no token", oauthtest.Elsewhere: "HTTP status 307",
		oauthtest.Chatty: "did not understand", oauthtest.Bare: "no token that can be used",
	} {
		t.Run(string(fault), func(t *testing.T) {
			server, options, clock := signedIn(t, oauthtest.Options{ClientSecret: clientSecret, Rotates: true})
			var log bytes.Buffer
			options.Log = slog.New(slog.NewJSONHandler(&log, nil))
			source := oauth.New(options)
			before := testutil.Read(t, options.Path)
			clock.pass(time.Hour)
			server.Fail(fault)
			ctx := t.Context()
			if fault == oauthtest.Slow {
				limited, done := context.WithTimeout(ctx, 200*time.Millisecond)
				defer done()
				ctx = limited
			}
			_, err := source.Token(ctx)
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, oauth.ErrSignInAgain) != (fault == oauthtest.InvalidGrant) {
				t.Fatalf("the error is %v", err)
			}
			noSecrets(t, server, "the error", fmt.Sprintf("%v %+v %#v", err, err, err))
			noSecrets(t, server, "the log", log.String())
			if strings.Contains(err.Error(), "\x1b") {
				t.Errorf("it is not printable: %q", err)
			}
			if after, err := os.ReadFile(options.Path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file changed: %v", err)
			}
			if fault == oauthtest.InvalidGrant {
				return
			}
			server.Fail(oauthtest.None)
			token(t, source)
		})
	}
}

func TestNobodyThere(t *testing.T) {
	_, options, clock := signedIn(t, oauthtest.Options{})
	clock.pass(time.Hour)
	options.Transport = roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("no such host") })
	_, err := oauth.New(options).Token(t.Context())
	if err == nil || errors.Is(err, oauth.ErrSignInAgain) || !strings.Contains(err.Error(), "cannot be asked") {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := oauth.New(options).Token(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("broken off: %v", err)
	}
}

// TestTokenThatCannotBeKept: it is used, and written once that is possible. With
// a refresh token that rotates, the one in the file is of no use any more.
func TestTokenThatCannotBeKept(t *testing.T) {
	server, options, clock := signedIn(t, oauthtest.Options{Rotates: true})
	var log bytes.Buffer
	options.Log = slog.New(slog.NewTextHandler(&log, nil))
	source := oauth.New(options)
	clock.pass(time.Hour)
	folder := filepath.Dir(options.Path)
	// While the request is under way the folder is taken away, and a file stands in
	// its place.
	source.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err := os.Rename(folder, folder+".away"); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(folder, nil, 0o600); err != nil {
			t.Error(err)
		}
		return response, err
	})
	renewed := token(t, source)
	if err := errors.Join(os.Remove(folder), os.Rename(folder+".away", folder)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "could not be kept") {
		t.Errorf("nobody is told: %s", &log)
	}
	noSecrets(t, server, "the log", log.String())
	if got := token(t, source); got != renewed {
		t.Error("what could not be kept is lost")
	}
	if got := token(t, oauth.New(options)); got != renewed {
		t.Error("it was not written later")
	}
	clock.pass(time.Hour)
	token(t, oauth.New(options))
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// TestFilesThatAreRefused: what others can read, what is no sign-in, and what is
// of another client.
func TestFilesThatAreRefused(t *testing.T) {
	server, options, _ := signedIn(t, oauthtest.Options{})
	good := testutil.Read(t, options.Path)
	write := func(text string, mode os.FileMode) func(*testing.T) {
		return func(t *testing.T) {
			if err := errors.Join(os.WriteFile(options.Path, []byte(text), 0o600), os.Chmod(options.Path, mode)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		make  func(*testing.T)
		want  string
		again bool
	}{
		"of the group":      {write(string(good), 0o640), "chmod 600", false},
		"of all":            {write(string(good), 0o604), "chmod 600", false},
		"nothing in it":     {write("", 0o600), "cannot be understood", false},
		"cut":               {write(string(good[:len(good)/2]), 0o600), "cannot be understood", false},
		"no token":          {write(`{"version":1}`, 0o600), "cannot be understood", false},
		"a later version":   {write(strings.Replace(string(good), `"version": 1`, `"version": 2`, 1), 0o600), "version 2", false},
		"far too long":      {write(strings.Repeat(" ", 300<<10), 0o600), "over 262144; remove it", false},
		"of another client": {write(strings.Replace(string(good), "sample-client", "other-client", 1), 0o600), "another client", true},
		"of another server": {write(strings.Replace(string(good), "/token", "/tokens", 1), 0o600), "another client or provider", true},
		"a folder":          {func(t *testing.T) { remove(t, options.Path); check(t, os.Mkdir(options.Path, 0o700)) }, "is no file", false},
		"a link": {func(t *testing.T) {
			remove(t, options.Path)
			check(t, os.Symlink(filepath.Join(t.TempDir(), "x"), options.Path))
		}, "is no file", false},
		"not there": {func(t *testing.T) { remove(t, options.Path) }, "nobody has signed in", true},
	} {
		t.Run(name, func(t *testing.T) {
			test.make(t)
			t.Cleanup(func() { remove(t, options.Path) })
			for _, got := range []error{second(oauth.New(options).Token(t.Context())), second(oauth.Kept(options))} {
				if got == nil || !strings.Contains(got.Error(), test.want) || errors.Is(got, oauth.ErrSignInAgain) != test.again {
					t.Errorf("the error is %v", got)
				}
				if got != nil {
					noSecrets(t, server, "the error", got.Error())
				}
			}
		})
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("the provider was asked %d times, want once, at the sign-in", n)
	}
}

func second[T any](_ T, err error) error { return err }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) { t.Helper(); check(t, os.RemoveAll(path)) }

func TestWithoutRefreshToken(t *testing.T) {
	_, options, clock := signedIn(t, oauthtest.Options{NoRefresh: true})
	if state, err := oauth.Kept(options); err != nil || state.Renewable {
		t.Errorf("it looks as %+v, %v", state, err)
	}
	token(t, oauth.New(options))
	clock.pass(time.Hour)
	if _, err := oauth.New(options).Token(t.Context()); !errors.Is(err, oauth.ErrSignInAgain) {
		t.Error(err)
	}
	if _, err := oauth.Kept(options); !errors.Is(err, oauth.ErrSignInAgain) {
		t.Errorf("it looks well: %v", err)
	}
}

// TestClientSecret goes where the provider looks for it, and no further.
func TestClientSecret(t *testing.T) {
	for _, header := range []bool{false, true} {
		_, options, clock := registered(t, oauthtest.Options{ClientSecret: clientSecret, Header: header})
		options.Config.Secret = secret.Ref{}
		begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
			browse(t, flow.URL())
			if _, err := flow.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "client_secret") {
				t.Errorf("without it: %v", err)
			}
		})
		options.Config.Secret = secret.Ref{Env: "NOT_SET"}
		begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
			browse(t, flow.URL())
			if _, err := flow.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "NOT_SET") {
				t.Errorf("where it is not: %v", err)
			}
		})
		options.Config.Secret = secret.Ref{Env: "CLIENT_SECRET"}
		begin(t, options, oauth.Request{Listen: true}, func(flow *oauth.Flow) {
			if strings.Contains(flow.URL(), clientSecret) {
				t.Error("the address has the client's secret in it")
			}
			browse(t, flow.URL())
			if _, err := flow.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
		clock.pass(time.Hour)
		token(t, oauth.New(options))
		kept, err := os.ReadFile(options.Path)
		if err != nil || bytes.Contains(kept, []byte(clientSecret)) {
			t.Errorf("the file holds the client's secret, or cannot be read: %v", err)
		}
	}
}

func TestSourcePrintsNoSecret(t *testing.T) {
	server, options, _ := signedIn(t, oauthtest.Options{})
	source := oauth.New(options)
	source.Reject(token(t, source))
	state, err := oauth.Kept(options)
	check(t, err)
	noSecrets(t, server, "what it prints as", fmt.Sprintf("%v %+v", state, options.Config))
}
