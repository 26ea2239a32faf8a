package bundle_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/signature"
	"github.com/seed-78daf238/handoff/schema"
)

// signer returns one of several keys.
func signer(t testing.TB, n byte) ssh.Signer {
	t.Helper()
	s, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func signed(t testing.TB, by ssh.Signer, text string) []string {
	t.Helper()
	made, err := sshsig.Sign(strings.NewReader(text), by, sshsig.HashSHA512, handoff.SignatureNamespace)
	if err != nil {
		t.Fatal(err)
	}
	return []string{string(sshsig.Armor(made))}
}

// trusting returns a store in which a key of ann was taken away, and another one counts.
func trusting(t *testing.T, former, now ssh.Signer) *handoff.Store {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, "OPERATORS.md")
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(root, "handoffs"), Root: root, OperatorsFile: file, Rules: schema.Frontmatter(), VerifySignature: signature.Verify,
		Fingerprint: func() (string, error) { return strings.Repeat("0", 64), nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []ssh.Signer{former, now} {
		text := "---\nschema_version: '1.0'\noperators:\n"
		for _, name := range []string{"ann", "ben"} {
			text += fmt.Sprintf("  - {id: %s, display_name: %s, github_handle: %s, git_email: %s@example.org, capabilities: [], active_since: 2026-01-01", name, name, name, name)
			if name == "ann" {
				text += fmt.Sprintf(", ssh_keys: [{key: '%s'}]", strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey()))))
			}
			text += "}\n"
		}
		if err := os.WriteFile(file, []byte(text+"---\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Registry().Trust(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Of many signed handoffs at once each is judged by its own signature.
func TestManySignedAtOnce(t *testing.T) {
	const n, bad, unknown, former = 40, 7, 19, 33
	first, now, eve := signer(t, 1), signer(t, 2), signer(t, 3)
	h, lines, err := parse(export(t, filled(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, n)
	for i, l := range lines {
		by, of := now, l.Handoff.Text
		want[i] = handoff.SignatureGood
		switch i {
		case bad:
			of, want[i] = lines[i+1].Handoff.Text, "bad"
		case unknown:
			by, want[i] = eve, "unknown-key"
		case former:
			by, want[i] = first, "unknown-key"
		}
		l.Handoff.Signatures = signed(t, by, of)
	}
	text := print(t, h, lines)

	s := trusting(t, first, now)
	if _, err := bundle.Import(t.Context(), s, bytes.NewReader(text), bundle.Options{Name: "b"}); !errors.Is(err, handoff.ErrIntegrity) {
		t.Errorf("the whole is imported with %v", err)
	}
	if all, err := s.List(handoff.Filter{}); err != nil || len(all) > 0 {
		t.Errorf("%d are stored, %v", len(all), err)
	}
	lines[bad].Handoff.Signatures, want[bad] = signed(t, now, lines[bad].Handoff.Text), handoff.SignatureGood
	got, err := bundle.Import(t.Context(), s, bytes.NewReader(print(t, h, lines)), bundle.Options{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got.Results {
		if r.Receipt.Signature == nil || r.Receipt.Signature.State != want[i] {
			t.Errorf("%d: not %s, but %+v, %v", i, want[i], r.Receipt.Signature, r.Err)
			continue
		}
		if read, err := s.Read(lines[i].Handoff.ID); err != nil || read.Signature.State != want[i] || string(read.Text) != lines[i].Handoff.Text {
			t.Errorf("%d: read as %+v, %v", i, read.Signature, err)
		}
	}
}
