package store

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func signCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sign ID…",
		Short: "Sign stored handoffs with an SSH key",
		Long: `Sign stored handoffs with an SSH key. ssh-keygen makes the signature, so that agents and hardware keys work. It lies
beside the handoff, in .sig of the handoffs directory, and changes neither it nor its id. A good signature
stays as it is, another one is replaced. Without --key it is signing_key of the user's configuration, else
git's user.signingkey. Whose key it is, ssh_keys in OPERATORS.md says, or the user's allowed_signers.
By hand: ` + "`handoff read ID --raw | ssh-keygen -Y verify -n " + handoff.SignatureNamespace + "`" + `.`,
		Example:           "  handoff sign 134327a8\n  handoff sign 134327a8 --key ~/.ssh/id_ed25519",
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.CompleteIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			a.Sign.Asked = true
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
					a.Note(r.ID + ": the signature is " + r.Signature.State + ": list the key in ssh_keys of the operators file")
				}
				if err := a.Did(r, "signed "+cli.Short(r.ID, 8)+", "+r.Signature.State); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&a.Sign.Key, "key", "", "the private key, or the public key of one that the agent holds (`file`)")
	return cmd
}
