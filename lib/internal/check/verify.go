package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A verification is one run of Verify.
type verification struct {
	files
	Report
	log   *reading
	state *disk.Dir // nil if there is none
	only  map[string]bool
	differences
}

// Verify compares documents and log, and reports all that is wrong. With ids it proves only these handoffs and the log.
// It fails with fault.ErrInvalid for an id that the log does not have, with fault.ErrConfig if a directory cannot be
// used, and with the cause of ctx.
func Verify(ctx context.Context, s *store.Store, ids []string) (Report, error) {
	v := &verification{files: files{Store: s, by: map[string]file{}}, log: newReading(nil),
		Report: Report{Faults: []Finding{}, Warnings: []Finding{}}}
	defer v.close()
	defer func() {
		sort(v.Faults)
		sort(v.Warnings)
	}()
	pin := s.Pin()
	if err := v.open(); err != nil {
		return v.Report, err
	}
	if err := v.readAll(ctx, len(ids) == 0); err != nil {
		return v.Report, err
	}
	v.checkState(pin)
	if err := v.settle(ctx, ids); err != nil {
		return v.Report, err
	}
	v.reportHandoffs()
	if len(ids) == 0 {
		v.reportFiles()
	}
	return v.Report, nil
}

// readAll reads the log, and with docs all documents at the same time.
func (v *verification) readAll(ctx context.Context, docs bool) (err error) {
	var failed error
	var reading sync.WaitGroup
	reading.Go(func() { failed = v.log.readOn() })
	if docs && v.dir != nil {
		var names []string
		if names, err = v.dir.Names(store.IsDocument); err == nil {
			err = v.prove(ctx, names)
		}
	}
	reading.Wait()
	return cmp.Or(failed, err)
}

// open opens the directories and the log.
func (v *verification) open() (err error) {
	if v.dir, err = v.Open(); err != nil {
		return err
	}
	if v.signs, err = v.OpenSignatures(); err != nil {
		v.warn(disk.Signatures, "", "%v", err)
	}
	if v.state, err = v.OpenState(); err != nil {
		return err
	}
	if v.log.file, _, err = v.OpenLog(); errors.Is(err, fault.ErrIntegrity) {
		v.fault(log.FileName, repair, "%v", err)
		err = nil
	}
	return err
}

func (v *verification) close() {
	v.log.close()
	for _, d := range []*disk.Dir{v.dir, v.signs, v.state} {
		if d != nil {
			d.Close()
		}
	}
}

// checkState reports what is wrong with the log, the machine, and the files beside the documents.
func (v *verification) checkState(pin log.Point) {
	if line, why := v.log.bad(pin); why != "" {
		v.fault(fmt.Sprint(log.FileName, ":", line), repair, "%s", why)
	}
	if v.log.file == nil && pin.Offset > 0 && v.Opt.Git != disk.GitTracked {
		v.warn(log.FileName, "handoff sync", "the log that you left here is gone")
	}
	if path, names, err := v.Tracked(v.Opt.StateDir); err != nil {
		v.warn(v.Opt.StateDir, "", "%v", err)
	} else if len(names) > 0 {
		v.fault(v.Opt.StateDir, "git rm -r --cached "+store.ShellQuote(path),
			"is for this machine alone, and git tracks %s", fault.Some(names))
	}
	if v.state != nil && !v.isOdd(v.state, disk.FingerprintFile) {
		err := v.CheckMachine(v.state)
		if refused, is := errors.AsType[*store.MachineError](err); is {
			v.fault(disk.FingerprintFile, refused.Command, "%v", err)
		} else if err != nil {
			v.warn(disk.FingerprintFile, "", "%v", err)
		}
	}
	if v.dir == nil {
		return
	}
	if info, err := v.dir.Stat(disk.LockFile); err == nil && !info.Mode().IsRegular() {
		path := store.ShellQuote(v.RelPath(disk.LockFile))
		v.fault(path, "mv "+path+" "+path+".odd", "is not a plain file")
	}
	names, _ := v.dir.Names(isIndex)
	for _, name := range names {
		v.isOdd(v.dir, name)
	}
}

// isOdd reports a link, a directory or the like in place of a file.
func (v *verification) isOdd(d *disk.Dir, name string) bool {
	err := oddness(d, name)
	if err != nil {
		v.fault(name, repair, "%v", err)
	}
	return err != nil
}

func oddness(d *disk.Dir, name string) error {
	f, err := d.Open(name)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fault.ErrIntegrity) {
		return nil
	}
	return err
}

func isIndex(name string) bool { return name == disk.IndexFile || disk.ArchiveNumber(name) > 0 }

const (
	tries = 20
	pause = 10 * time.Millisecond
)

