package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
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

// A Repair is a run of repair. Its log goes on, also if it was damaged.
type Repair struct {
	*Change
	Why  string // what was wrong with the log, "" if it went on anyway
	Kept string // what holds the log as it was

	Dir, State *disk.Dir
	Say        func(done string)
}

// Repair locks the store, moves aside what has the name of a file and is no plain file, cuts the log behind its good
// beginning, and calls do, which can plan events and call [Repair.Commit]. Then it sets the pin and makes INDEX.md
// again. done gets each step as a sentence. It can be killed at any time and run again. The errors are those of
// [Store.Change], but for the log.
func (s *Store) Repair(ctx context.Context, done func(string), do func(*Repair) error) error {
	return s.locked(ctx, func(c *Change) error {
		r := &Repair{Change: c, Dir: c.dir, State: c.state, Say: done}
		err := r.mend()
		if err == nil {
			err = c.open()
		}
		if err == nil {
			err = do(r)
		}
		if err == nil {
			err = r.Commit()
		}
		if err != nil {
			return err
		}
		c.follow(log.Point{}, nil)
		if at := s.readPin().at; at.Offset > 0 && !log.Has(c.file, c.At.Offset, at) {
			return errors.New("cannot replace " + filepath.Join(s.ownPath(), pinFile) + ": remove it")
		}
		return nil
	})
}

// mend makes a log that a change can open.
func (r *Repair) mend() error {
	_, err := r.setOddAside(r.state, disk.FingerprintFile)
	if err == nil {
		err = r.check()
	}
	if err == nil {
		r.Kept, err = r.setOddAside(r.state, log.FileName)
	}
	if err != nil {
		return err
	}
	if r.Kept != "" {
		r.Why = "the log was not a plain file"
	}
	file, err := r.state.OpenLog(log.FileName)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	end, err := log.Read(file, info.Size(), log.Start, func([]log.Event) {})
	switch at := r.pin.at; {
	case errors.As(err, new(*log.Damage)):
		r.Why = err.Error()
	case err != nil:
		return err
	case at.Offset > 0 && !log.Has(file, end.Offset, at):
		r.Why = "the log had not the last line that you left there"
	default:
		return nil
	}
	r.pin, r.isPinless = pin{}, true // the file changes last, so that a kill is noticed
	good, err := io.ReadAll(io.NewSectionReader(file, 0, end.Offset))
	if err != nil || info.Size() == 0 {
		return err
	}
	file.Close() // Windows replaces no open file
	return r.cut(good)
}

// cut keeps the log as it was, and replaces it by its good beginning.
func (r *Repair) cut(good []byte) error {
	kept, err := r.store.kept()
	if err != nil {
		return err
	}
	defer kept.Close()
	r.Kept = r.store.stamp() + "-" + log.FileName
	if err := r.state.CopyTo(kept, log.FileName, r.Kept); err != nil {
		return err
	}
	r.Say("kept a copy of the log as " + filepath.Join(kept.Path(), r.Kept) + ": " + r.Why)
	return r.state.Replace(log.FileName, good, 0, true)
}

// SetAside moves a file of a directory of the store into kept/, durably, and returns its name there. If that is on
// another file system, a file that is not plain stays in its directory, with another name.
func (r *Repair) SetAside(d *disk.Dir, name, why string) (as string, err error) {
	kept, err := r.store.kept()
	if err != nil {
		return "", err
	}
	defer kept.Close()
	as = r.store.stamp() + "-" + name
	at := filepath.Join(kept.Path(), as)
	if err = d.MoveTo(kept, name, as); err != nil {
		at = filepath.Join(d.Path(), as+".odd")
		err = d.MoveTo(d, name, as+".odd")
	}
	if err == nil {
		err = errors.Join(kept.Sync(), d.Sync())
	}
	if err == nil {
		r.Say("moved " + name + " to " + at + ": " + why)
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

// Adopt plans the event of a document that [Store.Prove] has proven, after making its file durable.
func (r *Repair) Adopt(d Document) error {
	d.Verification, _ = r.store.Accepted(r.View).Admit(d.From, d.To)
	r.isSync = true
	r.addDocument(log.Import, d)
	return r.dir.SyncFile(d.file)
}

// Commit stores what is planned so far.
func (r *Repair) Commit() error {
	_, err := r.commit()
	r.events, r.isSync = nil, false
	return err
}
