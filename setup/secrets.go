package setup

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/models"
	"github.com/subconsciousd/subconsciousd/redact"

	"github.com/subconsciousd/subconsciousd/internal/lazy"
)

// place is where secrets are named: below which keys, what they are called
// there, and a variable that may hold one.
type place struct {
	below               *regexp.Regexp
	what, word, example string
}

var places = []place{
	{regexp.MustCompile(`^models\.providers\[\d+\]\.`), "key", "key", "GROQ_API_KEY"},
	{regexp.MustCompile(`^notify\[\d+\]\.`), "secret", "token", "NTFY_TOKEN"},
	{regexp.MustCompile(`^heartbeat\.`), "secret", "url", "HEARTBEAT_URL"},
	{regexp.MustCompile(`^senses\.mail\[\d+\]\.`), "secret", "password", "MAIL_PASSWORD"},
	{regexp.MustCompile(`^senses\.calendar\[\d+\]\.`), "secret", "password", "CALENDAR_PASSWORD"},
}

// placeOf returns where a key is; elsewhere it is not ok, and as of a model.
func placeOf(key string) (at place, ok bool) {
	for _, p := range places {
		if p.below.MatchString(key) {
			return p, true
		}
	}
	return places[0], false
}

// holds reports a secret that stands in the configuration, at that key.
func (c *checker) holds(line int, key string) {
	at, _ := placeOf(key)
	word := at.word
	switch {
	case strings.Contains(key, ".oauth."):
		word = "client_secret"
	case word == "token" && strings.Contains(key, "shoutrrr"):
		word = "url"
	case word == "token" && strings.HasPrefix(strings.ToLower(lastKey(key)), "pass"):
		word = "password"
	}
	fix := fmt.Sprintf("put it on the first line of a file that you alone can read (chmod 600) and write %[1]s_file: PATH, "+
		"or into a variable and write %[1]s_env: NAME", word)
	if word == "key" || word == "token" {
		fix += "; subconsciousctl init does it for you"
	}
	c.wrong(CodeSecret, line, key, fmt.Sprintf("holds a %[1]s; the configuration names %[1]ss and never holds them", at.what), fix)
}

// shownTexts are texts that may look like secrets: a topic is long and random on
// purpose, and has to be typed into a phone; a client is named by what its
// provider drew.
var shownTexts = []string{"topic", "reply_topic", "username", "client_id"}

// appPassword is how some providers show the passwords that they make up.
var appPassword = lazy.Regexp(`^[a-z]{4}( [a-z]{4}){3}$`)

// secretNames are keys that people write where only references belong.
var secretNames = []string{"key", "api_key", "apikey", "token", "api_token", "access_token", "auth_token", "bearer",
	"secret", "client_secret", "password", "passwd", "app_password", "authorization"}

// namesSecret reports whether a key is called like something that is secret.
func namesSecret(name string) bool {
	name = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(name))
	return slices.Contains(secretNames, name)
}

// secretKey reports a key that does not exist and holds a secret, instead of
// leaving it at "there is no such key".
func (c *checker) secretKey(key, name string, n *yaml.Node) bool {
	_, place := placeOf(key)
	held := n.Kind == yaml.ScalarNode && looksSecret(n.Value)
	pasted := strings.HasPrefix(key, "notify[") && strings.Contains(key, "shoutrrr.") && namesAddress(name)
	if !held && !pasted && !(namesSecret(name) && place) {
		return false
	}
	c.holds(n.Line, key)
	return true
}

// secretValue reports a key of a provider that should name where its secret is,
// and holds the secret itself. The value is not shown.
func (c *checker) secretValue(key string, n *yaml.Node) bool {
	at, ok := placeOf(key)
	if !ok || n.Kind != yaml.ScalarNode || slices.Contains(shownTexts, lastKey(key)) {
		return false
	}
	name, secret := lastKey(key), looksSecret(n.Value) || appPassword().MatchString(n.Value)
	switch {
	case name == "url", strings.HasSuffix(name, "_url"):
		secret = addressHoldsSecret(n.Value)
	case strings.HasSuffix(name, "_file"):
		secret = secret && !strings.ContainsRune(n.Value, '/')
	case strings.HasSuffix(name, "_env"):
		secret = secret || len(redact.Find("token: "+n.Value)) > 0 // which is not its name
		if !secret && n.Value != "" && !variablePattern().MatchString(n.Value) {
			c.wrong(CodeValue, n.Line, key, "is not the name of a variable", "write the name alone, such as "+at.example+`, without "$"`)
			return true
		}
	}
	if secret {
		c.holds(n.Line, key)
	}
	return secret
}

