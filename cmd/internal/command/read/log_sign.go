package read

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/sshkey"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func (a *app) auditSign(named, output string) error {
	cli.CollectOften()
	p, s, err := a.ProjectStore()
	if err != nil {
		return err
	}
	key, done, err := sshkey.SigningKey(a.App, named, p.Root)
	defer done()
	if err != nil {
		return err
	}
	if _, err := os.Stat(key); err != nil {
		return cli.InputError(key, err)
	}
	if err := mayCopyTo(output); err != nil {
		return err
	}
	head, err := s.AuditLog().Head()
	if err != nil {
		return err
	}
	if head.Count == 0 {
		return cli.Invalid("write a handoff first", "no events to sign")
	}
	message := []byte(head.String() + "\n")
	signature, err := sshkey.Sign(key, handoff.CheckpointNamespace, message)
	if err != nil {
		return sshkey.SignFailed(err)
	}
	file, signatureFile, err := s.AuditLog().Keep(context.Background(), head, signature)
	if err == nil && output != "" {
		err = copyCheckpoint(file, output, message, signature)
	}
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

// mayCopyTo returns an error if the copy cannot be written to output. It runs before anything is signed.
func mayCopyTo(output string) error {
	if output == "" {
		return nil
	}
	if err := cli.CheckOutput(output); err != nil {
		return err
	}
	for _, path := range []string{output, handoff.SignatureFile(output, 1)} {
		if _, err := os.Lstat(path); err == nil {
			return cli.Invalid("name a new file with -o", "%s exists", path)
		}
	}
	dir := filepath.Dir(output)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cli.Invalid("name a file in a directory that exists with -o", "no directory %s", dir)
	}
	return nil
}

// copyCheckpoint writes a copy of the signed head in file, and of its signature: both or nothing.
func copyCheckpoint(file, output string, message, signature []byte) error {
	err := handoff.CopyCheckpoint(output, message, signature)
	if err == nil {
		return nil
	}
	class, advice := error(nil), "make room or name another place with -o, then sign again"
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		class, advice = fault.ErrConfig, "name a directory that you can write to with -o, then sign again"
	}
	return fault.New(class, advice, "the signed head is kept as %s, but not copied to %s: %v", file, output, err)
}
