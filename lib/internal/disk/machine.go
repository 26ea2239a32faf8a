package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/denisbrodbeck/machineid"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// ErrNoMachineID is the error if the system has no usable machine id.
var ErrNoMachineID = errors.New("this machine has no usable machine id")

// MachineHint explains how to give a system a machine id.
const MachineHint = "on a host run systemd-machine-id-setup as root; give a container the host's id by mounting " +
	"/etc/machine-id into it, also as /var/lib/dbus/machine-id where that file exists"

var known atomic.Pointer[string]

// Fingerprint returns the fingerprint of this machine, which it computes once. Containers made from one image
// may share their machine id; then only the host name distinguishes them.
func Fingerprint() (string, error) {
	if f := known.Load(); f != nil {
		return *f, nil
	}
	f, err := readFingerprint()
	if err == nil {
		known.Store(&f)
	}
	return f, err
}

func readFingerprint() (string, error) {
	name, err := hostname()
	if err != nil {
		return "", fmt.Errorf("cannot read the host's name: %w", err)
	}
	id, err := machineid.ID() // "" without an error when the file is empty
	if err != nil {
		if limit := canOpen(); limit != nil {
			return "", fmt.Errorf("cannot read the machine id: %w", limit)
		}
		return "", fmt.Errorf("%w (%w)", ErrNoMachineID, err)
	}
	return ComputeFingerprint(name, id)
}

// canOpen returns an error if the process cannot open any file. The library reports that as a missing file.
func canOpen() error {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	return f.Close()
}

// ComputeFingerprint returns the fingerprint of a host name and a machine id. If the id is neither 32
// hexadecimal digits nor a UUID, or all zeros, the error wraps ErrNoMachineID.
func ComputeFingerprint(hostname, machineID string) (string, error) {
	label, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(hostname)), ".")
	if label == "" {
		return "", fmt.Errorf("the host's name %q has no first label; set one with hostnamectl or hostname", hostname)
	}
	id := strings.ToLower(strings.TrimSpace(machineID))
	if !usable(id) {
		return "", fmt.Errorf("%w: it is %.80q, not 32 hexadecimal digits or a UUID other than zero", ErrNoMachineID,
			id)
	}
	sum := sha256.Sum256([]byte(label + "|" + id))
	return hex.EncodeToString(sum[:]), nil
}

func usable(id string) bool {
	digits := id
	if len(id) == 36 && id[8] == '-' && id[13] == '-' && id[18] == '-' && id[23] == '-' {
		digits = strings.ReplaceAll(id, "-", "")
	}
	return len(digits) == 32 && form.IsHex(digits) && strings.Trim(digits, "0") != ""
}
