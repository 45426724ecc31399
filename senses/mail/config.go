package mail

import (
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// Config configures one mail account.
type Config struct {
	ID       string           `mapstructure:"id" about:"A short name, unique among the accounts."`
	Host     string           `mapstructure:"host" about:"The name of the IMAP server, such as imap.example.com."`
	Port     int              `mapstructure:"port" about:"Its port; 0 or left out: 993 with tls, 143 with the others."`
	Security account.Security `mapstructure:"security" about:"How the connection is protected: tls (the default), starttls, or none, which is for a server on this machine alone."`
	CAFile   string           `mapstructure:"ca_file" path:"secret" about:"A PEM file of the authority that signed the server's certificate; empty: those of the system."`
	User     string           `mapstructure:"user" about:"The name to sign in with, mostly the mail address."`
	// The password, by reference only; at most one of them.
	PasswordEnv        string        `mapstructure:"password_env" about:"The variable that holds the password, mostly an app password."`
	PasswordFile       string        `mapstructure:"password_file" path:"secret" about:"A file whose first line is the password, readable by you alone (0600)."`
	PasswordKeyring    string        `mapstructure:"password_keyring" about:"The keyring's entry that holds the password: SERVICE/USER."`
	PasswordCredential string        `mapstructure:"password_credential" about:"The systemd credential that holds the password: a file of $CREDENTIALS_DIRECTORY."`
	OAuth              *OAuth        `mapstructure:"oauth" about:"How to sign in by the browser, instead of a password: subconsciousctl auth mail ID."`
	Addresses          []string      `mapstructure:"addresses" about:"Your own addresses, to tell what is written to you; left out: user."`
	Folders            []string      `mapstructure:"folders" about:"The folders that are looked at, as the server writes them; left out: INBOX."`
	Sent               string        `mapstructure:"sent" about:"The folder of what you sent; left out: the one that the server marks so, or is usually called so; none: it is not looked at."`
	LookBack           time.Duration `mapstructure:"look_back" about:"How old a message may be that the first collect reports: 1h to 2160h; 0s or left out: 336h, which is 14 days."`
	Idle               *bool         `mapstructure:"idle" about:"Whether the server is asked to say when mail comes; false: it is seen at the next tick. Left out: true."`
}

// OAuth is how to get a token.
type OAuth struct {
	Provider  string `mapstructure:"provider" about:"google, microsoft or custom."`
	Mechanism string `mapstructure:"mechanism" about:"How the token is sent, oauthbearer or xoauth2; left out: what the server offers."`
	ClientID  string `mapstructure:"client_id" about:"The id of the client that you registered with the provider, as a desktop application."`
	// The client's secret, where the provider wants one, by reference only.
	ClientSecretEnv        string   `mapstructure:"client_secret_env" about:"The variable that holds the secret of that client, where the provider gave one."`
	ClientSecretFile       string   `mapstructure:"client_secret_file" path:"secret" about:"A file whose first line is that secret, readable by you alone (0600)."`
	ClientSecretKeyring    string   `mapstructure:"client_secret_keyring" about:"The keyring's entry that holds that secret: SERVICE/USER."`
	ClientSecretCredential string   `mapstructure:"client_secret_credential" about:"The systemd credential that holds that secret."`
	AuthURL                string   `mapstructure:"auth_url" about:"Where one signs in at a custom provider; https, or http on this machine."`
	TokenURL               string   `mapstructure:"token_url" about:"Where a custom provider gives tokens; https, or http on this machine."`
	Scopes                 []string `mapstructure:"scopes" about:"What a custom provider calls the right to read mail over IMAP."`
}
