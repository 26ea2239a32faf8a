package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// OpenState opens the state directory; nil if there is none.
func (s *Store) OpenState() (*disk.Dir, error) { return s.open(s.Opt.StateDir) }

// OpenSignatures opens the directory of signatures; nil if there is none.
func (s *Store) OpenSignatures() (*disk.Dir, error) {
	return s.open(filepath.Join(s.Opt.Dir, disk.Signatures))
}

// Pin returns the point after the last change of this user; the zero Point if it is unknown.
func (s *Store) Pin() log.Point { return s.readPin().at }

// Prove reads a file of the handoffs directory that is a document, and returns it without its body, and its text. The
// error is fault.ErrIntegrity if the file is no document with the id of its content.
func (s *Store) Prove(dir *disk.Dir, name string) (Document, []byte, error) {
	doc, text, err := s.readDocument(dir, name)
	d := Document{Document: doc, Size: len(doc.Body), file: name}
	d.Body = ""
	return d, text, err
}

// A Repair is a run of repair. Its log goes on, also if it was damaged, and its view is of the good beginning.
type Repair struct {
	*Change
	Why  string // what was wrong with the log, "" if it went on anyway
	Kept string // what holds the log as it was

	Dir, State *disk.Dir
	Say        func(done string)
	machine    log.Payload // the last one that the log names
}

// Repair locks the store, moves aside what has the name of a file and is no plain file, cuts the log behind its good
// beginning, and calls do, which can plan events and call [Repair.Commit]. Then it sets the pin and makes INDEX.md
// again. done gets each step as a sentence. It can be killed at any time and run again. The errors are those of
// [Store.Change], but for the log.
func (s *Store) Repair(ctx context.Context, done func(string), do func(*Repair) error) error {
	return s.locked(ctx, func(c *Change) error {
		r := &Repair{Change: c, Dir: c.dir, State: c.state, Say: done}
		for _, step := range []func() error{r.open, func() error { return do(r) }, r.Commit, r.follow} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// open reads the store under the lock.
func (r *Repair) open() error {
	_, err := r.setOddAside(r.state, disk.FingerprintFile)
	if err == nil {
		err = r.check(false)
	}
	if err == nil {
		err = r.openLog()
	}
	if err != nil {
		return err
	}
	if r.At == log.Start {
		return r.addBegin()
	}
	record, err := ReadMachine(r.state)
	if err == nil && (r.machine.Fingerprint != record.Fingerprint || !slices.Equal(r.machine.Also, record.Also)) {
		r.addMachine(record, r.store.Opt.Operator, "recorded when the log was repaired")
	}
	return err
}

// openLog opens the log. If its chain breaks, or the pinned line is not there, it keeps a copy and cuts it behind its
// good beginning.
func (r *Repair) openLog() (err error) {
	if r.Kept, err = r.setOddAside(r.state, log.FileName); err != nil {
		return err
	}
	if r.Kept != "" {
		r.Why = "the log was not a plain file"
	}
	if _, err := r.state.Stat(log.FileName); err != nil {
		r.pin = pin{}
	}
	if err := r.openFile(); err != nil {
		return err
	}
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	f := facts.New()
	f.At, err = log.Read(r.file, info.Size(), log.Start, func(change []log.Event) {
		f.Add(change)
		f.Count += len(change)
		for _, e := range change {
			if e.Type == log.Begin || e.Type == log.Regenerate {
				r.machine = e.Payload
			}
		}
	})
	r.View = r.store.View(f)
	switch at := r.pin.at; {
	case err != nil && errOther(err, new(*log.Damage)) != nil:
		return err
	case err != nil:
		r.Why = err.Error()
	case at.Offset > 0 && !log.Has(r.file, f.At.Offset, at):
		r.Why = "the log had not the last line that you left there"
	}
	if r.Why != "" {
		r.pin = pin{}
		if err := r.cut(info.Size(), f.At.Offset); err != nil {
			return err
		}
	}
	return r.openEnd()
}

// cut keeps a copy of the log, and then cuts it.
func (r *Repair) cut(size, end int64) error {
	if size == 0 {
		return nil
	}
	kept, err := r.store.kept()
	if err != nil {
		return err
	}
	defer kept.Close()
	if r.Kept, err = kept.Copy(r.file, r.store.stamp()+"-"+log.FileName); err != nil {
		return err
	}
	r.Say("kept a copy of the log as " + r.keptPath(r.Kept) + ": " + r.Why)
	return r.file.Truncate(end)
}

func (r *Repair) keptPath(name string) string {
	return filepath.Join(r.store.Opt.StateDir, disk.Kept, name)
}

// SetAside moves a file of a directory of the store into kept/, durably, and returns its name there.
func (r *Repair) SetAside(d *disk.Dir, name, why string) (as string, err error) {
	kept, err := r.store.kept()
	if err != nil {
		return "", err
	}
	defer kept.Close()
	as = r.store.stamp() + "-" + name
	if err = d.MoveTo(kept, name, as); err == nil {
		err = errors.Join(kept.Sync(), d.Sync())
	}
	if err == nil {
		r.Say("moved " + name + " to " + r.keptPath(as) + ": " + why)
	}
	return as, err
}

// setOddAside moves aside what has a name and is no plain file.
func (r *Repair) setOddAside(d *disk.Dir, name string) (as string, err error) {
	info, err := d.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return r.SetAside(d, name, "it is not a plain file")
}

// Adopt plans the event of a document that [Store.Prove] has proven, after making its file durable. It returns false
// for one that the accepted rules keep out of a tracked store.
func (r *Repair) Adopt(d Document) (bool, error) {
	verification, err := r.store.Accepted(r.View).Admit(d.From, d.To)
	if err != nil && r.store.Opt.Git == disk.GitTracked {
		return false, nil
	}
	if err := r.dir.SyncFile(d.file); err != nil {
		return false, err
	}
	d.Verification, r.isSync = verification, true
	r.addDocument(log.Import, d)
	return true, nil
}

// Commit stores what is planned so far.
func (r *Repair) Commit() error {
	if !r.isPlanned() {
		return nil
	}
	_, err := r.commit()
	r.events, r.isSync = nil, false
	return err
}

// follow makes what follows from the log, all of it.
func (r *Repair) follow() error {
	s := r.store
	r.View = s.View(r.Facts)
	if err := index.Update(r.dir, r.View, log.Point{}, nil, s.Opt.IndexMaxRows); err != nil {
		return err
	}
	s.keep(pin{r.log.Head(), r.git}, r.pin, r.View, 0)
	if at := s.readPin().at; at.Offset > 0 && !log.Has(r.file, r.At.Offset, at) {
		return errors.New("cannot replace " + filepath.Join(s.ownPath(), pinFile) + ": remove it")
	}
	return nil
}
