package check

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// recoverSides stores what a file with the markers of a merge conflict holds: each side that is a
// handoff, under a name that ends in its id, so that neither takes the other's.
func (m *mending) recoverSides(name string) error {
	text, err := m.Dir.ReadFile(name, disk.MaxDocument)
	if err != nil {
		return nil // it goes aside as it is
	}
	for _, side := range sides(text) {
		doc, err := store.ParseStored(name, side)
		if err != nil {
			continue
		}
		file := document.FileName(doc, 1, true)
		row := index.Row{ID: doc.HandoffID, File: file, From: doc.From, To: doc.To, Topic: doc.Topic, Time: doc.Time}
		if _, known := m.stored[doc.HandoffID]; known || m.found.Log.Of(doc.HandoffID).Pruned || store.CompareRow(file, doc, row) != nil {
			continue
		}
		if err := m.storeSide(file, side); err != nil {
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

// searchConflicts stores the sides of conflicts in files that went aside before: the journal had the text that
// was there before the merge, and recovery has brought that back.
func (m *mending) searchConflicts() error {
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

// storeSide gives one side of a conflict in a document the name of its id. A file of that name is that
// side, stored by a repair before.
func (m *mending) storeSide(file string, text []byte) error {
	staged, err := m.Dir.Stage(text, 0o644)
	if err != nil {
		return err
	}
	defer staged.Discard()
	if err := staged.Publish(file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return m.Dir.Sync()
}

// sides returns the two texts that a merge conflict was made of, nil if there is none.
func sides(text []byte) [][]byte {
	var ours, theirs bytes.Buffer
	var conflict Conflict
	part, found := "", false // of the conflict; "" is both
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
