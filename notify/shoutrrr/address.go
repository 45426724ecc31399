package shoutrrr

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/subconsciousd/subconsciousd/internal/secret"
)

// form is what an address looks like.
const form = "SERVICE://…, as the documentation of shoutrrr has it for each service"

// maxAddress bounds an address.
const maxAddress = 8 << 10

// Config says where the address of the service is. There are secrets in it, so
// it is named by reference alone, by one of these.
type Config struct {
	URL secret.Ref `mapstructure:"url" about:"the address of the service, which has secrets in it"`
}

// Validate names every setting that cannot be used. It reads no address.
func (c Config) Validate() error {
	var problems []error
	switch { // no value is shown: one may be the address itself
	case c.URL == (secret.Ref{}):
		problems = append(problems, errors.New("url_file: is not set; put the address of the service into a file, a variable, the keyring or a credential, and name it"))
	case strings.Contains(c.URL.File, "://"):
		problems = append(problems, errors.New("url_file: is no path; write the path of the file, never the address itself"))
	case strings.Contains(c.URL.Keyring, "://"):
		problems = append(problems, errors.New("url_keyring: is not written as SERVICE/USER; for instance subconscious/phone"))
	default:
		problems = c.URL.Wrong("url", "address", "SHOUTRRR_URL", "subconscious/phone")
	}
	return errors.Join(problems...)
}

// Services returns the names of the services that can be used, sorted.
func Services() []string {
	services := router.ServiceRouter{}
	names := slices.Sorted(slices.Values(services.ListServices()))
	return slices.DeleteFunc(names, func(name string) bool { return name == "logger" }) // it would drop what it is given
}

// Check says what is wrong with the form of an address, in words without any of
// it but the name of the service. It asks nobody.
func Check(address secret.Value) error {
	text := address.Reveal()
	if len(text) > maxAddress {
		return fmt.Errorf("it has %d bytes, over %d", len(text), maxAddress)
	}
	at, err := url.Parse(text)
	if err != nil { // its text has the address in it
		return errors.New("it is no address")
	}
	if at.Scheme == "" || !strings.Contains(text, "://") {
		return errors.New("no service is named at its beginning")
	}
	name, custom, isCustom := strings.Cut(at.Scheme, "+")
	switch {
	case name == "http" || name == "https":
		return errors.New("it is a plain web address, which says nothing of what takes the message there; a webhook is generic://HOST/PATH")
	case name == "logger":
		return errors.New("the service logger drops what it is given; take a channel stdout for a log")
	case !slices.Contains(Services(), name):
		return fmt.Errorf("no service has the name at its beginning; use one of %s", strings.Join(Services(), ", "))
	}
	services := router.ServiceRouter{}
	service, err := services.NewService(name)
	if err != nil {
		return errors.New("no service has the name at its beginning")
	}
	if _, can := service.(types.CustomURLService); isCustom && (!can || custom == "") {
		return fmt.Errorf("the service %s takes no web address after a plus", name)
	}
	if at.Host == "" && at.Opaque == "" && at.Path == "" && at.RawQuery == "" {
		return fmt.Errorf("nothing follows after %s://", name)
	}
	return nil
}

// schemeOf returns the name of the service of an address that passed Check.
func schemeOf(address string) string {
	scheme, _, _ := strings.Cut(address, ":")
	name, _, _ := strings.Cut(strings.ToLower(scheme), "+")
	return name
}
