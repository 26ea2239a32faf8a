package whole

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func auditCommand(a *app) *cobra.Command {
	var p proof
	verify := &cobra.Command{
		Use:   "verify [--expect COUNT:HASH] [--allowed-signers FILE [--checkpoint FILE]]",
		Short: "Walk the hash chain and hold it against index and files; exits with 6 at the first bad line",
		Long: `Walk the hash chain of the audit log and hold it against index and files. A chain alone cannot show
that its end was cut, or that all of it was written anew. --expect finds both for whoever kept what
` + "`audit head`" + ` printed; --allowed-signers finds them by a checkpoint that ` + "`audit sign`" + ` or ssh-keygen
signed: the last one in the state directory, or a copy that was kept elsewhere.`,
		Args: everyday.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.auditVerify(p)
		},
	}
	verify.Flags().StringVar(&p.expect, "expect", "", "the `count:hash` that audit head printed before: the log must contain it")
	verify.Flags().StringVar(&p.allowed, "allowed-signers", "", "require a checkpoint signed by one of these (`file`, as ssh-keygen has it)")
	verify.Flags().StringVar(&p.checkpoint, "checkpoint", "", "the checkpoint (`file`), with its signature in FILE.sig (default the last one that was kept)")
	return everyday.Below(&cobra.Command{Use: "audit"}, verify, auditSignCommand(a), &cobra.Command{
		Use:   "head",
		Short: "Print COUNT:HASH of the log, to keep elsewhere",
		Args:  everyday.Args(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.auditHead() },
	})
}

// A headed is a checkpoint with the form in which --expect takes it.
type headed struct {
	handoff.Checkpoint
	Head string `json:"head"`
}

func (a *app) auditHead() error {
	everyday.CollectOften()
	s, err := a.Store()
	if err != nil {
		return err
	}
	head, err := s.AuditHead()
	if err != nil {
		return err
	}
	return a.Show(headed{head, head.OfAny().String()}, head.OfAny().String()+"\n")
}

// A proof is what the audit log is held against besides index and files.
type proof struct{ expect, allowed, checkpoint string }

func (a *app) auditVerify(p proof) error {
	everyday.CollectOften()
	if p.checkpoint != "" && p.allowed == "" {
		return everyday.Invalid("say who may sign with --allowed-signers; for one without a signature there is --expect", "--checkpoint needs --allowed-signers")
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	if p.expect != "" {
		expected, err := handoff.ParseCheckpoint(p.expect)
		if err == nil {
			err = s.CheckCheckpoint(expected)
		}
		if err != nil {
			return notContained(p.expect, err)
		}
	}
	var signed *signedCheckpoint
	if p.allowed != "" {
		if signed, err = a.verifySigned(s, p); err != nil {
			return err
		}
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	if a.JSON {
		if err := a.PrintJSON(auditReport{report, signed}); err != nil {
			return err
		}
	}
	return a.endReport(report)
}

// An auditReport is a report of the log, with the signed checkpoint that it was held against.
type auditReport struct {
	handoff.Report
	Checkpoint *signedCheckpoint `json:"checkpoint,omitempty"`
}

type signedCheckpoint struct {
	handoff.Checkpoint
	AllowedAs string `json:"allowed_as"` // the principal of the allowed signers that it was signed as
}

// verifySigned checks who signed a checkpoint first, and then the log.
func (a *app) verifySigned(s *handoff.Store, p proof) (*signedCheckpoint, error) {
	path := p.checkpoint
	if path == "" {
		last, err := s.LastCheckpoint()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &handoff.Error{Class: handoff.ErrIntegrity, Problem: err.Error(), Advice: "if `handoff audit sign` was run before, it was removed: use a copy with --checkpoint", Cause: err}
		}
		if err != nil {
			return nil, err
		}
		path = last.File
	}
	text, err := everyday.ReadInput(path)
	if err != nil {
		return nil, err
	}
	c, err := handoff.ParseCheckpoint(string(text))
	if err != nil {
		return nil, err
	}
	principal, err := sshVerify(p.allowed, signatures(path), text)
	if err != nil {
		return nil, err
	}
	if err := s.CheckCheckpoint(c); err != nil {
		return nil, notContained(c.String()+", "+signedBy(principal), err)
	}
	a.Note(fmt.Sprintf("the log holds %s, %s", c, signedBy(principal)))
	return &signedCheckpoint{c, principal}, nil
}

// signatures returns the files of the signatures of a checkpoint: the first, and those that are beside it.
func signatures(checkpoint string) []string {
	files := []string{handoff.SignatureFile(checkpoint, 1)}
	for n := 2; ; n++ {
		file := handoff.SignatureFile(checkpoint, n)
		if _, err := os.Lstat(file); err != nil {
			return files
		}
		files = append(files, file)
	}
}

// notContained says of a log that is not the one of a checkpoint what that means.
func notContained(what string, err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return &handoff.Error{Class: handoff.ErrIntegrity, Problem: "the audit log does not contain " + what + ": " + err.Error(), Cause: err}
}
