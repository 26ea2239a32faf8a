package store

import (
	"context"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type signFlags struct{ Key string }

func sign(a *cli.App, f *signFlags, ids []string) error {
	a.Signing.Sign = &f.Key // asked for, with the user's key if it is ""
	s, err := a.Store()
	if err != nil {
		return err
	}
	for _, id := range ids {
		r, err := s.Sign(context.Background(), id)
		if err != nil {
			return err
		}
		if r.Signature.State != handoff.SignatureGood {
			a.Note(r.ID + ": the signature is " + r.Signature.State +
				": list the key in ssh_keys of OPERATORS.md")
		}
		if err := a.Did(r, "signed "+cli.Short(r.ID, 8)+", "+r.Signature.State); err != nil {
			return err
		}
	}
	return nil
}
