package sshkey

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// signers is a file of allowed signers: their names, keys and namespaces.
type signers struct {
	name string // as given
	text []byte // its content; a pipe can be read only once
	copy string // the copy that ssh-keygen reads
}

// Verify returns the principal that signed message, by the file of allowed signers. One good signature is enough.
// If there is none, the error is about the first.
func Verify(allowed string, signatures []string, message []byte) (principal string, err error) {
	text, err := readSigners(allowed)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "handoff-signers-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	s := signers{allowed, text, filepath.Join(dir, "allowed")}
	for _, signature := range signatures {
		who, signatureErr := s.verify(signature, message)
		if signatureErr == nil {
			return who, nil
		}
		if err == nil {
			err = signatureErr
		}
	}
	return "", err
}

// readSigners reads a file of allowed signers. It can wait for a pipe.
func readSigners(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cli.InputError(path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, cli.Invalid("name a file in it", "%s is a directory", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, cli.MaxInput+1))
	switch {
	case err != nil:
		return nil, cli.InputError(path, err)
	case len(text) > cli.MaxInput:
		return nil, cli.Invalid("shorten it", "%s has more than %d bytes", path, cli.MaxInput)
	case !bytes.Contains(text, []byte("AAAA")): // every public key has it
		return nil, cli.Invalid("add a line such as `ann@example.org ssh-ed25519 AAAA…` for each signer",
			"%s has no public key of an allowed signer", path)
	}
	return text, nil
}

// verify returns the principal of a good signature. ssh-keygen only finds the principals of the first line with
// the key, which may not allow this namespace. So verify tries the lines one by one.
func (s signers) verify(signature string, message []byte) (string, error) {
	if _, err := cli.ReadInput(signature); err != nil {
		return "", err
	}
	who, known, err := s.among(s.text, signature, message)
	if !known || err == nil {
		return who, err
	}
	for line := range bytes.Lines(s.text) {
		if who, _, lineErr := s.among(line, signature, message); lineErr == nil {
			return who, nil
		}
	}
	return "", err
}

// among returns the principal of a good signature that text allows, and whether text has the key.
func (s signers) among(text []byte, signature string, message []byte) (principal string, known bool, err error) {
	if err := os.WriteFile(s.copy, text, 0o600); err != nil {
		return "", false, err
	}
	nobody := "the signer of " + signature + " is not in " + s.name
	names, err := sshKeygen(nil, nobody, "-Y", "find-principals", "-s", signature, "-f", s.copy)
	if err != nil {
		return "", false, s.refusal(err)
	}
	err = fault.New(fault.ErrIntegrity, "", "%s", nobody)
	for name := range strings.Lines(string(names)) {
		if name = strings.TrimSpace(name); strings.HasPrefix(name, "!") { // a negated pattern
			continue
		}
		_, err = sshKeygen(message, signature+" is not a good signature of "+name,
			"-Y", "verify", "-f", s.copy, "-I", name,
			"-n", handoff.CheckpointNamespace, "-s", signature)
		if err == nil {
			return name, true, nil
		}
	}
	return "", true, s.refusal(err)
}

// refusal adds advice to the refusal of a signature.
func (s signers) refusal(err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return fault.New(fault.ErrIntegrity, "if you trust the key, list it in "+s.name+" for the namespace "+
		handoff.CheckpointNamespace+"; otherwise use --checkpoint with another copy of the checkpoint",
		"%s", strings.ReplaceAll(err.Error(), s.copy, s.name))
}

// SignedBy returns a text about the signer. A principal can be a pattern instead of a name.
func SignedBy(principal string) string {
	if strings.ContainsAny(principal, "*?") {
		return "signed by a key that is allowed as " + principal
	}
	return "signed by " + principal
}
