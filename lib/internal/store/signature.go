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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, durable.ErrUnsafe), errors.Is(err, durable.ErrTooLarge):
		return nil, &fault.CorruptError{File: filepath.Join(d.Path(), layout.Signatures, layout.SignatureFile(id)), Why: err.Error()}
	}
	return nil, fault.Unreadable(err)
}
