package check

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// recoverSides stores each side of a merge conflict in a file, if the side is a handoff. The names end in the
// id, so that both sides fit.
func (m *repair) recoverSides(name string) error {
	text, err := m.Dir.ReadFile(name, disk.MaxDocument)
	if err != nil {
		return nil // it is quarantined as it is
	}
	for _, side := range sides(text) {
		doc, _, err := store.ParseProven(name, side)
		if _, known := m.stored[doc.HandoffID]; err != nil || known || m.found.Log.Of(doc.HandoffID).Pruned {
			continue
		}
		file := document.FileName(doc, 1, true)
		err = m.Dir.CreateNew(file, side, 0o644)
		if err == nil || errors.Is(err, fs.ErrExist) { // an earlier repair stored it
			err = m.Dir.Sync()
		}
		if err != nil {
			return err
		}
		found, err := m.read(file)
		if err != nil {
			return err
		}
		m.stored[found.ID] = found
		m.did("stored %s, one side of the merge conflict in %s", file, name)
	}
	return nil
}

// searchConflicts recovers the sides of conflicts in quarantined files. Recovery restored the text from
// before the merge and quarantined the conflict.
func (m *repair) searchConflicts() error {
	names, err := m.Dir.Names(func(name string) bool { return strings.HasPrefix(name, disk.Quarantine) })
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := m.recoverSides(name); err != nil {
			return err
		}
	}
	return nil
}

// sides returns the two texts of a merge conflict, or nil if there is no conflict.
func sides(text []byte) [][]byte {
	var ours, theirs bytes.Buffer
	var conflict Conflict
	part, found := "", false // the side of the conflict; "" means both
	for line := range strings.Lines(string(text)) {
		if conflict.IsMarker(strings.TrimSuffix(line, "\n")) {
			part, found = line[:1], true
			if part == ">" {
				part = ""
			}
			continue
		}
		if part == "" || part == "<" {
			ours.WriteString(line)
		}
		if part == "" || part == "=" {
			theirs.WriteString(line)
		}
	}
	if !found {
		return nil
	}
	return [][]byte{ours.Bytes(), theirs.Bytes()}
}
