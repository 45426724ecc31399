package initial

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/subconsciousd/subconsciousd/escalate"
	"github.com/subconsciousd/subconsciousd/internal/secret"
	"github.com/subconsciousd/subconsciousd/notify"
	"github.com/subconsciousd/subconsciousd/notify/desktop"
	"github.com/subconsciousd/subconsciousd/notify/ntfy"
	"github.com/subconsciousd/subconsciousd/setup"
	"github.com/subconsciousd/subconsciousd/setup/live"
	"github.com/subconsciousd/subconsciousd/subconscious"
)

// newTopic makes a topic of 128 random bits.
func newTopic() string { return "subconscious-" + strings.ToLower(rand.Text()) }

// publicNtfy is the server that anybody may use without an account.
const publicNtfy = "https://ntfy.sh"

// sendWithin bounds the first message.
const sendWithin = 20 * time.Second

// tell decides how the person is told: the channel that was named, else the one
// that is chosen. A channel that is configured already stays.
func tell(ctx context.Context, s *session) error {
	if s.Ntfy.URL != "" || s.Ntfy.Topic != "" {
		return s.ntfy(ctx, s.Ntfy.URL, s.Ntfy.Topic)
	}
	if s.Desktop {
		return s.onDesktop(ctx)
	}
	if len(s.existing.Notify) > 0 {
		return nil
	}
	found, preset, menu := s.found.ntfyURL != "" || s.found.ntfyTopic != "", 0, []option{
		{"phone", "the app ntfy, free and without an account, over ntfy.sh; titles alone are sent there", func() error { return s.ntfy(ctx, publicNtfy, "") }},
		{"own server", "the app ntfy, over a server of your own; whole messages are sent there", func() error {
			address, err := s.typeServer(ctx)
			if err != nil || address == "" {
				return err
			}
			return s.ntfy(ctx, address, "")
		}},
	}
	if found {
		menu = slices.Insert(menu, 0, option{"ntfy", "the topic that the environment names, on " + hostOf(orPublic(s.found.ntfyURL)),
			func() error { return s.ntfy(ctx, s.found.ntfyURL, s.found.ntfyTopic) }})
	} else if s.Agree {
		preset = len(menu) // nothing is sent to anybody else's server that nobody asked for
	}
	if s.found.desktop {
		menu = append(menu, option{"desktop", "notifications of this desktop; nothing leaves the machine", func() error { return s.onDesktop(ctx) }})
	}
	menu = append(menu, option{"nothing", "it waits until you look: subconsciousctl inbox", func() error {
		s.say("Nothing is sent. What is told waits in:\n  subconsciousctl inbox")
		return nil
	}})
	return s.pick(ctx, "How shall you be told of what matters?", preset, menu...)
}

// onDesktop takes the desktop as the channel.
func (s *session) onDesktop(ctx context.Context) error {
	s.channel = &setup.Channel{ID: s.channelID("desktop"), Desktop: &desktop.Config{}}
	return s.push(ctx)
}

func orPublic(address string) string {
	if address == "" {
		return publicNtfy
	}
	return ntfy.Address(address)
}

// findNtfy finds what other programs are told of an ntfy server: the topic
// alone, or an address that ends with it.
func findNtfy(s *session) {
	for _, name := range []string{"NTFY_URL", "NTFY_BASE_URL", "NTFY_SERVER"} {
		if value, ok := s.Env(name); ok && value != "" {
			s.found.ntfyURL = value
			break
		}
	}
	s.found.ntfyTopic, _ = s.Env("NTFY_TOPIC")
	if server, topic, ok := splitTopic(s.found.ntfyTopic); ok {
		s.found.ntfyURL, s.found.ntfyTopic = server, topic
	} else if server, topic, ok := splitTopic(s.found.ntfyURL); ok && s.found.ntfyTopic == "" {
		s.found.ntfyURL, s.found.ntfyTopic = server, topic
	}
	if value, ok := s.Env("NTFY_TOKEN"); ok && value != "" {
		s.found.ntfyToken = "NTFY_TOKEN"
	}
}

// splitTopic parts "https://HOST/TOPIC".
func splitTopic(address string) (server, topic string, ok bool) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || strings.Trim(at.Path, "/") == "" || at.RawQuery != "" {
		return "", "", false
	}
	path := strings.TrimRight(at.Path, "/")
	cut := strings.LastIndexByte(path, '/')
	topic, at.Path = path[cut+1:], path[:cut]
	return at.String(), topic, true
}

