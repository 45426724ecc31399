package backup

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"filippo.io/age"
)

// sealedMagic begins a file of age.
const sealedMagic = "age-encryption.org/v1\n"

// parseRecipient returns nobody for "". It refuses what is no public key of age,
// without repeating it: it may be a private one.
func parseRecipient(text string) ([]age.Recipient, error) {
	if text == "" {
		return nil, nil
	}
	all, err := age.ParseRecipients(strings.NewReader(text))
	if err != nil || len(all) != 1 {
		return nil, errors.New("is no public key of age")
	}
	return all, nil
}

// encrypt returns where to write what only the recipient can read then; without one
// it is out itself.
func encrypt(out io.Writer, recipient []age.Recipient) (io.WriteCloser, error) {
	if recipient == nil {
		return plain{out}, nil
	}
	return age.Encrypt(out, recipient...)
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// decrypt returns what to read in place of a file that may be encrypted, and whether
// it is.
func (r *reader) decrypt(file *bufio.Reader, identity string) (io.Reader, bool, error) {
	if begins, _ := file.Peek(len(sealedMagic)); string(begins) != sealedMagic {
		return file, false, nil
	}
	if identity == "" {
		return nil, true, refuse(r.path, "name the file of its private key: --identity FILE", "%s is encrypted", r.path)
	}
	const next = "name the file that age-keygen wrote: --identity FILE"
	key, err := os.Open(identity)
	if err != nil {
		return nil, true, refuse(identity, next, "the key %s cannot be read (%v)", identity, errors.Unwrap(err))
	}
	defer key.Close()
	identities, err := age.ParseIdentities(io.LimitReader(key, maxManifest))
	if err != nil {
		return nil, true, refuse(identity, next, "%s holds no private key of age", identity)
	}
	opened, err := age.Decrypt(file, identities...)
	if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
		return nil, true, refuse(r.path, next, "%s is encrypted to another key than the one in %s", r.path, identity)
	} else if err != nil {
		return nil, true, r.damaged("it cannot be decrypted", err)
	}
	return opened, true, nil
}
