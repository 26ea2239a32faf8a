package disk

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A MachineRecord is the fingerprint file of a store: one JSON object with these keys. Other programs omit
// writer and store.
type MachineRecord struct {
	Fingerprint     string `json:"fingerprint"`       // 64 lower-case hexadecimal digits; "" while no machine is known
	FirstSeenUTC    string `json:"first_seen_utc"`    // RFC 3339 with Z
	WriterIDDefault string `json:"writer_id_default"` // the first operator, may be ""
	// w- and 16 hexadecimal digits: the writer id of the state directory
	Writer string `json:"writer,omitempty"`
	Store  string `json:"store,omitempty"` // 32 hexadecimal digits: the id of the store when it was written
}

// MaxMachineRecord is the size of the largest fingerprint file.
const MaxMachineRecord = 4 << 10

// ErrNoMachine is the error for a record without a machine.
var ErrNoMachine = errors.New("it names no machine")

// Complete adds a random writer id if the record has none.
func (r *MachineRecord) Complete() {
	if r.Writer == "" {
		r.Writer = "w-" + random(8)
	}
}

func random(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Bytes returns the record as one line of JSON in the order of the fields, with a final newline.
func (r MachineRecord) Bytes() []byte { return append(jsontree.Encode(r, ""), '\n') }

// ParseMachineRecord parses a fingerprint file. For a record without a machine it returns the record and ErrNoMachine.
func ParseMachineRecord(src []byte) (r MachineRecord, err error) {
	if err = json.Unmarshal(src, &r); err == nil {
		err = r.check()
	}
	switch {
	case err == nil:
		return r, nil
	case !errors.Is(err, ErrNoMachine):
		r = MachineRecord{}
	}
	return r, fmt.Errorf("bad fingerprint record: %w", err)
}

func (r MachineRecord) check() error {
	switch {
	case r.Writer != "" && !form.IsWriter(r.Writer):
		return fmt.Errorf("the writer %s is not w- and 16 lower-case hexadecimal digits", fault.Quote(r.Writer))
	case r.Store != "" && !(len(r.Store) == 32 && form.IsHex(r.Store)):
		return errors.New("the store is not 32 hexadecimal digits")
	case !form.IsInstant(r.FirstSeenUTC):
		return fmt.Errorf("first_seen_utc %s is not a time such as 2026-05-07T12:00:00Z", fault.Quote(r.FirstSeenUTC))
	case r.Fingerprint == "":
		return ErrNoMachine
	case !form.IsDigest(r.Fingerprint):
		return fmt.Errorf("%s is not 64 lower-case hexadecimal digits", fault.Quote(r.Fingerprint))
	}
	return nil
}
