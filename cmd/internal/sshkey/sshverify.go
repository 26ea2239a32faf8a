package sshkey

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// signers is a file of allowed signers: who may sign, with which key and for what.
type signers struct {
	name string // as it was given
	text []byte // what it says; it may be a pipe, which can be read only once
	copy string // the file that ssh-keygen reads it from
}

// sshVerify returns as whom the file of allowed signers names the one who signed the message. One good signature
// is enough; if none is, the error is about the first.
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

// readSigners reads a file of allowed signers, and waits for what comes out of a pipe.
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
	case !bytes.Contains(text, []byte("AAAA")): // every public key begins so
		return nil, cli.Invalid("give a line such as `ann@example.org ssh-ed25519 AAAA…` for each who may sign", "%s holds no public key of an allowed signer", path)
	}
	return text, nil
}

// verify returns the principal of a good signature. ssh-keygen finds the principals of the first line with the key
// alone, which may allow it something else: then each line is looked at by itself.
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

// among returns the principal of a good signature, one of those whom the text allows, and whether the key is known there.
func (s signers) among(text []byte, signature string, message []byte) (principal string, known bool, err error) {
	if err := os.WriteFile(s.copy, text, 0o600); err != nil {
		return "", false, err
	}
	nobody := signature + " was signed by nobody whom " + s.name + " allows"
	names, err := sshKeygen(nil, nobody, "-Y", "find-principals", "-s", signature, "-f", s.copy)
	if err != nil {
		return "", false, s.refusal(err)
	}
	err = &handoff.Error{Class: handoff.ErrIntegrity, Problem: nobody}
	for name := range strings.Lines(string(names)) {
		if name = strings.TrimSpace(name); strings.HasPrefix(name, "!") { // a pattern of those who are not meant
			continue
		}
		_, err = sshKeygen(message, signature+" is not a good signature of "+name, "-Y", "verify", "-f", s.copy, "-I", name,
			"-n", handoff.CheckpointNamespace, "-s", signature)
		if err == nil {
			return name, true, nil
		}
	}
	return "", true, s.refusal(err)
}

// refusal says of a signature that ssh-keygen refuses what to do next.
func (s signers) refusal(err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return &handoff.Error{Class: handoff.ErrIntegrity, Problem: strings.ReplaceAll(err.Error(), s.copy, s.name), Cause: err,
		Advice: "if the key that signed is one that you trust, list it in " + s.name + " for the namespace " + handoff.CheckpointNamespace +
			"; else use a copy of a checkpoint that was kept elsewhere, with --checkpoint"}
}

// signedBy says who signed. A principal may be a pattern, which is nobody's name.
func SignedBy(principal string) string {
	if strings.ContainsAny(principal, "*?") {
		return "signed by a key that is allowed as " + principal
	}
	return "signed by " + principal
}