// settle compares files and log, until what it doubts cannot be a change in progress.
func (v *verification) settle(ctx context.Context, ids []string) (err error) {
	if len(ids) > 0 {
		v.only = map[string]bool{}
	}
	for _, id := range ids {
		if h := v.log.facts.Of(id); h == nil || h.Pruned {
			return v.UnknownID(id)
		}
		v.only[id] = true
	}
	for try := 0; err == nil; try++ {
		v.differences = v.compare(v.view(), v.only)
		if len(v.doubtful()) == 0 || try == tries || v.log.damage != nil {
			break
		}
		if try > 0 {
			time.Sleep(pause)
		}
		before := v.log.count
		err = v.log.readOn()
		if v.dir != nil && err == nil && (try == 0 || before != v.log.count) {
			err = v.prove(ctx, v.compare(v.view(), v.only).doubtful())
		}
	}
	return err
}

func (v *verification) view() facts.View { return v.View(v.log.facts) }

// reportHandoffs reports what is wrong with listed handoffs.
func (v *verification) reportHandoffs() {
	v.Events, v.Head = v.log.count, v.log.head().String()
	v.Handoffs = len(v.whole) + len(v.gone)
	if v.Opt.Git == disk.GitTracked {
		v.Handoffs += len(v.unlogged)
	}
	for _, h := range v.whole {
		if err := v.by[h.File].signature; err != nil {
			v.fault(v.RelPath(signatureOf(h.ID)), v.remedy(signatureOf(h.ID)), "%v", err)
		}
	}
	for _, h := range v.gone {
		f := v.by[h.File]
		switch {
		case f.why != nil:
			v.fault(v.RelPath(h.File), v.remedy(h.File), "is not the handoff %s: %v", h.ID, f.why)
		case f.id != "":
			v.fault(v.RelPath(h.File), repair, "is the handoff %s, and %s should be there", f.id, h.ID)
		case v.log.facts.Sync.Remote != "":
			v.fault(v.RelPath(h.File), "handoff sync",
				"is missing: a sync brings it back; what does not come is "+
					"recorded as lost by `%s`", repair)
		default:
			v.fault(v.RelPath(h.File), repair, "is missing")
		}
	}
	for _, name := range v.unknown {
		remedy, why := "", v.by[name].why
		if errors.Is(why, fs.ErrPermission) {
			remedy = "chmod u+r " + store.ShellQuote(v.RelPath(name))
		}
		v.fault(v.RelPath(name), remedy, "cannot be read: %v", why)
	}
}

// remedy returns the command for a file that does not match.
func (v *verification) remedy(name string) string {
	command, _ := v.restore(name)
	return cmp.Or(command, repair)
}

// reportFiles reports files that do not belong.
func (v *verification) reportFiles() {
	isTracked := v.Opt.Git == disk.GitTracked
	switch {
	case isTracked || len(v.unlogged) == 0:
	case v.log.file == nil && v.log.facts.At == log.Start:
		remedy := v.remedy(v.unlogged[0])
		if remedy != repair {
			remedy = "handoff init --git tracked"
		}
		v.fault(log.FileName, remedy, "is missing: %s without a log", fault.Count(len(v.unlogged), "handoff"))
	default:
		for _, name := range v.unlogged {
			v.warn(v.RelPath(name), repair, "is a handoff that the log does not list")
		}
	}
	for _, h := range v.lost {
		remedy, _ := v.restore(h.File)
		if remedy == "" && v.log.facts.Sync.Remote != "" {
			remedy = "handoff sync"
		}
		v.warn(v.RelPath(h.File), remedy, "%s is lost; it counts again when its file is back", h.ID)
	}
	if !isTracked {
		for _, name := range v.left {
			v.warn(v.RelPath(name), repair, "was pruned, and the file is still there")
		}
	}
	for _, name := range v.odd {
		remedy := ""
		if v.by[name].isPointer {
			remedy = lfsPull
		}
		v.warn(v.RelPath(name), remedy, "is no handoff: %v", v.by[name].why)
	}
	if v.dir != nil {
		v.reportBeside()
	}
}

// reportBeside reports typed rows and temporary files.
func (v *verification) reportBeside() {
	for _, row := range v.typed() {
		v.warn(disk.IndexFile, repair, "somebody typed %q: rows typed there have no effect", row)
	}
	for _, d := range []*disk.Dir{v.dir, v.state, v.signs} {
		for _, name := range leftovers(d, v.Opt.Now()) {
			v.warn(name, repair, "was left by a killed command")
		}
	}
}

// typed returns the rows of INDEX.md that no event explains, also none of those that come meanwhile.
func (v *verification) typed() []string {
	for v.log.damage == nil && v.log.count > 0 {
		rows, _ := index.Typed(v.dir, v.view())
		before := v.log.count
		if len(rows) == 0 || v.log.readOn() != nil || before == v.log.count {
			return rows
		}
	}
	return nil
}

// leftovers returns the temporary files that are older than an hour.
func leftovers(d *disk.Dir, now time.Time) (names []string) {
	if d == nil {
		return nil
	}
	all, _ := d.Names(disk.IsTemp)
	for _, name := range all {
		if info, err := d.Stat(name); err == nil && now.Sub(info.ModTime()) > time.Hour {
			names = append(names, name)
		}
	}
	return names
}
