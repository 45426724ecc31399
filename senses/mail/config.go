package mail

import (
	"time"

	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// Config configures one mail account.
type Config struct {
	// ID names the instance: "home".
	ID string `mapstructure:"id"`
	// Host of the IMAP server; Port is 993 with Security "tls", 143 with the
	// others.
	Host string `mapstructure:"host"`
	Port int    `mapstructure:"port"`
	// Security is "tls" (the default), "starttls", or "none", which is for a
	// server on this machine alone.
	Security account.Security `mapstructure:"security"`
	// CAFile is a PEM file of the authority that signed the server's
	// certificate; empty: those of the system.
	CAFile string `mapstructure:"ca_file"`
	// User is the name to sign in with, mostly the mail address.
	User string `mapstructure:"user"`
	// The password, by reference only; at most one of them.
	PasswordEnv        string `mapstructure:"password_env"`
	PasswordFile       string `mapstructure:"password_file"`
	PasswordKeyring    string `mapstructure:"password_keyring"` // "SERVICE/USER"
	PasswordCredential string `mapstructure:"password_credential"`
	// OAuth is how to sign in without a password; `subconsciousctl auth mail`
	// makes its token.
	OAuth *OAuth `mapstructure:"oauth"`
	// Addresses are the person's own; empty: User, if that is an address.
	Addresses []string `mapstructure:"addresses"`
	// Folders that are looked at; empty: INBOX.
	Folders []string `mapstructure:"folders"`
	// Sent is the folder of what the person sent; empty: the one that the
	// server marks so, or is customarily called so; "none": it is not looked at.
	Sent string `mapstructure:"sent"`
	// LookBack is how old a message may be that the first look reports; 0: 14
	// days; at most 90.
	LookBack time.Duration `mapstructure:"look_back"`
	// Idle: false leaves IDLE alone, so that mail is seen at the next tick.
	Idle *bool `mapstructure:"idle"`
}

// OAuth is how to get a token.
type OAuth struct {
	// Provider is "google", "microsoft" or "custom".
	Provider string `mapstructure:"provider"`
	// Mechanism is "oauthbearer" or "xoauth2"; empty: what the server offers.
	Mechanism string `mapstructure:"mechanism"`
	ClientID  string `mapstructure:"client_id"`
	// The client's secret, where the provider wants one, by reference only.
	ClientSecretEnv        string `mapstructure:"client_secret_env"`
	ClientSecretFile       string `mapstructure:"client_secret_file"`
	ClientSecretKeyring    string `mapstructure:"client_secret_keyring"`
	ClientSecretCredential string `mapstructure:"client_secret_credential"`
	// Of a custom provider.
	AuthURL  string   `mapstructure:"auth_url"`
	TokenURL string   `mapstructure:"token_url"`
	Scopes   []string `mapstructure:"scopes"`
}
