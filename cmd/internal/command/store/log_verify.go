package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/sshkey"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A proof holds the flags of verify --log.
type proof struct{ expect, allowed, checkpoint string }

func (a *app) verifyLog(p proof, ids []string) error {
	if len(ids) > 0 {
		return cli.Invalid("remove one", "--log conflicts with ids")
	}
	if p.checkpoint != "" && p.allowed == "" {
		return cli.Invalid("add --allowed-signers FILE, or use --expect COUNT:HASH",
			"--checkpoint needs --allowed-signers")
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	if p.expect != "" {
		expected, err := handoff.ParseCheckpoint(p.expect)
		if err == nil {
			err = s.AuditLog().Check(expected)
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

// An auditReport is a report of verify, with the signed head that the log was compared with.
type auditReport struct {
	handoff.Report
	Checkpoint *signedCheckpoint `json:"checkpoint,omitempty"`
}

type signedCheckpoint struct {
	handoff.Checkpoint
	AllowedAs string `json:"allowed_as"` // the principal in the allowed signers file
}

// verifySigned checks the signature of a signed head, then that the log contains the head.
func (a *app) verifySigned(s *handoff.Store, p proof) (*signedCheckpoint, error) {
	path := p.checkpoint
	if path == "" {
		last, err := s.AuditLog().Last()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fault.ErrIntegrity,
				"if you have run `handoff log --sign`, use your copy: --checkpoint FILE", "%v", err)
		}
		if err != nil {
			return nil, err
		}
		path = last.File
	}
	text, err := cli.ReadInput(path)
	if err != nil {
		return nil, err
	}
	c, err := handoff.ParseCheckpoint(string(text))
	if err != nil {
		return nil, err
	}
	principal, err := sshkey.Verify(p.allowed, signatures(path), text)
	if err != nil {
		return nil, err
	}
	if err := s.AuditLog().Check(c); err != nil {
		return nil, notContained(c.String()+", "+sshkey.SignedBy(principal), err)
	}
	a.Note(fmt.Sprintf("the log holds %s, %s", c, sshkey.SignedBy(principal)))
	return &signedCheckpoint{c, principal}, nil
}

// signatures returns the files with the signatures of a signed head.
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

// notContained adds to an integrity error that the log does not contain a head.
func notContained(what string, err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return fault.New(fault.ErrIntegrity, "", "the audit log does not contain %s: %v", what, err)
}
