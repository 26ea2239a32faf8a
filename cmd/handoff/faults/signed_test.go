//go:build linux

package faults_test

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

var key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

// operator is a line of the operators file.
func operator(name, capabilities, key string) string {
	if key != "" {
		key = ", ssh_keys: [{key: '" + key + "'}]"
	}
	return fmt.Sprintf("  - {id: %[1]s, display_name: %[1]s, github_handle: %[1]s, git_email: %[1]s@example.org, capabilities: %s, active_since: 2026-01-01%s}\n", name, capabilities, key)
}

// keyed gives ann a key in the operators file.
func keyed(dir string) error {
	public, err := publicKey()
	return errors.Join(err, withOperators(dir, operator("ann", "[]", public)+operator("ben", "[]", public)))
}

func publicKey() (string, error) {
	public, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public))), nil
}

func withOperators(dir, lines string) error {
	return os.WriteFile(filepath.Join(dir, "OPERATORS.md"), []byte("---\nschema_version: '1.0'\noperators:\n"+lines+"---\n"), 0o644)
}
