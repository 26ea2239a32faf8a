package txn

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Signature of a handoff is a file of its own, beside the document.
type Signature struct {
	ID   string `json:"id"`
	Text string `json:"text"` // armored
	Key  string `json:"key"`  // the fingerprint of the key

	Synced bool `json:"-"` // it came by sync
}

// sign gives a handoff that is stored its signature, in the place of another one; the file's
// replacement commits it.
var sign = Operation{Name: "sign", committed: signatureIsThere, redo: replaceSignatures}

// Sign puts a signature beside a stored handoff.
func Sign(ctx context.Context, s *store.Store, one Signature) error {
	return Locked(ctx, s, func(x *Session) error {
		return x.apply(step{op: &sign, intent: Intent{Signatures: []Signature{one}},
			events: []eventlog.Pending{{Type: eventlog.TypeSign, Payload: eventlog.Signed{HandoffID: one.ID, Key: one.Key, How: eventlog.How{Synced: one.Synced}}}}})
	})
}

// signatureIsThere reports whether all signatures of an intent have their files.
func signatureIsThere(x *Session, intent *Intent) (bool, error) {
	for _, one := range intent.Signatures {
		if text, err := store.ReadSignature(x.Dir, one.ID); string(text) != one.Text || err != nil {
			return false, err
		}
	}
	return true, nil
}

// replaceSignatures puts the signatures of an intent in place of older ones.
func replaceSignatures(x *Session, intent *Intent) error {
	return x.eachSignature(intent, func(d *durable.Dir, one Signature) error {
		return d.Replace(layout.SignatureFile(one.ID), []byte(one.Text), 0o644)
	})
}

// publishSignatures gives the documents of a change their signatures, before a row lists them. One
// that lies there already is of nobody's making, unless it is the same.
func (x *Session) publishSignatures(intent *Intent) error {
	d, err := x.signatures(intent)
	if d == nil {
		return err
	}
	defer d.Close()
	staged, done, err := stageSignatures(d, intent.Signatures)
	defer done()
	if err != nil {
		return err
	}
	for i, one := range intent.Signatures {
		name := layout.SignatureFile(one.ID)
		if err := staged[i].Publish(name); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if there, err := store.ReadSignature(x.Dir, one.ID); err != nil || string(there) != one.Text {
			return fault.New(fault.ErrIntegrity, "move it away", "%s is there already, and signs no handoff of this store", filepath.Join(d.Path(), name))
		}
	}
	return d.Sync()
}

// stageSignatures puts signatures on disk, many together. done has to be called, also after an error.
func stageSignatures(d *durable.Dir, all []Signature) (staged []*durable.Staged, done func(), err error) {
	staged = make([]*durable.Staged, len(all))
	begin, end := d.BeginStage, func() {}
	if len(all) > 1 {
		batch, err := d.BeginBatch()
		if err != nil {
			return nil, end, err
		}
		defer batch.Close()
		begin, end = batch.BeginStage, batch.End
	}
	err = stageParts(staged, func(int) {}, func(i int) (err error) {
		staged[i], err = begin([]byte(all[i].Text), 0o644)
		return err
	})
	return staged, func() {
		for _, f := range staged {
			if f != nil {
				f.Discard()
			}
		}
		end()
	}, err
}

// unpublishSignatures takes those back that no listed handoff has.
func (x *Session) unpublishSignatures(intent *Intent, listing []byte) error {
	return x.eachSignature(intent, func(d *durable.Dir, one Signature) error {
		there, err := store.ReadSignature(x.Dir, one.ID)
		if _, listed := index.Find(listing, one.ID); listed || err != nil || string(there) != one.Text {
			return err
		}
		return d.Remove(layout.SignatureFile(one.ID))
	})
}

// eachSignature calls do for the signatures of an intent, and makes durable what it does.
func (x *Session) eachSignature(intent *Intent, do func(*durable.Dir, Signature) error) error {
	d, err := x.signatures(intent)
	if d == nil {
		return err
	}
	defer d.Close()
	for _, one := range intent.Signatures {
		if err := do(d, one); err != nil {
			return err
		}
	}
	return d.Sync()
}

// signatures opens the directory of the signatures of an intent, and makes it where it is missing; nil
// if there are none.
func (x *Session) signatures(intent *Intent) (*durable.Dir, error) {
	if len(intent.Signatures) == 0 {
		return nil, nil
	}
	return x.Dir.MakeDir(layout.Signatures, 0o755)
}
