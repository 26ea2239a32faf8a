package cli

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/signature"
)

// Signing holds the flag for signatures.
type Signing struct{ Sign string }

// Declare adds the flag.
func (s *Signing) Declare(flags *pflag.FlagSet) {
	flags.StringVar(&s.Sign, "sign", "", "sign with this SSH key `file`, or with your own key; a public key if "+
		"ssh-agent has the private one")
	flags.Lookup("sign").NoOptDefVal = OwnKey
}

// OwnKey stands for the user's own key.
const OwnKey = "yours"

// UserKey returns the file of the key; "" is that of the user.
func (s Signing) UserKey() string {
	if s.Sign == OwnKey {
		return ""
	}
	return s.Sign
}

// signatures sets the options of a store for signatures.
func (a *App) signatures(p handoff.Project, o *handoff.Options) {
	o.VerifySignature = signature.Verify
	if a.Signing.Sign != "" || p.User.Sign.Value {
		o.Sign = func(namespace string, text []byte) ([]byte, error) {
			return SignAs(a, p, a.Signing.UserKey(), namespace, text)
		}
	}
}

// sign returns the signature of message by a key. key is a file with a private key, or with a public key whose
// private key the agent holds. ssh-keygen asks for a passphrase on the terminal, if necessary.
func sign(key, namespace string, message []byte) ([]byte, error) {
	const advice = "install OpenSSH 8.2 or newer, and run it as a known user of the system"
	cmd := exec.Command("ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", namespace)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(message), &stderr
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	said := strings.TrimSpace(strings.ReplaceAll(stderr.String(), "\r", ""))
	// 255 is a refusal; other codes are failures
	if exit, is := errors.AsType[*exec.ExitError](err); !is || exit.ExitCode() != 255 ||
		strings.HasPrefix(said, "No user exists") {
		return nil, fault.Config(advice, "ssh-keygen failed: %s", cmp.Or(said, err.Error()))
	}
	return nil, fault.Config("name a private key, or the public key of a key in the SSH agent",
		"cannot sign with %s", strings.TrimSuffix(key+": "+said, ": "))
}

// signingKey returns the file of the key to sign with: named, else git's user.signingkey. If git's setting is the
// public key itself, it is written to a file that done removes.
func signingKey(a *App, named, root string) (key string, done func(), err error) {
	done = func() {}
	if named != "" {
		return named, done, nil
	}
	key = handoff.GitConfig(root, "user.signingkey")
	if rest, ok := strings.CutPrefix(key, "~/"); ok {
		key = filepath.Join(a.Getenv("HOME"), rest)
	}
	literal, ok := strings.CutPrefix(key, "key::")
	switch {
	case key == "" || handoff.GitConfig(root, "gpg.format") != "ssh":
		return "", done, Invalid("add --sign=KEY, or set git's user.signingkey and gpg.format ssh", "no signing key")
	case !ok && !strings.HasPrefix(key, "ssh-"):
		return key, done, nil
	}
	dir, err := os.MkdirTemp("", "handoff-key-")
	if err != nil {
		return "", done, err
	}
	key = filepath.Join(dir, "key.pub")
	return key, func() { os.RemoveAll(dir) }, os.WriteFile(key, []byte(literal+"\n"), 0o600)
}

// SignAs returns the signature of a text in a namespace.
func SignAs(a *App, p handoff.Project, key, namespace string, text []byte) ([]byte, error) {
	file, done, err := signingKey(a, cmp.Or(key, p.User.SigningKey.Value), p.Root)
	defer done()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return nil, InputError(file, err)
	}
	return sign(file, namespace, text)
}
