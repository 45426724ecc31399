package ntfytest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"time"
)

// Options configures a Server. The zero value is a server that anybody may use,
// with the limits of a real one.
type Options struct {
	// Accounts may sign in. Where there are any, or Everyone is set, nobody may
	// do anything that is not granted.
	Accounts []Account
	// Everyone is granted to those who do not sign in.
	Everyone []Grant
	// Burst is how many quick requests are answered, each 5 s one more; 0 is
	// 60, -1 as many as come.
	Burst int
	// Keepalive is how often a stream has a sign of life; 0 is 45 s.
	Keepalive time.Duration
	// Old servers pass sequence ids over.
	Old bool
	// Uncached servers hand messages on and keep none.
	Uncached bool
	// Late is how long CutLate holds a message back; 0 is 5 s.
	Late time.Duration
	// Troubles are what goes wrong; none by default.
	Troubles []Trouble
	// Now is the clock of the messages; nil is time.Now.
	Now func() time.Time
	// Seen, if set, is told of each message that is taken, before the answer.
	Seen func(Message)
}

// Account is somebody who may sign in, by name and password or by token.
type Account struct {
	Name, Password, Token string
	// Access is what it may do; none is everything.
	Access []Grant
}

// Grant lets somebody use the topics that a pattern matches: "re-*".
type Grant struct {
	Topic       string
	Read, Write bool
}

func (o Options) validate() error {
	for _, a := range o.Accounts {
		if a.Token == "" && (a.Name == "" || a.Password == "") {
			return fmt.Errorf("the account %q needs a token, or a name and a password", a.Name)
		}
	}
	for _, t := range o.Troubles {
		if err := t.validate(); err != nil {
			return err
		}
	}
	if o.Burst < -1 || o.Keepalive < 0 || o.Late < 0 {
		return fmt.Errorf("burst %d, keepalive %s and late %s must not be negative", o.Burst, o.Keepalive, o.Late)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Burst = cmp.Or(o.Burst, 60)
	o.Keepalive = cmp.Or(o.Keepalive, 45*time.Second)
	o.Late = cmp.Or(o.Late, 5*time.Second)
	o.Troubles = slices.Clone(o.Troubles)
	if o.Seen == nil {
		o.Seen = func(Message) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// open reports whether anybody may do anything.
func (o Options) open() bool { return len(o.Accounts)+len(o.Everyone) == 0 }

func granted(grants []Grant, topic string, write bool) bool {
	return slices.ContainsFunc(grants, func(g Grant) bool {
		matches, err := path.Match(g.Topic, topic)
		return err == nil && matches && (write && g.Write || !write && g.Read)
	})
}
