package setup

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/subconsciousd/subconsciousd/redact"
)

// byReference is the fix for a secret that stands in the configuration, at that
// key.
func byReference(key string) string {
	word := "key"
	switch name := lastKey(key); {
	case mailPrefix.MatchString(key):
		word = "password"
		if strings.Contains(key, ".oauth.") {
			word = "client_secret"
		}
	case !notifyPrefix.MatchString(key):
	case strings.Contains(key, "shoutrrr"):
		word = "url"
	case strings.HasPrefix(strings.ToLower(name), "pass"):
		word = "password"
	default:
		word = "token"
	}
	fix := fmt.Sprintf("put it on the first line of a file that you alone can read (chmod 600) and write %[1]s_file: PATH, "+
		"or into a variable and write %[1]s_env: NAME", word)
	if word == "key" || word == "token" {
		fix += "; subconsciousctl init does it for you"
	}
	return fix
}

// holder says what is held where a reference belongs.
func holder(key string) string {
	if notifyPrefix.MatchString(key) || mailPrefix.MatchString(key) {
		return "holds a secret; the configuration names secrets and never holds them"
	}
	return "holds a key; the configuration names keys and never holds them"
}

// secretPrefix is what the keys begin with below which secrets are named,
// notifyPrefix those of a channel, mailPrefix those of a mail account.
var (
	secretPrefix = regexp.MustCompile(`^(models\.providers|notify|senses\.mail)\[\d+\]\.`)
	mailPrefix   = regexp.MustCompile(`^senses\.mail\[\d+\]\.`)
	notifyPrefix = regexp.MustCompile(`^notify\[\d+\]\.`)
)

// shownTexts are texts that may look like secrets: a topic is long and random on
// purpose, and has to be typed into a phone; a client is named by what its
// provider drew.
var shownTexts = []string{"topic", "reply_topic", "username", "client_id"}

// appPassword is how some providers show the passwords that they make up.
var appPassword = regexp.MustCompile(`^[a-z]{4}( [a-z]{4}){3}$`)

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
	held := n.Kind == yaml.ScalarNode && looksSecret(n.Value)
	pasted := notifyPrefix.MatchString(key) && strings.Contains(key, "shoutrrr.") && namesAddress(name)
	if !held && !pasted && !(namesSecret(name) && secretPrefix.MatchString(key)) {
		return false
	}
	c.wrong(CodeSecret, n.Line, key, holder(key), byReference(key))
	return true
}

// secretValue reports a key of a provider that should name where its secret is,
// and holds the secret itself. The value is not shown.
func (c *checker) secretValue(key string, n *yaml.Node) bool {
	if !secretPrefix.MatchString(key) || n.Kind != yaml.ScalarNode || slices.Contains(shownTexts, lastKey(key)) {
		return false
	}
	name, secret := lastKey(key), looksSecret(n.Value) || appPassword.MatchString(n.Value)
	switch {
	case name == "url", strings.HasSuffix(name, "_url"):
		secret = addressHoldsSecret(n.Value)
	case strings.HasSuffix(name, "_file"):
		secret = secret && !strings.ContainsRune(n.Value, '/')
	case strings.HasSuffix(name, "_env"):
		if !secret && !variablePattern.MatchString(n.Value) {
			c.wrong(CodeValue, n.Line, key, "is not the name of a variable", "write the name alone, such as "+variableExample(key)+`, without "$"`)
			return true
		}
	}
	if secret {
		c.wrong(CodeSecret, n.Line, key, holder(key), byReference(key))
	}
	return secret
}

// variableExample is a variable that may be named at a key.
func variableExample(key string) string {
	switch {
	case notifyPrefix.MatchString(key):
		return "NTFY_TOKEN"
	case mailPrefix.MatchString(key):
		return "MAIL_PASSWORD"
	}
	return "GROQ_API_KEY"
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

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// keyBeginnings are how keys of providers begin.
var keyBeginnings = []string{"sk-", "sk_", "gsk_", "AIza", "xai-", "hf_", "csk-", "nvapi-", "pplx-", "r8_", "fw_", "tgp_", "Bearer "}

// word is what a key without a space in it may be made of.
var word = regexp.MustCompile(`[A-Za-z0-9._+=-]{24,}`)

// unsaid takes what looks like a secret out of words about a configuration.
func unsaid(text string) string {
	return word.ReplaceAllStringFunc(redact.Text(text), func(w string) string {
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
