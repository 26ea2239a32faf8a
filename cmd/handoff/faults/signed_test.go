//go:build linux

package faults_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/seed-78daf238/handoff/lib/bundle"
)

// exchanges are the scenarios of bundles and of keys.
func exchanges(three [][]string) []scenario {
	topics := words("f g h i j")
	trust := words("operators trust ann --yes")
	return []scenario{
		{name: "import", prepare: three, damage: bundled(topics), command: words("import signed.jsonl"), adds: topics},
		{name: "trust", prepare: three, damage: keyed, command: trust},
	}
}

var key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

func signed(text string) string {
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		panic(err)
	}
	signature, err := sshsig.Sign(strings.NewReader(text), signer, sshsig.HashSHA512, "handoff-v1")
	if err != nil {
		panic(err)
	}
	return string(sshsig.Armor(signature))
}

// bundled puts a bundle of signed handoffs beside the store.
func bundled(topics []string) func(dir string) error {
	return func(dir string) error {
		var text bytes.Buffer
		w, err := bundle.NewWriter(&text, bundle.Header{Created: "2026-05-07T12:00:00Z"})
		for _, topic := range slices.SortedFunc(slices.Values(topics), func(a, b string) int { return strings.Compare(idOf(a), idOf(b)) }) {
			if err == nil {
				err = w.Put(bundle.Line{Handoff: &bundle.Handoff{ID: idOf(topic), Text: textOf(topic), Signatures: []string{signed(textOf(topic))}}})
			}
		}
		return errors.Join(err, w.Close(), os.WriteFile(filepath.Join(dir, "signed.jsonl"), text.Bytes(), 0o644))
	}
}

// textOf is a document as a store keeps it.
func textOf(topic string) string {
	return fmt.Sprintf("---\nschema_version: '1.0'\nhandoff_id: '%s'\nfrom: 'ann'\nto: 'ben'\ntopic: '%s'\nts_utc: '2026-05-07T12:00:00Z'\nreferences: []\ntags: []\n---\n\nbody of %s\n",
		idOf(topic), topic, topic)
}

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
