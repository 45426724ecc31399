package mail

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses"
	"github.com/subconsciousd/subconsciousd/senses/mail/account"
)

// Name of the sense.
const Name = "mail"

var (
	_ senses.Sense   = (*Sense)(nil)
	_ senses.Hinter  = (*Sense)(nil)
	_ senses.Stopper = (*Sense)(nil)
)

// Options are what a Sense needs beside its configuration.
type Options struct {
	// Rows reads back what was committed. It may be nil in a collect that is not
	// committed; then every collect is the first.
	Rows senses.RowReader
	// Logger may be nil.
	Logger *slog.Logger
	// Zone is the mind's time zone, asked for each tick; nil means the
	// machine's.
	Zone func() *time.Location
	// Password returns the password, each time it is needed. It is not asked
	// where the configuration has an OAuth.
	Password func(ctx context.Context) (secret.Value, error)
	// Token returns an access token of OAuth that is valid now.
	Token func(ctx context.Context) (string, error)
	// Refused hears of a token that the server did not take; it may be nil.
	Refused func(token string)
	// Dial opens connections; nil means net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Sense looks at one mail account.
type Sense struct {
	config   Config
	options  Options
	folders  []string
	mine     map[string]bool // the person's addresses
	account  *account.Account
	run      string
	collects uint64

	// mu guards what is committed against Read, which may come at any time:
	// the cursor, and the tables as far as they are committed.
	mu       sync.RWMutex
	state    *cursor
	known    *table[known]
	open     *table[item]
	sent     *table[sent]
	answered *table[uint32]
	wroteTo  *table[correspondent]
	// commits hand out cursors; the tables hold the rows of the one that is pending
	// above what is committed.
	commits senses.Commits[*cursor]

	// foundSent is when the folders were last listed for the one of what was
	// sent, and pruned when the tables were last gone through.
	foundSent, pruned time.Time
}

// New returns the sense of one account. It signs in at the first collect.
func New(config Config, options Options) (*Sense, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	config.fill()
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	if options.Zone == nil {
		options.Zone = func() *time.Location { return time.Local }
	}
	s := &Sense{
		config: config, options: options, folders: config.Folders, mine: map[string]bool{}, run: rand.Text(),
		known: newTable[known](), open: newTable[item](), sent: newTable[sent](),
		answered: newTable[uint32](), wroteTo: newTable[correspondent](),
	}
	for _, address := range config.Addresses {
		s.mine[strings.ToLower(address)] = true
	}
	var err error
	if s.account, err = connect(config, options); err != nil {
		return nil, fmt.Errorf("mail %s: %w", config.ID, err)
	}
	return s, nil
}

// fill puts the defaults in place of what was left out.
func (c *Config) fill() {
	c.Folders = slices.Clone(c.Folders)
	if len(c.Folders) == 0 {
		c.Folders = []string{inbox}
	}
	for i, name := range c.Folders {
		c.Folders[i] = folderKey(name)
	}
	if len(c.Addresses) == 0 {
		c.Addresses = []string{c.User}
	}
	c.LookBack = cmp.Or(c.LookBack, defaultLookBack)
}

// connect makes the account, which signs in when it is first asked.
func connect(config Config, options Options) (*account.Account, error) {
	o := account.Options{
		Name: config.ID, Host: config.Host, Port: config.Port, Security: config.Security, User: config.User,
		Idle: config.Idle == nil || *config.Idle, IdleFolder: config.Folders[0],
		Dial: options.Dial, Logger: options.Logger,
	}
	if config.OAuth != nil {
		o.Token, o.Refused, o.Mechanism = options.Token, options.Refused, config.OAuth.Mechanism
	} else {
		o.Password = options.Password
	}
	if config.CAFile != "" {
		pem, err := os.ReadFile(config.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		o.RootCAs = x509.NewCertPool()
		if !o.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ca_file: %s holds no certificate; give a PEM file", config.CAFile)
		}
	}
	return account.New(o)
}

// Name returns "mail".
func (s *Sense) Name() string { return Name }

// ID returns the configured instance.
func (s *Sense) ID() string { return s.config.ID }

// Hints is readable when the server says that something may have arrived in
// the first folder; nil where IDLE is left alone.
func (s *Sense) Hints() <-chan struct{} {
	if s.config.Idle != nil && !*s.config.Idle {
		return nil
	}
	return s.account.Hints()
}

// Stop ends the connection and the waiting for news.
func (s *Sense) Stop(ctx context.Context) error {
	if err := s.account.Stop(ctx); err != nil {
		return fmt.Errorf("mail %s: %w", s.config.ID, err)
	}
	return nil
}
