package fsck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A snapshot is what the changing files of a store said at one moment. Bodies never change and are read
// later.
type snapshot struct {
	Indexes    []IndexText
	LogText    []byte
	LedgerText []byte
	intent     *txn.Intent
	intentErr  error     // why the intent that is there cannot be used
	odd        []Finding // files that cannot be taken for what their names say
}

type IndexText struct {
	Name string
	Text []byte // nil if it is missing
}

// A signature changes with every change of the store: each begins with a new intent, and ends with new
// events and without the intent.
type signature struct {
	index, log, intent durable.Entry
}

func (c *Check) signature() (sig signature) {
	sig.index, _ = c.Dir.Lstat(layout.Index)
	sig.intent, _ = c.Dir.Lstat(layout.Intent)
	if c.State != nil {
		sig.log, _ = c.State.Lstat(layout.Log)
	}
	return sig
}

// takeSnapshot reads until nothing has changed in between.
func (c *Check) takeSnapshot(ctx context.Context) error {
	const patience = 300
	for range patience {
		if err := c.openState(); err != nil {
			return err
		}
		before := c.signature()
		if err := c.ReadSnapshot(); err != nil {
			return err
		}
		if before == c.signature() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return fault.New(fault.ErrBusy, "try again when fewer commands write", "the store changes faster than it can be read")
}

// openState opens the state directory, unless there is none yet.
func (c *Check) openState() (err error) {
	if c.State == nil {
		c.State, err = c.OpenPlace(c.Opt.StateDir)
	}
	return err
}

func (c *Check) ReadSnapshot() (err error) {
	c.snapshot = snapshot{}
	if c.intent, err = txn.ReadIntent(c.Dir, txn.ReadKey(c.State)); errors.Is(err, fault.ErrIntegrity) {
		c.intentErr, err = err, nil
	}
	if err != nil {
		return err
	}
	if err := c.readIndexTexts(); err != nil {
		return err
	}
	if err := c.readLedgerText(); err != nil {
		return err
	}
	return c.readLogText()
}

// readIndexTexts reads what eachIndex does, and goes on behind a file that is none.
func (c *Check) readIndexTexts() error {
	text, err := c.readIndexText(layout.Index)
	if err != nil {
		return err
	}
	linked := index.Archives(string(text))
	for n := 1; ; {
		text, err := c.readIndexText(layout.Archive(n))
		if err != nil {
			return err
		}
		if n = index.NextArchive(linked, n, text != nil); n == 0 {
			c.Indexes = c.Indexes[:len(c.Indexes)-1]
			return nil
		}
	}
}

func (c *Check) readIndexText(name string) ([]byte, error) {
	text, err := store.ReadIndex(c.Dir, name)
	if corrupt := (*fault.CorruptError)(nil); errors.As(err, &corrupt) {
		c.odd = append(c.odd, Finding{name, corrupt.Why, remedyRepair})
		err = nil
	}
	c.Indexes = append(c.Indexes, IndexText{name, text})
	return text, err
}

// listsHandoffs reports whether any index file of the snapshot lists a handoff.
func (c *Check) listsHandoffs() bool {
	return slices.ContainsFunc(c.Indexes, func(i IndexText) bool { return !index.IsEmpty(i.Text) })
}

func (c *Check) readLogText() (err error) {
	if c.State == nil {
		return nil
	}
	c.LogText, err = txn.ReadLogText(c.State)
	if errors.Is(err, durable.ErrUnsafe) || errors.Is(err, fs.ErrPermission) {
		c.odd = append(c.odd, Finding{layout.Log, fmt.Sprintf("cannot be read: %v", err), remedyRepair})
		return nil
	}
	return err
}

// isOdd reports whether a file is there and cannot be read. That is a fault of its own, and nothing that the
// file may hold can be missed.
func (c *Check) isOdd(name string) bool {
	return slices.ContainsFunc(c.odd, func(f Finding) bool { return f.Place == name })
}

// hidesRows reports whether there may be rows that were not read.
func (c *Check) hidesRows() bool {
	return slices.ContainsFunc(c.Indexes, func(f IndexText) bool { return c.isOdd(f.Name) })
}

// hidesEvents reports whether there may be events that were not read, or prove nothing, or are missing as a whole.
func (c *Check) hidesEvents() bool { return c.Log.Bad != "" || c.isOdd(layout.Log) || c.lacksLog() }

// lacksLog reports whether there is no log, or nothing in it.
func (c *Check) lacksLog() bool {
	return len(c.Log.Hashes)+len(c.promised.Writes) == 0 && c.Log.Bad == "" && !c.isOdd(layout.Log)
}

// checkIntent reports a change that is not finished.
func (c *Check) checkIntent() {
	switch {
	case c.intentErr != nil:
		c.fault(layout.Intent, remedyRepair, "cannot be used: %v", c.intentErr)
	case c.intent != nil:
		if _, err := txn.LogState(c.Store, bytes.NewReader(c.LogText), int64(len(c.LogText)), c.intent); err != nil {
			c.fault(layout.Intent, remedyRepair, "no writing command can complete what was interrupted, or take it back: %v", err)
			return
		}
		c.warn(layout.Intent, "any writing command", "a change is under way or was interrupted; the next writing command completes it or takes it back")
	}
}

// publishes reports whether an unfinished change publishes the file.
func publishes(intent *txn.Intent, file string) bool {
	return intent != nil && slices.ContainsFunc(intent.Bodies, func(b txn.Body) bool { return b.File == file })
}
