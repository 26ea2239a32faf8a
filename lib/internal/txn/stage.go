package txn

import (
	"errors"
	"os"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A batch is staged in parts: first all bodies of a part are written, then all are synced, by so many
// goroutines: the disk commits what waits together. A part has as many as may be open, less those that
// are anyway.
const (
	partSize = 512
	syncers  = 16
)

// stage puts the bodies on disk.
func (p *publishing) stage() (err error) {
	p.staged = make([]*durable.Staged, len(p.sums))
	p.AtEnd(p.discard)
	if len(p.sums) == 1 {
		if err = p.stageOne(0, p.Dir.BeginStage); err == nil {
			err = p.staged[0].Sync()
		}
		return err
	}
	if p.batch, err = p.Dir.BeginBatch(); err != nil {
		return err
	}
	defer p.batch.Close()
	return stageParts(p.staged, func(done int) { p.Tell(store.TaskStage, done, len(p.sums)) },
		func(i int) error { return p.stageOne(i, p.batch.BeginStage) })
}

// stageParts stages the files of a batch, which begin puts into staged.
func stageParts(staged []*durable.Staged, tell func(done int), begin func(i int) error) (err error) {
	size := int(min(partSize, durable.MaxOpen()/4))
	for from := 0; from < len(staged) && err == nil; from += size {
		n := min(size, len(staged)-from)
		errs := make([]error, n)
		parallel.Each(n, parallel.Workers(), func(i int) { errs[i] = begin(from + i) })
		if err := errors.Join(errs...); err != nil {
			return err
		}
		parallel.Each(n, syncers, func(i int) { staged[from+i].BeginSync() })
		parallel.EachShown(n, syncers, func(done, _ int) { tell(from + done) }, func(i int) { errs[i] = staged[from+i].Sync() })
		err = errors.Join(errs...)
	}
	return err
}

// stageOne writes a body where it has no name yet, and notes the hash of its bytes for the intent.
func (p *publishing) stageOne(i int, begin func([]byte, os.FileMode) (*durable.Staged, error)) error {
	text, err := p.doc(i).Text()
	if err != nil {
		return err
	}
	p.sums[i] = canon.SHA256Hex(text)
	p.staged[i], err = begin(text, 0o644)
	return err
}

// discard gives up what is staged and was not published.
func (p *publishing) discard() {
	for _, f := range p.staged {
		if f != nil {
			f.Discard()
		}
	}
	if p.batch != nil {
		p.batch.End()
	}
}
