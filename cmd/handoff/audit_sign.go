package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func auditSignCommand(a *app) *cobra.Command {
	var key, output string
	cmd := &cobra.Command{
		Use:   "sign [--key FILE] [-o FILE]",
		Short: "Sign the head of the log with an SSH key, so that a cut or rewritten log is found",
		Long: `Sign what ` + "`handoff audit head`" + ` prints, once the chain holds, and keep it with its signature in the state
directory; -o puts a copy elsewhere, in FILE and FILE.sig. Keep a copy where those who can write the
log cannot. The signature is that of ` + "`ssh-keygen -Y sign -n " + handoff.CheckpointNamespace + "`" + `, which can make it and check it
too. A log that no longer holds the checkpoint before is not signed.`,
		Example: "  handoff audit sign --key ~/.ssh/id_ed25519 -o /mnt/safe/checkpoint\n  handoff audit verify --allowed-signers signers --checkpoint /mnt/safe/checkpoint",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noneEmpty(cmd, "key", "output"); err != nil {
				return err
			}
			return a.auditSign(key, output)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "the private key, or the public key of one that the agent holds (`file`; default git's user.signingkey)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the checkpoint to this new `file` too, and its signature to FILE.sig")
	return cmd
}

func (a *app) auditSign(named, output string) error {
	p, s, err := a.projectStore()
	if err != nil {
		return err
	}
	key, done, err := a.signingKey(named, p.Root)
	defer done()
	if err != nil {
		return err
	}
	if _, err := os.Stat(key); err != nil {
		return inputError(key, err)
	}
	if _, err := os.Lstat(output); output != "" && err == nil {
		return invalid("name a new file with -o", "%s exists", output)
	}
	head, err := s.AuditHead()
	if err != nil {
		return err
	}
	if head.Count == 0 {
		return invalid("write a handoff first", "there are no events to sign")
	}
	message := []byte(head.String() + "\n")
	signature, err := sshSign(key, message)
	if err != nil {
		return signFailed(err)
	}
	file, signatureFile, err := s.KeepCheckpoint(context.Background(), head, signature)
	if err == nil && output != "" {
		if err = errors.Join(writeNew(output, message), writeNew(output+".sig", signature)); err != nil {
			err = fmt.Errorf("the checkpoint is kept as %s, but not copied: %w", file, err)
		}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"count": head.Count, "hash": head.Hash, "file": file, "signature_file": signatureFile})
	}
	a.note(fmt.Sprintf("signed %s; the signature is in %s", handoff.Count(head.Count, "event"), signatureFile))
	_, err = fmt.Fprintln(a.stdout, head)
	return err
}

// signFailed makes a key that does not sign a matter of the settings: nothing is wrong with the log.
func signFailed(err error) error {
	failed := *err.(*handoff.Error)
	failed.Class, failed.Advice = handoff.ErrConfig, "name a private key, or the public key of one that the SSH agent holds"
	return &failed
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}
