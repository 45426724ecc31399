package models

import (
	"errors"
	"fmt"
	"strings"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// Ref returns where the provider's key is, as configured.
func (p Provider) Ref() secret.Ref {
	return secret.Ref{Env: p.KeyEnv, File: p.KeyFile, Keyring: p.KeyKeyring, Credential: p.KeyCredential}
}

// Key fetches the provider's key: from where the configuration says, else from
// the variables of its vendor. A local server without a key is fine: the value
// is zero then. An error is an *Error of KindKey with a next step.
func (p Provider) Key(env func(string) (string, bool)) (secret.Value, error) {
	key, err := p.Ref().Resolve(env)
	if err == nil {
		return key, nil
	}
	vendor := VendorOf(p)
	if !errors.Is(err, secret.ErrNone) {
		return secret.Value{}, &Error{Kind: KindKey, By: Identity{Provider: p.ID}, Err: err,
			Text: fmt.Sprintf("the key of %s cannot be had: %s", p.ID, err), Next: vendor.makeKey()}
	}
	for _, name := range vendor.KeyEnv {
		if key, err := (secret.Ref{Env: name}).Resolve(env); err == nil {
			return key, nil
		}
	}
	if p.Local {
		return secret.Value{}, nil
	}
	next := "set key_env, key_file, key_keyring or key_credential of the provider"
	if len(vendor.KeyEnv) > 0 {
		next = "export " + strings.Join(vendor.KeyEnv, " or ") + ", or " + next
	}
	if made := vendor.makeKey(); made != "" {
		next += "; " + made
	}
	return secret.Value{}, &Error{Kind: KindKey, By: Identity{Provider: p.ID}, Err: err, Next: next,
		Text: fmt.Sprintf("there is no key for %s", p.ID)}
}

// makeKey says where a key is made.
func (v Vendor) makeKey() string {
	if v.KeyURL == "" {
		return ""
	}
	return "a key is made at " + v.KeyURL
}
