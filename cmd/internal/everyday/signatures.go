package everyday

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Signing is what the flags say about signing what is written.
type Signing struct {
	Asked bool
	Key   string // "" is the user's
}

// Register adds the flag to a command.
func (s *Signing) Register(cmd *cobra.Command) {
	cmd.Flags().Var((*signFlag)(s), "sign", "sign it with this SSH `key`, or with the user's own; the file of a private key, or of a public one that the agent holds")
	cmd.Flags().Lookup("sign").NoOptDefVal = usersKey
}

const usersKey = "yours" // what the help shows for the flag without a value

type signFlag Signing

func (s *signFlag) String() string { return "" }
func (s *signFlag) Type() string   { return "key" }

func (s *signFlag) Set(key string) error {
	if s.Asked = true; key != usersKey {
		s.Key = key
	}
	return nil
}

// signatures says how a store checks and makes signatures. The fast program can do neither, and becomes the whole one where
// there is one to check or to make: neither has changed or printed anything before.
func (a *App) signatures(p handoff.Project, o *handoff.Options) {
	o.VerifySignature = func(text, armored []byte, namespace string) (string, error) {
		if a.whole == nil {
			return "", a.beyond()
		}
		return a.whole.VerifySignature(text, armored, namespace)
	}
	if !a.Sign.Asked && !p.User.Sign.Value {
		return
	}
	o.Sign = func(text []byte) ([]byte, error) {
		if a.whole == nil {
			return nil, a.beyond()
		}
		return a.whole.Sign(a, p, a.Sign.Key, text)
	}
}

// A keeper keeps what is read of standard input for the program that this one may become.
type keeper struct {
	io.Reader
	app *App
}

func (k keeper) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.app.consumed = append(k.app.consumed, p[:n]...)
	return n, err
}
