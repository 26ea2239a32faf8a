package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// ReadSignature returns the signature of a handoff in an open handoffs directory, nil if it has none.
func ReadSignature(d *durable.Dir, id string) ([]byte, error) {
	signatures, err := d.OpenDir(layout.Signatures)
	if err == nil {
		defer signatures.Close()
		var text []byte
		if text, err = signatures.ReadFile(layout.SignatureFile(id), layout.MaxSignature); err == nil {
			return text, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, fault.Unreadable(Odd(filepath.Join(d.Path(), layout.Signatures, layout.SignatureFile(id)), err))
}