func hostOf(address string) string {
	if at, err := url.Parse(address); err == nil && at.Host != "" {
		return at.Host
	}
	return address
}

// typeServer takes the address of a server that is typed, until one answers or
// the person keeps it nevertheless.
func (s *session) typeServer(ctx context.Context) (string, error) {
	taken := ""
	text, err := s.typeUntil(ctx, "Its address, such as https://ntfy.example.com, or Enter for none", "", func(address string) error {
		if taken = ntfy.Address(address); taken != address {
			s.say("Without a scheme it is taken as %s", taken)
		}
		return ntfy.Config{URL: taken, Topic: "example"}.Validate()
	})
	if text == "" {
		return "", err
	}
	return taken, nil
}

// ntfy makes a channel over an ntfy server, explains it and tries it.
func (s *session) ntfy(ctx context.Context, address, topic string) error {
	if topic == "" {
		topic = s.NewTopic()
	}
	config := s.Ntfy
	config.URL, config.Topic, config.Token.File = orPublic(address), topic, absolute(config.Token.File)
	if config.Token == (secret.Ref{}) {
		config.Token.Env = s.found.ntfyToken
	}
	if err := config.Validate(); err != nil { // what the environment names
		return mistake("%w", flagged("--ntfy-", err))
	}
	s.channel = &setup.Channel{ID: s.channelID("phone"), Ntfy: &config}
	s.result.Subscribe = subscriptions(config)
	if !s.Offline {
		if err := s.reach(ctx); err != nil {
			return err
		}
	}
	s.say("On the phone: install the app ntfy (App Store, Google Play, F-Droid) and subscribe to the topic\n  %s\non the server\n  %s\nOr open one of these on the phone:\n  %s",
		topic, strings.TrimRight(config.URL, "/"), strings.Join(s.result.Subscribe, "\n  "))
	if config.Own() {
		s.say("Whole messages are sent there.")
	} else {
		s.say("The server is somebody else's: titles alone are sent there (content: title).")
	}
	if ntfy.Loopback(config.URL) {
		s.say("That address is this machine's alone. A phone needs one by which it finds the server.")
	}
	s.say("Whoever knows the topic can read along and write to you: keep it as you would a password.")
	return s.push(ctx)
}

// subscriptions are the links by which a phone subscribes: for the app, and for
// a browser.
func subscriptions(c ntfy.Config) []string {
	at, err := url.Parse(strings.TrimRight(c.URL, "/"))
	if err != nil {
		return nil // Validate has refused it
	}
	app := "ntfy://" + at.Host + at.Path + "/" + c.Topic
	if at.Scheme == "http" {
		app += "?secure=false"
	}
	return []string{app, at.String() + "/" + c.Topic}
}

// reach looks whether the server answers and lets one in, and asks for a token
// where it does not.
func (s *session) reach(ctx context.Context) error {
	for {
		r := live.Reach(ctx, *s.channel, s.env())
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.Problem == "" {
			s.say("✓ %s.", r.Detail)
			return nil
		}
		s.say("✗ %s\n  → %s", r.Problem, r.Next)
		if !r.Locked || s.Agree || s.channel.Ntfy.Token != (secret.Ref{}) {
			return nil
		}
		token, err := s.person.Secret(ctx, "An access token of that server, or Enter for none")
		if err != nil || token == "" {
			return err
		}
		s.typeToken(strings.TrimSpace(token))
	}
}

// typeToken keeps a token that was typed until it is in its file.
func (s *session) typeToken(token string) {
	name := "ntfy-" + s.channel.ID
	s.keepTyped(name, token)
	s.channel.Ntfy.Token.Env = typed(name)
}

// channelID makes an id that no channel has yet.
func (s *session) channelID(word string) string {
	return freeID(word, "channel", func(id string) bool {
		return slices.ContainsFunc(s.existing.Notify, func(c setup.Channel) bool { return c.ID == id })
	})
}

