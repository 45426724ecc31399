package secret

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestKeyringThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		start := time.Now()
		_, err := fromKeyring("a/b", func(string, string) (string, error) {
			<-release
			return "late", nil
		})
		if err == nil || !strings.Contains(err.Error(), "unlock it") || time.Since(start) != keyringTimeout {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

func TestKeyringThatIsNotThere(t *testing.T) {
	_, err := fromKeyring("a/b", func(string, string) (string, error) { return "", errors.New("dbus: no session bus") })
	if err == nil || !strings.Contains(err.Error(), "use a file or a variable") || errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}
