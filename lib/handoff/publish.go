package handoff

import (
	"context"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// publish stores the admitted documents with one commit. Their bodies are on disk before the lock is taken.
func (s *Store) publish(ctx context.Context, docs []admitted, results []Result, keepGoing bool) error {
	if len(docs) == 0 {
		return nil
	}
	return s.change(ctx, func(x *session) (func() error, error) {
		staged, err := x.stage(docs)
		if err != nil {
			return nil, err
		}
		x.atEnd(func() {
			for _, f := range staged {
				f.Discard()
			}
		})
		return func() error { return x.store(docs, staged, results, keepGoing) }, nil
	})
}

// syncers is how many bodies of a batch wait for the disk at once: it commits what waits together.
const syncers = 16

// stage puts the bodies on disk, those of a batch together: first all are written, then all are synced.
func (x *session) stage(docs []admitted) ([]*durable.Staged, error) {
	staged := make([]*durable.Staged, len(docs))
	errs := make([]error, len(docs))
	each(len(docs), runtime.GOMAXPROCS(0), func(i int) {
		staged[i], errs[i] = x.dir.BeginStage(docs[i].text, 0o644)
	})
	each(len(docs), syncers, func(i int) {
		if errs[i] == nil && len(docs) > 1 {
			staged[i].BeginSync()
		}
	})
	x.eachShown(TaskStage, len(docs), syncers, func(i int) {
		if errs[i] == nil {
			errs[i] = staged[i].Sync()
		}
	})
	for _, err := range errs {
		if err != nil {
			for _, f := range staged {
				if f != nil {
					f.Discard()
				}
			}
			return nil, err
		}
	}
	return staged, nil
}

// store decides for each document whether it is new, and publishes the new ones in one step.
func (x *session) store(docs []admitted, staged []*durable.Staged, results []Result, keepGoing bool) error {
	text, err := x.currentIndex()
	if err != nil {
		return err
	}
	c := newChooser(x, text, len(docs))
	st := step{intent: journal.Intent{Op: journal.OpWrite, Index: index.Name}}
	var rows []index.Row
	var back []string // ids of rows that were lost, not their events
	for i, d := range docs {
		chosen, err := c.choose(d)
		if err != nil {
			results[d.at].Err = err
			continue
		}
		results[d.at].Receipt = Receipt{d.HandoffID, x.relPath(chosen.file), d.Time, StatusExisting}
		if chosen.listed {
			continue
		}
		results[d.at].Receipt.Status = StatusCreated
		row := index.Row{ID: d.HandoffID, File: chosen.file, From: d.From, To: d.To, Topic: d.Topic, Time: d.Time}
		logged := false
		if chosen.adopt {
			if row, logged, err = c.recorded(row); err != nil {
				return err
			}
		}
		rows = append(rows, row)
		body := journal.Body{File: chosen.file, SHA256: sha256Hex(d.text), ID: d.HandoffID, Row: row.String()}
		if !chosen.adopt {
			if body.Inode, err = staged[i].Inode(); err != nil {
				return err
			}
			st.staged = append(st.staged, staged[i])
		} else if body.SHA256, err = x.hashFile(chosen.file); err != nil {
			return err
		}
		st.intent.Bodies = append(st.intent.Bodies, body)
		if logged {
			back = append(back, d.HandoffID)
		} else {
			st.events = append(st.events, event{eventWrite, x.writePayload(d, chosen.file)})
		}
	}
	if err := faults(results); err != nil && !keepGoing {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	if len(back) > 0 {
		st.events = append(st.events, event{eventRepair, repairPayload{Index: index.Name, AddedRows: firstIDs(back), Quarantined: []string{}}})
	}
	if text, err = x.rotate(text, len(rows)); err != nil {
		return err
	}
	st.commit = func() error { return x.replaceIndex(index.Name, text, index.Append(text, rows)) }
	return x.apply(st)
}

func (x *session) writePayload(d admitted, file string) writePayload {
	tags := d.Tags
	if tags == nil {
		tags = []string{}
	}
	return writePayload{
		HandoffID: d.HandoffID, From: d.From, To: d.To, Topic: d.Topic, Time: d.Time, FilePath: x.relPath(file),
		SchemaVersion: d.SchemaVersion, ReferencesCount: len(d.References), Tags: tags,
		BodyByteSize: len(d.Body), OperatorVerification: string(d.operators),
		SecretsAllowed: d.allowed, redacted: d.redacted,
	}
}

func (x *session) hashFile(name string) (string, error) {
	text, err := x.dir.ReadFile(name, maxStored)
	return sha256Hex(text), err
}

// currentIndex returns INDEX.md, or the text of an empty one if the store has no handoff yet.
func (x *session) currentIndex() ([]byte, error) {
	text, err := readIndex(x.dir, index.Name)
	if err != nil || !index.ListsNothing(text) {
		return text, err
	}
	lost, err := x.hasLost(x.dir, text)
	if err != nil {
		return nil, err
	}
	if lost {
		return nil, errIndexMissing
	}
	if len(text) > 0 {
		return text, nil
	}
	return index.New(nil), nil
}
