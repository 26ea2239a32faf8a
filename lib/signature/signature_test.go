package signature_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/signature"
)

const namespace = "handoff-v1"

var message = []byte("---\nschema_version: '1.0'\n---\n\ntext\n")

// A signer is a key of some type in a directory of its own.
type signer struct{ dir, public string }

func newSigner(t testing.TB, args ...string) signer {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is the oracle, and is not installed")
	}
	s := signer{dir: t.TempDir()}
	s.run(t, nil, append([]string{"-q", "-N", "", "-C", "", "-f", s.path("key")}, args...)...)
	public, err := os.ReadFile(s.path("key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	s.public = strings.TrimSpace(string(public))
	return s
}

func (s signer) path(name string) string { return filepath.Join(s.dir, name) }

func (s signer) run(t testing.TB, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("ssh-keygen", args...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ssh-keygen %v: %v", args, err)
	}
	return out
}

func (s signer) sign(t testing.TB, message []byte, namespace string, args ...string) []byte {
	return s.run(t, message, append([]string{"-Y", "sign", "-q", "-f", s.path("key"), "-n", namespace}, args...)...)
}

// oracle is the verdict of ssh-keygen.
func (s signer) oracle(t testing.TB, message, armored []byte) bool {
	t.Helper()
	for name, text := range map[string]string{"allowed": "me " + s.public + "\n", "sig": string(armored)} {
		if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", s.path("allowed"), "-I", "me", "-n", namespace, "-s", s.path("sig"))
	cmd.Stdin = bytes.NewReader(message)
	return cmd.Run() == nil
}

func TestAgreesWithSSHKeygen(t *testing.T) {
	for name, args := range map[string][]string{"ed25519": {"-t", "ed25519"}, "ecdsa": {"-t", "ecdsa"}, "ecdsa-521": {"-t", "ecdsa", "-b", "521"}, "rsa": {"-t", "rsa", "-b", "2048"}} {
		t.Run(name, func(t *testing.T) {
			s := newSigner(t, args...)
			good := s.sign(t, message, namespace)
			key, err := signature.Verify(message, good, namespace)
			if err != nil || key != s.public {
				t.Fatalf("%q, %v, want %q", key, err, s.public)
			}
			changed := bytes.Clone(message)
			changed[len(changed)-2] ^= 1
			for name, c := range map[string]struct{ message, armored []byte }{
				"good":             {message, good},
				"SHA-256":          {message, s.sign(t, message, namespace, "-O", "hashalg=sha256")},
				"changed":          {changed, good},
				"empty":            {nil, good},
				"other namespace":  {message, s.sign(t, message, "file")},
				"of another text":  {message, s.sign(t, changed, namespace)},
				"no signature":     {message, []byte("hello\n")},
				"nothing":          {message, nil},
				"another kind":     {message, bytes.ReplaceAll(good, []byte("SSH SIGNATURE"), []byte("PUBLIC KEY"))},
				"cut":              {message, good[:len(good)/2]},
				"carriage returns": {message, bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n"))},
			} {
				_, err := signature.Verify(c.message, c.armored, namespace)
				if got, want := err == nil, s.oracle(t, c.message, c.armored); got != want {
					t.Errorf("%s: %v, ssh-keygen says %v", name, err, want)
				}
				if err != nil && !errors.Is(err, fault.ErrIntegrity) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// What one flipped bit makes of a signature never holds, unless it is the same signature still.
func TestFlippedBits(t *testing.T) {
	s := newSigner(t, "-t", "ed25519")
	good := s.sign(t, message, namespace)
	for n := range good {
		for bit := range 8 {
			armored := bytes.Clone(good)
			armored[n] ^= 1 << bit
			if key, err := signature.Verify(message, armored, namespace); err == nil && (key != s.public || !s.oracle(t, message, armored)) {
				t.Errorf("bit %d of byte %d flipped: %q", bit, n, armored)
			}
		}
	}
}

func TestOneSignatureAndNothingElse(t *testing.T) {
	s := newSigner(t, "-t", "ed25519")
	good := string(s.sign(t, message, namespace))
	for _, text := range []string{good + good, "text\n" + good, good + "text\n"} {
		if _, err := signature.Verify(message, []byte(text), namespace); !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	s := newSigner(f, "-t", "ed25519")
	good := s.sign(f, message, namespace)
	f.Add(good, message)
	f.Add([]byte("-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQ==\n-----END SSH SIGNATURE-----\n"), message)
	f.Fuzz(func(t *testing.T, armored, text []byte) {
		key, err := signature.Verify(text, armored, namespace)
		if err != nil && !errors.Is(err, fault.ErrIntegrity) {
			t.Fatal(err)
		}
		if err == nil && key == s.public && !bytes.Equal(text, message) {
			t.Fatalf("%q holds for %q", armored, text)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	for name, args := range map[string][]string{"ed25519": {"-t", "ed25519"}, "ecdsa": {"-t", "ecdsa"}, "rsa-4096": {"-t", "rsa", "-b", "4096"}} {
		s := newSigner(b, args...)
		text := bytes.Repeat(message, 100)
		armored := s.sign(b, text, namespace)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := signature.Verify(text, armored, namespace); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
