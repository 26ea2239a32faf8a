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
	err = eachHeld(at, held, func(door *door, w waiting) error {
		parsed, err := w.Document.parse()
		if err == nil {
			_, err = door.judge(&w.Document, parsed)
		}
		why := "it comes in with the next `handoff sync`"
		if err != nil {
			why = fault.Sentence(err)
		}
		all = append(all, Held{w.Document.ID, why})
		return nil
	})
	return all, err
}

// eachHeld calls do with the documents in the directory of held ones.
func eachHeld(at *store.Store, held *disk.Dir, do func(*door, waiting) error) error {
	names, err := held.Names(form.IsDigest)
	if err != nil || len(names) == 0 {
		return err
	}
	door, err := newDoor(at)
	for _, name := range names {
		text, readErr := held.Read(name, 2*maxLine)
		var w waiting
		if err == nil && readErr == nil && json.Decode(text, &w) == nil {
			err = do(door, w)
		}
	}
	return err
}
