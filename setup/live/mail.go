package live

import (
	"context"
	"errors"
	"net"

	"github.com/subconsciousd/subconsciousd/internal/oauth"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/senses/mail"
	"github.com/subconsciousd/subconsciousd/setup"
)

// Dial opens connections; nil is the usual one.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Mail tries a mail account: nothing is read or changed there. stateDir is where
// the sign-in of one with an oauth is.
func Mail(ctx context.Context, c mail.Config, stateDir string, env func(string) (string, bool), dial Dial) mail.Probed {
	options := mail.Options{Dial: dial, Token: func(context.Context) (string, error) { return "", errors.New("the account has no oauth") },
		Password: func(context.Context) (secret.Value, error) { return c.Password.Resolve(env) }}
	if c.OAuth != nil {
		options.Token = oauth.New(setup.MailSignIn(c, stateDir, env)).Token
	}
	return mail.Probe(ctx, c, options)
}
