package disk_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

const (
	hexID = "3d1219c7c4c5404aaa1f6d2a48adfda4"
	uuid  = "3d1219c7-c4c5-404a-aa1f-6d2a48adfda4"
)

func TestCompute(t *testing.T) {
	for _, tt := range []struct{ host, id, input string }{
		{"box", hexID, "box|" + hexID},
		{"Box.Example.org", hexID, "box|" + hexID},
		{" box\n", "\t" + strings.ToUpper(hexID) + "\n", "box|" + hexID},
		{"box", uuid, "box|" + uuid},
		{"box", strings.ToUpper(uuid), "box|" + uuid},
		{"a|b", hexID, "a|b|" + hexID},
	} {
		got, err := disk.ComputeFingerprint(tt.host, tt.id)
		if want := fmt.Sprintf("%x", sha256.Sum256([]byte(tt.input))); got != want || err != nil {
			t.Errorf("Compute(%q, %q): got %s, %v, want %s", tt.host, tt.id, got, err, want)
		}
	}
}

// Value from: printf 'box|3d12…fda4' | sha256sum
func TestComputeVector(t *testing.T) {
	const want = "96a1a20861f265fa9fca28e3791c98dd1e0b6e6a058316dc9f343c62eb4ab43d"
	if got, err := disk.ComputeFingerprint("box", hexID); got != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestComputeRefuses(t *testing.T) {
	zeros := strings.Repeat("0", 32)
	for _, id := range []string{
		"", "\n", "uninitialized", zeros, zeros[:8] + "-0000-0000-0000-" + zeros[:12], hexID[1:], hexID + "0",
		"g" + hexID[1:], hexID[:31] + "\u0663", strings.Replace(uuid, "-", "", 1), "-" + hexID[:31], "{" + uuid + "}",
	} {
		got, err := disk.ComputeFingerprint("box", id)
		if got != "" || !errors.Is(err, disk.ErrNoMachineID) {
			t.Errorf("id %q: got %q, %v", id, got, err)
		}
	}
	for _, host := range []string{"", " ", ".example.org"} {
		if got, err := disk.ComputeFingerprint(host, hexID); got != "" || err == nil || errors.Is(err, disk.ErrNoMachineID) {
			t.Errorf("host %q: got %q, %v", host, got, err)
		}
	}
}

func TestFingerprintIsOfThisMachine(t *testing.T) {
	got, err := disk.Fingerprint()
	if errors.Is(err, disk.ErrNoMachineID) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := disk.Fingerprint()
	if again != got || err != nil || len(got) != 64 {
		t.Errorf("got %q, then %q, %v", got, again, err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	id, err := os.ReadFile("/var/lib/dbus/machine-id")
	if err != nil {
		id, err = os.ReadFile("/etc/machine-id")
	}
	host, hostErr := os.Hostname()
	if err != nil || hostErr != nil {
		t.Fatal(err, hostErr)
	}
	if want, err := disk.ComputeFingerprint(host, string(id)); got != want {
		t.Errorf("got %s, want %s, %v", got, want, err)
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for b.Loop() {
		if _, err := disk.Fingerprint(); err != nil {
			b.Skip(err)
		}
	}
}
