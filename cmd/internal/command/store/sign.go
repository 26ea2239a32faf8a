package store

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func signCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sign ID…",
		Long: `Sign stored handoffs with an SSH key. ssh-keygen makes the signature, so SSH
agents and hardware keys work. The signature is stored next to the handoff, in
.sig of the handoffs directory. The handoff and its id do not change. A good
signature stays; any other one is replaced.

Without --key, the key is signing_key of your own configuration, otherwise
git's user.signingkey. The owner of a key is named by ssh_keys in OPERATORS.md,
or by your allowed_signers. To check a signature yourself: ` + "`" + `handoff read ID
--raw | ssh-keygen -Y verify -n ` + handoff.SignatureNamespace + "`" + `.`,
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
					a.Note(r.ID + ": the signature is " + r.Signature.State +
						": list the key in ssh_keys of OPERATORS.md")
				}
				if err := a.Did(r, "signed "+cli.Short(r.ID, 8)+", "+r.Signature.State); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&a.Sign.Key, "key", "",
		"the `file` of your private key, or of the public key if ssh-agent has the private one")
	return cmd
}
