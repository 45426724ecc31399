package mail

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

func TestValidate(t *testing.T) {
	good := Config{ID: "home", Host: "imap.example.com", User: me, Password: secret.Ref{File: "/keys/mail"}}
	google := &oauth.Config{Provider: "google", ClientID: "sample"}
	many := make([]string, maxFolders+1)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	for name, test := range map[string]struct {
		change func(*Config)
		want   string // how the error begins, "" for none
	}{
		"good": {func(*Config) {}, ""},
		"everything": {func(c *Config) {
			c.Port, c.Security, c.CAFile, c.LookBack, c.Folders, c.Sent = 143, account.StartTLS, "/ca.pem", time.Hour, []string{"INBOX", "Work"}, "Out"
		}, ""},
		"in the clear, here":    {func(c *Config) { c.Host, c.Security = "127.0.0.1", account.None }, ""},
		"in the clear, by name": {func(c *Config) { c.Host, c.Security = "localhost", account.None }, ""},
		"in the clear, on ::1":  {func(c *Config) { c.Host, c.Security = "::1", account.None }, ""},
		"oauth":                 {func(c *Config) { c.Password.File, c.OAuth = "", google }, ""},
		"custom oauth": {func(c *Config) {
			c.Password.File, c.OAuth = "", &oauth.Config{Provider: "custom", ClientID: "a", AuthURL: "https://example.com/a", TokenURL: "https://example.com/t", Scopes: []string{"imap"}}
		}, ""},
		"no id":                    {func(c *Config) { c.ID = "" }, "id: "},
		"a bad id":                 {func(c *Config) { c.ID = "my mail" }, "id: "},
		"no host":                  {func(c *Config) { c.Host = "" }, "host: "},
		"an address as host":       {func(c *Config) { c.Host = "imaps://imap.example.com" }, "host: "},
		"a port in the host":       {func(c *Config) { c.Host = "imap.example.com:993" }, "host: "},
		"a bad port":               {func(c *Config) { c.Port = 70000 }, "port: "},
		"bad security":             {func(c *Config) { c.Security = "ssl" }, "security: "},
		"in the clear, elsewhere":  {func(c *Config) { c.Security = account.None }, "security: "},
		"in the clear, as if here": {func(c *Config) { c.Host, c.Security = "127.0.0.1.example.com", account.None }, "security: "},
		"no user":                  {func(c *Config) { c.User = "" }, "user: "},
		"no way to sign in":        {func(c *Config) { c.Password.File = "" }, "password_file: "},
		"two passwords":            {func(c *Config) { c.Password.Env = "MAIL" }, "password_env: "},
		"a password as variable":   {func(c *Config) { c.Password.File, c.Password.Env = "", "hunter2!" }, "password_env: "},
		"a bad keyring":            {func(c *Config) { c.Password.File, c.Password.Keyring = "", "mail" }, "password_keyring: "},
		"a password and oauth":     {func(c *Config) { c.OAuth = google }, "oauth: "},
		"oauth of nobody":          {func(c *Config) { c.Password.File, c.OAuth = "", &oauth.Config{ClientID: "a"} }, "oauth.provider: "},
		"oauth without client":     {func(c *Config) { c.Password.File, c.OAuth = "", &oauth.Config{Provider: "google"} }, "oauth.client_id: "},
		"oauth, bad mechanism": {func(c *Config) {
			c.Password.File, c.OAuth = "", &oauth.Config{Provider: "google", ClientID: "a", Mechanism: "plain"}
		}, "oauth.mechanism: "},
		"oauth in the clear": {func(c *Config) {
			c.Password.File, c.OAuth = "", &oauth.Config{Provider: "custom", ClientID: "a", AuthURL: "http://example.com/a", TokenURL: "https://example.com/t", Scopes: []string{"imap"}}
		}, "oauth.auth_url: "},
		"two client secrets": {func(c *Config) {
			c.Password.File, c.OAuth = "", &oauth.Config{Provider: "google", ClientID: "a", Secret: secret.Ref{Env: "A", File: "/b"}}
		}, "oauth.client_secret_env: "},
		"user is no address":      {func(c *Config) { c.User = "ines" }, "addresses: "},
		"a bad address":           {func(c *Config) { c.Addresses = []string{"ines"} }, "addresses[0]: "},
		"an address twice":        {func(c *Config) { c.Addresses = []string{me, strings.ToUpper(me)} }, "addresses[1]: "},
		"too many folders":        {func(c *Config) { c.Folders = many }, "folders: "},
		"a folder twice":          {func(c *Config) { c.Folders = []string{"INBOX", "Inbox"} }, "folders[1]: "},
		"a folder without a name": {func(c *Config) { c.Folders = []string{" "} }, "folders[0]: "},
		"a folder of two lines":   {func(c *Config) { c.Folders = []string{"a\r\nb"} }, "folders[0]: "},
		"sent is the inbox":       {func(c *Config) { c.Sent = "inbox" }, "sent: "},
		"sent is watched":         {func(c *Config) { c.Folders, c.Sent = []string{"Out"}, "Out" }, "sent: "},
		"too short a look-back":   {func(c *Config) { c.LookBack = time.Minute }, "look_back: "},
		"too long a look-back":    {func(c *Config) { c.LookBack = 91 * 24 * time.Hour }, "look_back: "},
		"a server with results":   {func(c *Config) { c.AuthservID = "mx.example.com; dmarc=pass" }, "authserv_id: "},
	} {
		t.Run(name, func(t *testing.T) {
			c := good
			test.change(&c)
			err := c.Validate()
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)):
				t.Errorf("%v, should begin with %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("the secret is shown: %v", err)
			}
		})
	}
}

