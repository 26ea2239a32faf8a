package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// sshSign returns the signature of the message by a key: the file of a private key, or of a public one
// whose private one the agent holds. ssh-keygen asks for a passphrase on the terminal, if it needs one.
func sshSign(key string, message []byte) ([]byte, error) {
	return sshKeygen(message, "cannot sign with "+key, "-Y", "sign", "-q", "-f", key, "-n", handoff.CheckpointNamespace)
}

// sshVerify returns who signed the message, one of those whom the file of allowed signers names. One good
// signature is enough; if none is, the error is about the first.
func sshVerify(allowed string, signatures []string, message []byte) (signer string, err error) {
	for _, signature := range signatures {
		who, signatureErr := sshVerifyOne(allowed, signature, message)
		if signatureErr == nil {
			return who, nil
		}
		if err == nil {
			err = signatureErr
		}
	}
	return "", err
}

func sshVerifyOne(allowed, signature string, message []byte) (signer string, err error) {
	for _, path := range []string{allowed, signature} {
		if _, err := os.Stat(path); err != nil {
			return "", inputError(path, err)
		}
	}
	names, err := sshKeygen(nil, signature+" was signed by nobody whom "+allowed+" allows", "-Y", "find-principals", "-s", signature, "-f", allowed)
	if err != nil {
		return "", err
	}
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSpace(name)
		_, err = sshKeygen(message, signature+" is no good signature of "+name, "-Y", "verify", "-f", allowed, "-I", name,
			"-n", handoff.CheckpointNamespace, "-s", signature)
		if err == nil {
			return name, nil
		}
	}
	return "", err
}

func sshKeygen(stdin []byte, failure string, args ...string) ([]byte, error) {
	cmd := exec.Command("ssh-keygen", args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	switch said := strings.TrimSpace(stderr.String()); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, &handoff.Error{Class: handoff.ErrConfig, Problem: "ssh-keygen is not installed", Advice: "install OpenSSH, which makes and checks the signatures", Cause: err}
	case err != nil:
		if said != "" {
			failure += ": " + said
		}
		return nil, &handoff.Error{Class: handoff.ErrIntegrity, Problem: failure, Cause: err}
	}
	return out, nil
}

// signingKey returns the file of the key to sign with: the one that was named, else git's user.signingkey.
// A public key that stands there itself is put into a file, which done removes.
func (a *app) signingKey(named, root string) (key string, done func(), err error) {
	done = func() {}
	if named != "" {
		return named, done, nil
	}
	key = handoff.GitConfig(root, "user.signingkey")
	if rest, ok := strings.CutPrefix(key, "~/"); ok {
		key = filepath.Join(a.getenv("HOME"), rest)
	}
	literal, ok := strings.CutPrefix(key, "key::")
	switch {
	case key == "" || handoff.GitConfig(root, "gpg.format") != "ssh":
		return "", done, invalid("name one with --key, or set git's user.signingkey and gpg.format ssh", "there is no key to sign with")
	case !ok && !strings.HasPrefix(key, "ssh-"):
		return key, done, nil
	}
	dir, err := os.MkdirTemp("", "handoff-key-")
	if err != nil {
		return "", done, err
	}
	key = filepath.Join(dir, "key.pub")
	return key, func() { os.RemoveAll(dir) }, os.WriteFile(key, []byte(literal+"\n"), 0o600)
}