// namesAddress reports whether a key is called like an address, which of a
// service holds its secret.
func namesAddress(name string) bool {
	return slices.Contains([]string{"url", "urls", "address", "service"}, strings.ToLower(name))
}

// addressHoldsSecret reports whether an address has a password in it, or
// something in its query that is secret.
func addressHoldsSecret(address string) bool {
	at, err := url.Parse(address)
	if err != nil {
		return len(redact.Find(address)) > 0
	}
	_, password := at.User.Password()
	for name := range at.Query() {
		password = password || namesSecret(name)
	}
	return password || len(redact.Find(address)) > 0
}

var variablePattern = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// keyBeginnings are how keys of providers begin.
var keyBeginnings = []string{"sk-", "sk_", "gsk_", "AIza", "xai-", "hf_", "csk-", "nvapi-", "pplx-", "r8_", "fw_", "tgp_", "Bearer "}

// word is what a key without a space in it may be made of.
var word = lazy.Regexp(`[A-Za-z0-9._+=-]{24,}`)

// unsaid takes what looks like a secret out of words about a configuration.
func unsaid(text string) string {
	return word().ReplaceAllStringFunc(redact.Text(text), func(w string) string {
		if looksSecret(w) {
			return "[secret]"
		}
		return w
	})
}

// looksSecret reports whether a text is like a key: it begins like one, or is a
// long row of letters and digits that take turns, without the hyphens that
// part words.
func looksSecret(text string) bool {
	for _, beginning := range keyBeginnings {
		if rest, ok := strings.CutPrefix(text, beginning); ok && len(rest) >= 8 {
			return true
		}
	}
	if len(redact.Find(text)) > 0 {
		return true
	}
	const least = 24 // bytes; shorter ones are names
	var upper, lower, digits, groups int
	before := ' '
	for _, r := range text {
		if unicode.IsDigit(r) && !unicode.IsDigit(before) {
			groups++
		}
		before = r
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		case unicode.IsDigit(r):
			digits++
		case r != '.' && r != '_' && r != '=' && r != '+':
			return false
		}
	}
	return len(text) >= least && lower > 0 && groups >= 3 && (upper > 0 || digits >= 8)
}

// set looks whether the variables that are to hold secrets are set here.
func (c *checker) set(config *Config, env Env) {
	config.eachVariable(func(key, name string) {
		if _, set := lookup(env, name); set {
			return
		}
		problem, fix := "the variable "+name+" is not set here", "export it, or name it in the EnvironmentFile of the service"
		if name != strings.ToUpper(name) { // it may be a password
			problem = "the variable that it names is not set here"
			fix += "; if what is written is the secret itself, put it into a file and write " + strings.TrimSuffix(lastKey(key), "_env") + "_file: PATH"
		}
		c.at(CodeUnset, key, env, problem, fix)
	})
}

// eachVariable calls visit for what each setting of a variable's name says.
func (c *Config) eachVariable(visit func(key, name string)) {
	root().each("", reflect.ValueOf(*c), func(key string, v reflect.Value, _ field) bool {
		if strings.HasSuffix(key, "_env") && v.Len() > 0 {
			visit(key, v.String())
		}
		return true
	})
}

// Hosts are the servers that the configuration names for mail, calendars and feeds.
func (c *Config) Hosts() (hosts []string) {
	for _, m := range c.Senses.Mail {
		hosts = append(hosts, m.Host)
	}
	named := []string{}
	for _, k := range c.Senses.Calendar {
		named = append(named, k.URL, k.CalDAV)
	}
	for _, f := range c.Senses.Feeds {
		named = append(named, f.URL)
	}
	for _, address := range named {
		if at, err := url.Parse(address); err == nil && at.Hostname() != "" {
			hosts = append(hosts, at.Hostname())
		}
	}
	return hosts
}

// KeyVariables are the environment variables in which keys and passwords are
// looked for: those that the configuration names, and those of known vendors.
func (c *Config) KeyVariables() []string {
	var names []string
	for _, v := range models.Vendors() {
		names = append(names, v.KeyEnv...)
	}
	c.eachVariable(func(_, name string) { names = append(names, name) })
	return names
}
