package handoff

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
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

const maxLog = 1 << 30 // bytes of the audit log

// A snapshot is what the changing files of a store said at one moment. Bodies never change and are read
// later.
type snapshot struct {
	indexes    []indexText
	logText    []byte
	ledgerText []byte
	intent     *journal.Intent
	intentErr  error     // why the intent that is there cannot be used
	odd        []Finding // files that cannot be taken for what their names say
}

type indexText struct {
	name string
	text []byte // nil if it is missing
}

// A signature changes with every change of the store: each begins with a new intent, and ends with new
// events and without the intent.
type signature struct {
	index, log, intent durable.Entry
}

func (c *check) signature() (sig signature) {
	sig.index, _ = c.dir.Lstat(index.Name)
	sig.intent, _ = c.dir.Lstat(journal.IntentName)
	if c.state != nil {
		sig.log, _ = c.state.Lstat(logName)
	}
	return sig
}

// takeSnapshot reads until nothing has changed in between.
func (c *check) takeSnapshot(ctx context.Context) error {
	const patience = 300
	for range patience {
		if err := c.openState(); err != nil {
			return err
		}
		before := c.signature()
		if err := c.readSnapshot(); err != nil {
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
	return fault.New(ErrBusy, "try again when fewer commands write", "the store changes faster than it can be read")
}

// openState opens the state directory, unless there is none yet.
func (c *check) openState() (err error) {
	if c.state == nil {
		c.state, err = c.openPlace(c.opt.StateDir)
	}
	return err
}

func (c *check) readSnapshot() (err error) {
	c.snapshot = snapshot{}
	x := session{Store: c.Store, dir: c.dir}
	if c.intent, err = x.readIntent(); errors.Is(err, ErrIntegrity) {
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
func (c *check) readIndexTexts() error {
	text, err := c.readIndexText(index.Name)
	if err != nil {
		return err
	}
	linked := index.Archives(string(text))
	for n := 1; ; {
		text, err := c.readIndexText(index.ArchiveName(n))
		if err != nil {
			return err
		}
		if n = index.NextArchive(linked, n, text != nil); n == 0 {
			c.indexes = c.indexes[:len(c.indexes)-1]
			return nil
		}
	}
}

func (c *check) readIndexText(name string) ([]byte, error) {
	text, err := readIndex(c.dir, name)
	if corrupt := (*CorruptError)(nil); errors.As(err, &corrupt) {
		c.odd = append(c.odd, Finding{name, corrupt.Why, remedyRepair})
		err = nil
	}
	c.indexes = append(c.indexes, indexText{name, text})
	return text, err
}

// listsHandoffs reports whether any index file of the snapshot lists a handoff.
func (c *check) listsHandoffs() bool {
	return slices.ContainsFunc(c.indexes, func(i indexText) bool { return !index.IsEmpty(i.text) })
}

func (c *check) readLogText() error {
	if c.state == nil {
		return nil
	}
	f, err := c.state.OpenSole(logName)
	if err == nil {
		defer f.Close()
		c.logText, err = durable.ReadAll(f, maxLog)
	}
	if errors.Is(err, durable.ErrUnsafe) || errors.Is(err, fs.ErrPermission) {
		c.odd = append(c.odd, Finding{logName, fmt.Sprintf("cannot be read: %v", err), remedyRepair})
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isOdd reports whether a file is there and cannot be read. That is a fault of its own, and nothing that the
// file may hold can be missed.
func (c *check) isOdd(name string) bool {
	return slices.ContainsFunc(c.odd, func(f Finding) bool { return f.Place == name })
}

// hidesRows reports whether there may be rows that were not read.
func (c *check) hidesRows() bool {
	return slices.ContainsFunc(c.indexes, func(f indexText) bool { return c.isOdd(f.name) })
}

// hidesEvents reports whether there may be events that were not read, or prove nothing, or are missing as a whole.
func (c *check) hidesEvents() bool { return c.log.bad != "" || c.isOdd(logName) || c.lacksLog() }

// lacksLog reports whether there is no log, or nothing in it.
func (c *check) lacksLog() bool {
	return len(c.log.hashes)+len(c.promised.writes) == 0 && c.log.bad == "" && !c.isOdd(logName)
}

// checkIntent reports a change that is not finished.
func (c *check) checkIntent() {
	switch {
	case c.intentErr != nil:
		c.fault(journal.IntentName, remedyRepair, "cannot be used: %v", c.intentErr)
	case c.intent != nil:
		if _, err := c.logState(bytes.NewReader(c.logText), int64(len(c.logText)), c.intent); err != nil {
			c.fault(journal.IntentName, remedyRepair, "no writing command can complete what was interrupted, or take it back: %v", err)
			return
		}
		c.warn(journal.IntentName, "any writing command", "a change is under way or was interrupted; the next writing command completes it or takes it back")
	}
}

// publishes reports whether an unfinished change publishes the file.
func publishes(intent *journal.Intent, file string) bool {
	return intent != nil && slices.ContainsFunc(intent.Bodies, func(b journal.Body) bool { return b.File == file })
}
