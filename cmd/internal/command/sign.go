package command

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type signFlags struct{ Key string }

func signCommand(a *cli.App) *cobra.Command {
	f := &signFlags{}
	cmd := &cobra.Command{
		Use:   "sign ID…",
		Short: "Sign handoffs with an SSH key",
		Long: `Sign stored handoffs with an SSH key. ssh-keygen makes the signature, so SSH
agents and hardware keys work. The signature is stored next to the handoff, in
.sig of the handoffs directory. The handoff and its id do not change. A good
signature stays; any other one is replaced.

Without --key, the key is signing_key of your own configuration, otherwise
git's user.signingkey. The owner of a key is named by ssh_keys in OPERATORS.md,
or by your allowed_signers. To check a signature yourself:
` + "`handoff read ID --raw | ssh-keygen -Y verify -n handoff-v1`" + `.`,
		Example: `  handoff sign 134327a8
  handoff sign 134327a8 --key ~/.ssh/id_ed25519`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return sign(a, f, args) },
	}
	cmd.Flags().StringVar(&f.Key, "key", "", "the `file` of your private key, or of the public key if ssh-agent "+
		"has the private one")
	return cmd
}

func sign(a *cli.App, f *signFlags, ids []string) error {
	a.Signing.Sign = cmp.Or(f.Key, cli.OwnKey)
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
