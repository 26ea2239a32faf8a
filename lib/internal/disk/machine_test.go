package disk_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

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
		got, err := disk.ComputeFingerprint(host, hexID)
		if got != "" || err == nil || errors.Is(err, disk.ErrNoMachineID) {
			t.Errorf("host %q: got %q, %v", host, got, err)
		}
	}
}

func TestFingerprintIsOfThisMachine(t *testing.T) {
	got, isNew, err := disk.Fingerprint("")
	if errors.Is(err, disk.ErrNoMachineID) {
		t.Skip(err)
	}
	again, _, err2 := disk.Fingerprint("")
	if err := errors.Join(err, err2); again != got || isNew || err != nil || len(got) != 64 {
		t.Errorf("got %q, then %q, %v", got, again, err)
	}
}

// A machine without an id gets one that stays. It is read also where nothing can be written.
func TestOwnMachineID(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	id, isNew, err := disk.OwnMachineID(state)
	if _, unusable := disk.ComputeFingerprint("box", id); err != nil || unusable != nil || !isNew {
		t.Fatalf("%q, %v, %v, %v", id, isNew, err, unusable)
	}
	file := filepath.Join(state, "handoff", "machine-id")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Chmod(filepath.Dir(file), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(file), 0o700)
	if again, isNew, err := disk.OwnMachineID(state); again != id || isNew || err != nil {
		t.Errorf("%q, then %q, %v, %v", id, again, isNew, err)
	}
	if _, _, err := disk.OwnMachineID(file); err == nil {
		t.Error("kept in a state that is no directory")
	}
}

const digest = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"

const good = `{"fingerprint":"` + digest + `","first_seen_utc":"2026-05-07T12:00:00Z",` +
	`"writer_id_default":"alice"}` + "\n"

func TestRecord(t *testing.T) {
	want := disk.MachineRecord{Fingerprint: digest, FirstSeenUTC: "2026-05-07T12:00:00Z", WriterIDDefault: "alice"}
	if got := string(want.Bytes()); got != good {
		t.Errorf("got %s, want %s", got, good)
	}
	for _, src := range []string{good, strings.TrimSpace(good), strings.ReplaceAll(good, ",", ",\n  ")} {
		if got, err := disk.ParseMachineRecord([]byte(src)); !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("%s: got %+v, %v", src, got, err)
		}
	}
	edit := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, src := range []string{
		"", "null", "[]", "{}", good[:40], good + "{}", edit(`"alice"`, `["a"]`),
		edit("writer_id_default", "writer"), edit("}", `,"fingerprint":""}`),
	} {
		got, err := disk.ParseMachineRecord([]byte(src))
		if !reflect.DeepEqual(got, disk.MachineRecord{}) || err == nil {
			t.Errorf("%.120q: got %+v", src, got)
		}
	}
}

func TestRecordComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`[0-9a-f]{64}`)
		want := disk.MachineRecord{Fingerprint: a.Draw(t, "fingerprint"), FirstSeenUTC: "2026-05-07T12:00:00.000001Z",
			WriterIDDefault: rapid.StringN(0, 64, 256).Draw(t, "operator"), Writer: disk.NewWriter(),
			Also: rapid.SliceOfN(a, 1, 3).Draw(t, "also")}
		got, err := disk.ParseMachineRecord(want.Bytes())
		if !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("got %+v, %v", got, err)
		}
		if !got.Knows(want.Fingerprint) || !got.Knows(want.Also[0]) || got.Knows("") || got.Knows(digest[:63]+"e") {
			t.Error("knows other machines")
		}
	})
}
