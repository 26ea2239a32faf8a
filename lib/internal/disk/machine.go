package disk

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/denisbrodbeck/machineid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
)

// MachineHint explains how to give a system a machine id.
const MachineHint = "on a host run systemd-machine-id-setup as root; give a container the host's id by mounting " +
	"/etc/machine-id into it, also as /var/lib/dbus/machine-id where that file exists"

// ErrNoMachineID is the error if the system has no usable machine id, and none can be kept for it.
var ErrNoMachineID error = &fault.Error{Class: fault.ErrConfig, Problem: "this machine has no usable machine id",
	Advice: MachineHint}

var known atomic.Pointer[string]

// Fingerprint returns the fingerprint of this machine. If the system has no usable machine id, a random one serves. It
// is kept in userState, the directory of the user's state, and isNew is true when it was made. If it cannot be kept
// there, or userState is "", the error wraps ErrNoMachineID. Containers made from one image may share their machine id;
// then only the host name distinguishes them.
func Fingerprint(userState string) (fingerprint string, isNew bool, err error) {
	if f := known.Load(); f != nil {
		return *f, false, nil
	}
	host, err := hostname()
	if err != nil {
		return "", false, fmt.Errorf("cannot read the host's name: %w", err)
	}
	id, err := machineid.ID()
	if err != nil { // any failure to open is a missing file for the library
		f, err := os.Open(os.DevNull)
		if err != nil {
			return "", false, fmt.Errorf("cannot read the machine id: %w", err)
		}
		f.Close()
	}
	fingerprint, err = ComputeFingerprint(host, id)
	if err == nil {
		known.Store(&fingerprint)
	}
	if !errors.Is(err, ErrNoMachineID) || userState == "" {
		return fingerprint, false, err
	}
	if id, isNew, err = ownMachineID(userState); err != nil {
		return "", false, fmt.Errorf("%w, and a random one cannot be kept: %w", ErrNoMachineID, err)
	}
	fingerprint, err = ComputeFingerprint(host, id)
	return fingerprint, isNew, err
}

// ownMachineID returns the random id in the user's state, and makes it durably if it is missing.
func ownMachineID(userState string) (id string, isNew bool, err error) {
	const name = "machine-id"
	path := filepath.Join(userState, "handoff")
	d, err := Make(path, Modes{Group: -1})
	if err != nil {
		return "", false, err
	}
	defer d.Close()
	text, err := d.Read(name, MaxMachineRecord)
	if errors.Is(err, fs.ErrNotExist) {
		if isNew, err = d.add(name, []byte(random(16)+"\n")); err == nil {
			err = cmp.Or(d.Sync(), SyncParents(path, filepath.Dir(userState)))
		}
		if err == nil {
			text, err = d.Read(name, MaxMachineRecord) // that of another process, if it was faster
		}
	}
	return string(text), isNew, err
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

// A MachineRecord is the file that names the machines of a store: one JSON object with these keys. Other programs omit
// writer and also.
type MachineRecord struct {
	Fingerprint     string   `json:"fingerprint"`       // 64 lower-case hexadecimal digits
	FirstSeenUTC    string   `json:"first_seen_utc"`    // RFC 3339 with Z
	WriterIDDefault string   `json:"writer_id_default"` // the first operator, may be ""
	Writer          string   `json:"writer,omitempty"`  // w- and 16 hexadecimal digits: of this state directory
	Also            []string `json:"also,omitempty"`    // the fingerprints of other machines that may use the store
}

// NewWriter returns a random writer id.
func NewWriter() string { return "w-" + random(8) }

// Bytes returns the record as one line of JSON in the order of the fields, with a final newline.
func (r MachineRecord) Bytes() []byte { return append(json.Encode(r, ""), '\n') }

// Knows reports whether the store may be used on the machine with this fingerprint.
func (r MachineRecord) Knows(fingerprint string) bool {
	return fingerprint != "" && (r.Fingerprint == fingerprint || slices.Contains(r.Also, fingerprint))
}

// ParseMachineRecord parses a fingerprint file. It fails if it names no fingerprint, or if the writer has another form
// than written above. What is no fingerprint is that of no machine.
func ParseMachineRecord(src []byte) (r MachineRecord, err error) {
	err = json.Decode(src, &r)
	switch {
	case err == nil && r.Fingerprint == "":
		err = errors.New("it has no fingerprint")
	case err == nil && r.Writer != "" && !form.IsWriter(r.Writer):
		err = fmt.Errorf("the writer %s is not w- and 16 lower-case hexadecimal digits", fault.Quote(r.Writer))
	}
	if err != nil {
		return MachineRecord{}, fmt.Errorf("bad fingerprint record: %w", err)
	}
	return r, nil
}
