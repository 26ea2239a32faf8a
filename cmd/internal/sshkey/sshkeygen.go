// Package sshkey signs with ssh-keygen, which can use agents and hardware keys.
package sshkey

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Sign returns the signature of message by a key. key is a file with a private key, or with a public key whose
// private key the agent holds. ssh-keygen asks for a passphrase on the terminal, if necessary.
func Sign(key, namespace string, message []byte) ([]byte, error) {
	return sshKeygen(message, "cannot sign with "+key, "-Y", "sign", "-q", "-f", key, "-n", namespace)
}

func sshKeygen(stdin []byte, failure string, args ...string) ([]byte, error) {
	const advice = "install OpenSSH 8.2 or newer, and run it as a known user of the system"
	cmd := exec.Command("ssh-keygen", args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	said := strings.TrimSpace(strings.ReplaceAll(stderr.String(), "\r", ""))
	exit := (*exec.ExitError)(nil)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, exec.ErrNotFound):
		return nil, fault.New(fault.ErrConfig, advice, "ssh-keygen is not installed")
	case !errors.As(err, &exit):
		return nil, fault.New(fault.ErrConfig, advice, "ssh-keygen cannot be run: %v", err)
	// 255 is a refusal; other codes are failures
	case exit.ExitCode() != 255, strings.HasPrefix(said, "No user exists"):
		first, _, _ := strings.Cut(said, "\n")
		return nil, fault.New(fault.ErrConfig, advice, "ssh-keygen %s failed: %s", strings.Join(args[:2], " "),
			cmp.Or(first, err.Error()))
	case said != "":
		failure += ": " + said
	}
	return nil, &handoff.Error{Class: handoff.ErrIntegrity, Problem: failure, Cause: err}
}

// SigningKey returns the file of the key to sign with: named, else git's user.signingkey. If git's setting is the
// public key itself, it is written to a file that done removes.
func SigningKey(a *cli.App, named, root string) (key string, done func(), err error) {
	done = func() {}
	if named != "" {
		return named, done, nil
	}
	key = handoff.GitConfig(root, "user.signingkey")
	if rest, ok := strings.CutPrefix(key, "~/"); ok {
		key = filepath.Join(a.Getenv("HOME"), rest)
	}
	literal, ok := strings.CutPrefix(key, "key::")
	switch {
	case key == "" || handoff.GitConfig(root, "gpg.format") != "ssh":
		return "", done, cli.Invalid("add --key, or set git's user.signingkey and gpg.format ssh", "no signing key")
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

// SignText returns the signature of the bytes of a handoff.
func SignText(a *cli.App, p handoff.Project, key string, text []byte) ([]byte, error) {
	return SignAs(a, p, key, handoff.SignatureNamespace, text)
}

func SignAs(a *cli.App, p handoff.Project, key, namespace string, text []byte) ([]byte, error) {
	file, done, err := SigningKey(a, cmp.Or(key, p.User.SigningKey.Value), p.Root)
	defer done()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return nil, cli.InputError(file, err)
	}
	signature, err := Sign(file, namespace, text)
	return signature, SignFailed(err)
}

// SignFailed returns a signing error as ErrConfig: the key is wrong, not the log.
func SignFailed(err error) error {
	if !errors.Is(err, handoff.ErrIntegrity) {
		return err
	}
	return fault.New(fault.ErrConfig, "name a private key, or the public key of a key in the SSH agent", "%s",
		err.Error())
}
