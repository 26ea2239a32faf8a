package read

import (
	"context"
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func auditSign(a *cli.App, key string) error {
	cli.CollectOften()
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	head, err := s.AuditLog().Head()
	if err != nil {
		return err
	}
	if head.Count == 0 {
		return cli.Invalid("write a handoff first", "no events to sign")
	}
	signature, err := cli.SignAs(a, p, key, handoff.CheckpointNamespace, []byte(head.String()+"\n"))
	if err != nil {
		return err
	}
	file, signatureFile, err := s.AuditLog().Keep(context.Background(), head, signature)
	if err != nil {
		return err
	}
	a.Committed()
	if !a.JSON {
		a.Note(fmt.Sprintf("signed %s; the signature is in %s", handoff.Count(head.Count, "event"), signatureFile))
	}
	return a.Show(map[string]any{"head": head.OfAny().String(), "count": head.Count, "hash": head.Hash,
		"writer": head.Writer, "file_path": file, "signature_file": signatureFile}, head.String()+"\n")
}
