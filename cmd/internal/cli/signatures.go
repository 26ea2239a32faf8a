package cli

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

// KeptStdin is standard input; what is read of it is kept for the program that this one may become.
func (a *App) KeptStdin() io.Reader { return io.TeeReader(a.Stdin, (*keeper)(a)) }

type keeper App

func (k *keeper) Write(p []byte) (int, error) {
	k.consumed = append(k.consumed, p...)
	return len(p), nil
}
