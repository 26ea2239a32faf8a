package operators_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

const (
	annKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINNwMHM8lLcve+HMdKmjaanRnkdOE0Sm3ZUxkjv5LTgg"
	eveKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOrvP89uyupCbqyFcCz1nNtKuLT8YIUkj0Vhf/xYamSs"
)

func TestParseKey(t *testing.T) {
	for line, want := range map[string]operators.Key{
		string(annKey):                   annKey,
		string(annKey) + " ann@host x":   annKey,
		"  " + string(annKey) + "\n":     annKey,
		"ssh-rsa " + string(annKey)[12:]: "",
		"ssh-ed25519":                    "",
		"ssh-ed25519 AAAA":               "",
		"ssh-ed25519 AAAA/////w==":       "",
		"":                               "",
	} {
		if got, ok := operators.ParseKey(line); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", line, got, ok)
		}
	}
	if got := operators.Key(annKey).Fingerprint(); got != "SHA256:"+keygenFingerprint(t, annKey) {
		t.Error(got)
	}
}

func keygenFingerprint(t *testing.T, key operators.Key) string {
	t.Helper()
	cmd := exec.Command("ssh-keygen", "-l", "-f", "-")
	cmd.Stdin = strings.NewReader(string(key) + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Skip("ssh-keygen is the oracle")
	}
	_, rest, _ := strings.Cut(string(out), "SHA256:")
	return strings.Fields(rest)[0]
}

// allows reports whether a file of allowed signers allows a key to ann.
func allows(text string, key operators.Key) bool {
	return slices.ContainsFunc(operators.ParseAllowed(text, operators.Namespace), func(a operators.Allowed) bool {
		return a.Key == key && a.Owners.Match("ann", "ann@example.org")
	})
}

// Each line allows ann's key to ann, or does not; ssh-keygen is asked too.
func TestAllowedSigners(t *testing.T) {
	key := string(annKey)
	lines := map[string]bool{
		"ann " + key:                             true,
		"ann@example.org " + key:                 true,
		"ben,a?n " + key:                         true,
		"* " + key:                               true,
		`"ann,ben" ` + key:                       true,
		"*,!ann " + key:                          false,
		"!ann,* " + key:                          false,
		"ben " + key:                             false,
		"ann ssh-rsa " + key[12:]:                false,
		"# ann " + key:                           false,
		"ann " + string(eveKey):                  false,
		`ann namespaces="handoff-v1" ` + key:     true,
		`ann namespaces="file,handoff-*" ` + key: true,
		`ann namespaces="file" ` + key:           false,
		`ann cert-authority ` + key:              false,
		`ann unknown-option ` + key:              false,
	}
	for line, want := range lines {
		if got := allows("\n"+line+"\n", annKey); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// ssh-keygen finds the principals of the same lines.
func TestAllowedSignersAsSSHKeygenReadsThem(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is the oracle")
	}
	dir := t.TempDir()
	run := func(args ...string) error { return exec.Command("ssh-keygen", args...).Run() }
	if err := run("-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, "key")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "key.pub"))
	key, ok := operators.ParseKey(string(text))
	message := filepath.Join(dir, "message")
	if os.WriteFile(message, []byte("text\n"), 0o600) != nil || err != nil || !ok || run("-Y", "sign", "-q", "-f", filepath.Join(dir, "key"), "-n", operators.Namespace, message) != nil {
		t.Fatal("cannot sign")
	}
	for _, begin := range []string{"ann", "ben", "ben,a?n", "*", `"ann,ben"`, "*,!ann", "!ann,*", "a[n]n", "ann,", `ann namespaces="handoff-v1"`, `ann namespaces="file"`,
		`ann namespaces="file,handoff-*"`, `ann cert-authority`, `ann NAMESPACES="handoff-v1"`} {
		line := begin + " " + string(key) + " comment\n"
		allowed := filepath.Join(dir, "allowed")
		if err := os.WriteFile(allowed, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "ann", "-n", operators.Namespace, "-s", message+".sig")
		cmd.Stdin = strings.NewReader("text\n")
		want := cmd.Run() == nil
		if got := allows(line, key); got != want {
			t.Errorf("%s: %v, ssh-keygen says %v", begin, got, want)
		}
	}
}
