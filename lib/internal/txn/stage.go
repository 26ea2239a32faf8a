package txn

import (
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// inlineBodies is the most bytes of documents in a record. The rest is in a spool.
const inlineBodies = 32 << 10

// stage gets the texts of the documents, before the lock is taken. It writes large texts to a spool and syncs
// the spool.
func (p *publishing) stage() error {
	p.AtEnd(func() {
		switch {
		case p.spool == nil:
		case !p.committed || p.j.Records() == 0: // no record refers to the spool
			p.spool.Discard()
		default:
			p.spool.Close()
		}
	})
	inline := 0
	for i := range p.texts {
		text, err := p.doc(i).Text()
		if err != nil {
			return err
		}
		if inline += len(text); inline <= inlineBodies {
			p.texts[i] = journal.NewText(text)
		} else if p.texts[i], err = p.toSpool(text); err != nil {
			return err
		}
		if len(p.texts) > 1 {
			p.Tell(store.TaskStage, i+1, len(p.texts))
		}
	}
	if p.spool == nil {
		return nil
	}
	return p.spool.Sync()
}

func (p *publishing) toSpool(text []byte) (t journal.Text, err error) {
	if p.spool == nil {
		if p.spool, err = journal.NewSpool(p.State); err != nil {
			return t, err
		}
	}
	return p.spool.Add(text)
}