func TestAccountWithoutItsSecret(t *testing.T) {
	for name, config := range map[string]Config{
		"password": {ID: "home", Host: "imap.example.com", User: me, Password: secret.Ref{File: "/keys/mail"}},
		"token":    {ID: "home", Host: "imap.example.com", User: me, OAuth: &oauth.Config{Provider: "google", ClientID: "a"}},
	} {
		if _, err := New(config, Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add("m/0000000000000001", []byte{1, 2, 3})
	f.Add("o/0000000000000001", []byte(`{"o":{"id":"mid:a"}}`))
	f.Add("s/00000000000000ff", make([]byte, 20))
	f.Add("r/0000000000000001", make([]byte, 4))
	f.Add("c/0000000000000001", make([]byte, 44))
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		s := &Sense{known: newTable[known](), open: newTable[item](), sent: newTable[sent](), answered: newTable[uint32](), wroteTo: newTable[correspondent]()}
		prefix, name, _ := strings.Cut(key, "/")
		if table := s.tables()[prefix+"/"]; table != nil {
			table.load(name, value)
		}
		if _, err := parseCursor(value, "a"); err == nil && len(value) == 0 {
			return
		}
	})
}

func TestRowsReadBack(t *testing.T) {
	readsBack(t, known{Check: 7, Thread: 1 << 63, Received: 1 << 31, Places: [2]place{{1, 2}, {3, 1<<32 - 1}}},
		"00000007"+"8000000000000000"+"80000000"+"00000001"+"00000002"+"00000003"+"ffffffff")
	s := sent{When: 20_000<<1 | 1, Thread: 5, Place: place{1, 2}}
	readsBack(t, s, "00009c41"+"0000000000000005"+"00000001"+"00000002")
	if s.day() != 20_000 || !s.asked() {
		t.Errorf("%+v", s)
	}
	readsBack(t, correspondent{Last: 20_000, Quarters: [5]quarter{{219, 3}, {218, 1}}},
		"00004e20"+"000000db"+"00000003"+"000000da"+"00000001"+strings.Repeat("0", 48))
	readsBack(t, uint32(20_000), "00004e20")
	if key, ok := parseHash(hash(255).key()); !ok || key != 255 {
		t.Error(key)
	}
}

// readsBack holds a row against its bytes, which ledgers have.
func readsBack[V comparable](t *testing.T, row V, want string) {
	t.Helper()
	var got V
	if b := encode(row); hex.EncodeToString(b) != want || !decode(b, &got) || got != row {
		t.Errorf("%x reads back as %+v, want %s and %+v", b, got, want, row)
	}
}
