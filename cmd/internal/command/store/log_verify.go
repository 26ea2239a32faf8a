package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func verifyLog(a *cli.App, f *verifyFlags, ids []string) error {
	if len(ids) > 0 {
		return cli.Invalid("remove one", "--log conflicts with ids")
	}
	s, err := a.Store()
	if err != nil {
		return err
	}
	if f.Expect != "" {
		expected, err := handoff.ParseCheckpoint(f.Expect)
		if err == nil {
			err = s.AuditLog().Check(expected)
		}
		if err != nil {
			return notContained(f.Expect, err)
		}
	}
	var signed *signedCheckpoint
	if f.AllowedSigners != "" {
		if signed, err = verifySigned(a, s, f); err != nil {
			return err
		}
	}
	report, err := s.Verify(context.Background())
	if err != nil {
		return err
	}
	if err := a.Show(auditReport{report, signed}, ""); err != nil {
		return err
	}
	return endReport(a, report)
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
func verifySigned(a *cli.App, s *handoff.Store, f *verifyFlags) (*signedCheckpoint, error) {
	path := f.Checkpoint
	if path == "" {
		last, err := s.AuditLog().Last()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.Integrity(
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
	principal, err := signer(s.AuditLog(), f.AllowedSigners, path, text)
	if err != nil {
		return nil, err
	}
	if err := s.AuditLog().Check(c); err != nil {
		return nil, notContained(c.String()+", "+signedBy(principal), err)
	}
	a.Note(fmt.Sprintf("the log holds %s, %s", c, signedBy(principal)))
	return &signedCheckpoint{c, principal}, nil
}

// signer returns the allowed signer of the signed head in a file. One good signature is enough. If all are bad, the
// error is about the first of them.
func signer(log handoff.AuditLog, allowed, file string, text []byte) (principal string, err error) {
	signers, err := cli.ReadInput(allowed)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		name := handoff.SignatureFile(file, n)
		if _, missing := os.Lstat(name); n > 1 && missing != nil {
			return "", err
		}
		signature, oneErr := cli.ReadInput(name)
		if oneErr == nil {
			principal, oneErr = log.Signer(string(signers), text, signature)
			if principal != "" {
				return principal, nil
			}
			oneErr = refusal(allowed, name, oneErr)
		}
		err = cmp.Or(err, oneErr)
	}
}

// refusal returns the error for a signature that is bad, or whose signer is not allowed.
func refusal(allowed, signature string, bad error) error {
	why := "the signer of " + signature + " is not in " + allowed
	if bad != nil {
		why = signature + ": " + bad.Error()
	}
	return fault.Integrity("if you trust the key, list it in "+allowed+" for the namespace "+
		handoff.CheckpointNamespace+"; otherwise use --checkpoint with another copy of the checkpoint", "%s", why)
}

// signedBy returns a text about the signer. A principal can be a pattern instead of a name.
func signedBy(principal string) string {
	if strings.ContainsAny(principal, "*?") {
		return "signed by a key that is allowed as " + principal
	}
	return "signed by " + principal
}

// notContained adds to an integrity error that the log does not contain a head.
func notContained(what string, err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return fault.Integrity("", "the audit log does not contain %s: %v", what, err)
}
