package exchange

import (
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/json"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Waiting returns the received documents that may not be stored yet, and why. It changes nothing.
func Waiting(at *store.Store) (all []Held, err error) {
	path := filepath.Join(at.Opt.StateDir, disk.Held)
	if !store.IsThere(path) {
		return nil, nil
	}
	held, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	names, err := held.Names(form.IsDigest)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	door, err := newDoor(at)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := held.Read(name, 2*maxLine)
		var w waiting
		if err != nil || json.Decode(text, &w) != nil {
			continue
		}
		parsed, err := w.Document.parse()
		if err == nil {
			_, err = door.judge(&w.Document, parsed)
		}
		why := "it comes in with the next `handoff sync`"
		if err != nil {
			why = fault.Sentence(err)
		}
		all = append(all, Held{w.Document.ID, why})
	}
	return all, err
}
