package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Signing holds the flags for signatures.
type Signing struct {
	Asked bool
	Key   string // "" is that of the user
}

// Register adds the flag to a command.
func (s *Signing) Register(cmd *cobra.Command) {
	cmd.Flags().Var(value{"key", func() string { return "" }, func(key string) error {
		if s.Asked = true; key != usersKey {
			s.Key = key
		}
		return nil
	}}, "sign", "sign with this SSH `key` file, or with your own key; a public key if ssh-agent has the private one")
	cmd.Flags().Lookup("sign").NoOptDefVal = usersKey
}

const usersKey = "yours" // help shows it as the value of a flag without one

// Signatures sets the options of a store for signatures. The fast program cannot check or make signatures. It starts
// the full one for the first of them, before it has changed or printed anything.
func (a *App) Signatures(p handoff.Project, o *handoff.Options) {
	o.VerifySignature = func(text, armored []byte, namespace string) (string, error) {
		if a.Full == nil {
			return "", a.Beyond()
		}
		return a.Full.VerifySignature(text, armored, namespace)
	}
	if !a.Sign.Asked && !p.User.Sign.Value {
		return
	}
	o.Sign = func(text []byte) ([]byte, error) {
		if a.Full == nil {
			return nil, a.Beyond()
		}
		return a.Full.Sign(a, p, a.Sign.Key, text)
	}
}

// KeptStdin returns standard input. The part that is read is kept for the full program.
func (a *App) KeptStdin() io.Reader { return io.TeeReader(a.Stdin, (*keeper)(a)) }

type keeper App

func (k *keeper) Write(p []byte) (int, error) {
	k.consumed = append(k.consumed, p...)
	return len(p), nil
}
