package cli

import (
	"io"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Signing holds the flag for signatures.
type Signing struct {
	Sign *string `bare:"yours"`
}

// UserKey returns the file of the key; "" is that of the user.
func (s Signing) UserKey() string {
	if s.Sign == nil || *s.Sign == "yours" {
		return ""
	}
	return *s.Sign
}

// Signatures sets the options of a store for signatures. The fast program cannot check or make signatures. It starts
// the full one for the first of them, before it has changed or printed anything.
func (a *App) Signatures(p handoff.Project, o *handoff.Options) {
	o.VerifySignature = func(text, armored []byte, namespace string) (string, error) {
		if a.Full == nil {
			return "", a.Beyond()
		}
		return a.Full.VerifySignature(text, armored, namespace)
	}
	if a.Signing.Sign == nil && !p.User.Sign.Value {
		return
	}
	o.Sign = func(text []byte) ([]byte, error) {
		if a.Full == nil {
			return nil, a.Beyond()
		}
		return a.Full.Sign(a, p, a.Signing.UserKey(), text)
	}
}

// KeptStdin returns standard input. The part that is read is kept for the full program.
func (a *App) KeptStdin() io.Reader { return io.TeeReader(a.Stdin, (*keeper)(a)) }

type keeper App

func (k *keeper) Write(p []byte) (int, error) {
	k.consumed = append(k.consumed, p...)
	return len(p), nil
}
