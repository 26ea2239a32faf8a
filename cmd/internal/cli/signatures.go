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

// signatures sets the options of a store for signatures.
func (a *App) signatures(p handoff.Project, o *handoff.Options) {
	o.VerifySignature = signature.Verify
	if a.Signing.Sign == "" && !p.User.Sign.Value {
		return
	}
	o.Sign = func(namespace string, text []byte) ([]byte, error) {
		key, done, err := a.signingKey(p)
		defer done()
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(key); err != nil {
			return nil, InputError(key, err)
		}
		return sign(key, namespace, text)
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

// signingKey returns the file of the key to sign with: the given one, else that of the user's settings, else git's
// user.signingkey. If that is the public key itself, it is written to a file that done removes.
func (a *App) signingKey(p handoff.Project) (key string, done func(), err error) {
	key, done = strings.TrimSuffix(a.Signing.Sign, OwnKey), func() {}
	if key = cmp.Or(key, p.User.SigningKey.Value); key != "" {
		return key, done, nil
	}
	if handoff.GitConfig(p.Root, "gpg.format") == "ssh" {
		key = handoff.GitConfig(p.Root, "user.signingkey")
	}
	literal, isLiteral := strings.CutPrefix(key, "key::")
	switch rest, isHome := strings.CutPrefix(key, "~/"); {
	case key == "":
		return "", done, Invalid("add --sign=KEY, or set git's user.signingkey and gpg.format ssh", "no signing key")
	case isHome:
		return filepath.Join(a.Getenv("HOME"), rest), done, nil
	case !isLiteral && !strings.HasPrefix(key, "ssh-"):
		return key, done, nil
	}
	dir, err := os.MkdirTemp("", "handoff-key-")
	if err != nil {
		return "", done, err
	}
	key = filepath.Join(dir, "key.pub")
	return key, func() { os.RemoveAll(dir) }, os.WriteFile(key, []byte(literal+"\n"), 0o600)
}