// push sends a first message, and asks whether it arrived.
func (s *session) push(ctx context.Context) error {
	if s.Offline {
		return nil
	}
	again := false
	err := s.pick(ctx, "Send a first message now?", 0,
		option{"yes", "once the phone is subscribed", func() error { again = true; return nil }},
		option{"no", "subconsciousctl doctor --send does it later", nil})
	retry := func() error {
		again = true
		s.say("Look that the phone is online, that the app may show notifications, and that server and topic are the same to the letter.")
		return nil
	}
	goOn := option{"go on", "it is set up, and can be tried later", nil}
	for err == nil && again {
		again = false
		sent, left := s.send(ctx)
		switch {
		case left != nil:
			return left
		case sent:
			err = s.pick(ctx, "Did it arrive?", 0, option{"yes", "", nil}, option{"again", "send another one", retry}, goOn)
		default:
			err = s.pick(ctx, "It was not sent. What now?", 1, option{"again", "", retry}, goOn,
				option{without, "tell me nowhere for now", func() error { s.channel = nil; return nil }})
		}
	}
	return err
}

// send sends the first message. Only leaving is an error.
func (s *session) send(ctx context.Context) (bool, error) {
	ctx, done := context.WithTimeout(ctx, sendWithin)
	defer done()
	began := s.Now()
	err := live.Send(ctx, *s.channel, s.env(), notify.Message{Kind: notify.KindTest,
		Title: "Your subconscious can reach you", Text: "This is its first message. From now on it speaks when something matters."})
	failure, known := errors.AsType[*notify.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return false, context.Canceled
	case err == nil:
		s.result.Pushed = true
		s.say("✓ The first message was taken over %s (%.1f s).", s.channel.ID, s.Now().Sub(began).Seconds())
		return true, nil
	case known:
		s.say("✗ %s\n  → %s", failure.Text, failure.Next)
	default:
		s.say("✗ It could not be sent: %v", err)
	}
	if name := "notify/" + s.channel.ID; !slices.Contains(s.result.Failed, name) {
		s.result.Failed = append(s.result.Failed, name)
	}
	return false, nil
}

// quiet decides the quiet hours, unless they are configured already.
func quiet(ctx context.Context, s *session) error {
	if s.there != nil && s.there.has("quiet_hours") && s.Quiet == "" {
		return nil
	}
	hours, usual := escalate.DefaultRules().Quiet, s.Quiet
	if usual == "" {
		usual = hours.From + "-" + hours.To
	}
	take := func(text string) (err error) { hours, err = parseHours(text); return err }
	err := take(usual)
	if err == nil && s.Quiet == "" {
		err = s.pick(ctx, "When shall it be quiet, but for what is critical?", 0, option{usual, "", nil},
			option{"other hours", "you type them", func() error {
				text, err := "", error(nil)
				for text == "" && err == nil {
					text, err = s.typeUntil(ctx, "From and to, such as 22:30-07:00", "", take)
				}
				return err
			}},
			option{"never", "", func() error { return take("never") }})
	}
	s.hours = &hours
	return err
}

// who asks who the person is; each answer may be left empty. What the configuration
// says of them already stays.
func who(ctx context.Context, s *session) error {
	if s.Agree || s.there != nil && s.there.has("person") {
		return nil
	}
	questions := [...]string{"What are you called? Enter for nothing", "In which language shall models write to you, such as Deutsch? Enter for the one you write in",
		"What is yours: family, work, projects, accounts? A line each, which models are told; Enter for no more", "And?"}
	for i := range 2 + subconscious.MostAbout {
		told := s.who
		text, err := s.typeUntil(ctx, questions[min(i, len(questions)-1)], "", func(text string) error {
			switch told = s.who; i {
			case 0:
				told.Name = text
			case 1:
				told.Language = text
			default:
				told.About = append(told.About, text)
			}
			return told.Validate()
		})
		if err != nil || text == "" && i > 1 {
			return err
		}
		s.who = told
	}
	return nil
}

// parseHours reads "23:00-08:00", or "never".
func parseHours(text string) (escalate.Hours, error) {
	if text == "never" {
		return escalate.Hours{From: "00:00", To: "00:00"}, nil
	}
	from, to, _ := strings.Cut(strings.NewReplacer(" ", "", "–", "-").Replace(text), "-")
	for _, hour := range []*string{&from, &to} {
		at, err := time.Parse("15:04", *hour)
		if err != nil {
			at, err = time.Parse("15", *hour)
		}
		if err != nil {
			return escalate.Hours{}, fmt.Errorf("%q are no hours; write them as 23:00-08:00, or never", text)
		}
		*hour = at.Format("15:04")
	}
	return escalate.Hours{From: from, To: to}, nil
}
