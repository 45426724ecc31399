package setup

import (
	"errors"
	"fmt"
	"slices"

	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/notify/shoutrrr"
	"github.com/subconsciousd/subconsciousd/notify/stdout"
)

// Channel is one way in which the person is told: exactly one of its kinds is
// set.
type Channel struct {
	ID string `mapstructure:"id" about:"A short name, unique among the channels, such as phone."`
	// Content is how much of a message it may carry; Load fills it in.
	Content  notify.Content   `mapstructure:"content" about:"What it may carry: full, title (who or what, and when: nothing that was said), or none (that there is something, and its id). Left out: full where nobody else can read it, else title."`
	Ntfy     *ntfy.Config     `mapstructure:"ntfy" about:"A topic of an ntfy server, to which a phone subscribes."`
	Shoutrrr *shoutrrr.Config `mapstructure:"shoutrrr" about:"Any service that shoutrrr knows: Telegram, Signal, mail, and so on. No buttons."`
	Desktop  *desktop.Config  `mapstructure:"desktop" about:"The notifications of this machine's desktop; it has no keys: {}."`
	Stdout   *stdout.Config   `mapstructure:"stdout" about:"Lines on the daemon's standard output; it has no keys: {}."`
}

// The kinds of channels, which are the keys under which they are set.
const (
	KindNtfy     = "ntfy"
	KindShoutrrr = "shoutrrr"
	KindDesktop  = "desktop"
	KindStdout   = "stdout"
)

// channelKinds are all of them, in the order of the fields.
var channelKinds = []string{KindNtfy, KindShoutrrr, KindDesktop, KindStdout}

// kinds are those that are set, in that order.
func (c Channel) kinds() (set []string) {
	for i, is := range []bool{c.Ntfy != nil, c.Shoutrrr != nil, c.Desktop != nil, c.Stdout != nil} {
		if is {
			set = append(set, channelKinds[i])
		}
	}
	return set
}

// Kind is the one that is set; "" where none is, or several are.
func (c Channel) Kind() string {
	if set := c.kinds(); len(set) == 1 {
		return set[0]
	}
	return ""
}

// DefaultContent is what a channel carries where nothing is said of it: all
// where nobody else can read it, else the title alone.
func (c Channel) DefaultContent() notify.Content {
	if c.Shoutrrr != nil || c.Ntfy != nil && !c.Ntfy.Own() {
		return notify.ContentTitle
	}
	return notify.ContentFull
}

// contents are what a channel may carry.
var contents = []string{string(notify.ContentFull), string(notify.ContentTitle), string(notify.ContentNone)}

// reservedChannels are ids that mean something else where a channel is named.
var reservedChannels = []string{"all", "none", "inbox"}

// Validate names what is wrong, each error beginning with the key.
func (c Channel) Validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if slices.Contains(reservedChannels, c.ID) {
		wrong("id: %q means something else where a channel is named; choose another, such as phone", c.ID)
	}
	if c.Content != "" && !slices.Contains(contents, string(c.Content)) {
		wrong("content: %q is not one of its values; use %s", clip(string(c.Content)), oneOf(contents)+meant(string(c.Content), contents))
	}
	switch set := c.kinds(); {
	case len(set) == 0:
		errs = append(errs, errors.New("id: says not how to tell you; add one of "+oneOf(channelKinds)+" beside it"))
	case len(set) > 1:
		wrong("%s: is there beside %s; give each a channel of its own", set[1], set[0])
	}
	if c.Ntfy != nil {
		errs = append(errs, under(KindNtfy, c.Ntfy.Validate())...)
	}
	if c.Shoutrrr != nil {
		errs = append(errs, under(KindShoutrrr, c.Shoutrrr.Validate())...)
	}
	return errors.Join(errs...)
}

// fillChannels sets what items of a list have no defaults for.
func fillChannels(config *Config) {
	for i := range config.Notify {
		c := &config.Notify[i]
		if c.Ntfy != nil {
			c.Ntfy.URL = ntfy.Address(c.Ntfy.URL)
		}
		if c.Content == "" {
			c.Content = c.DefaultContent()
		}
	}
}
