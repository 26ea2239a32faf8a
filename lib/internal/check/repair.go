package check

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A RepairReport lists what [Repair] did, in order.
type RepairReport struct {
	Done []string `json:"done"`
}

// Repair ends what [Verify] finds. If it fails, the report has what it did before. It fails with fault.ErrIntegrity for
// the store of another machine, with fault.ErrConfig if git tracks the state, and if a file cannot be read, which
// proves nothing about it.
func Repair(ctx context.Context, s *store.Store) (report RepairReport, err error) {
	report.Done = []string{}
	defer func() {
		err = fault.Explain(err, "the repair stopped; nothing was lost", "run it again to continue")
	}()
	if !store.IsThere(s.Opt.Dir) && !store.IsThere(s.Opt.StateDir) {
		return report, nil
	}
	done := func(text string) { report.Done = append(report.Done, text) }
	return report, s.Repair(ctx, done, func(r *store.Repair) error {
		m := &mending{files: files{Store: s, dir: r.Dir, by: map[string]file{}}, Repair: r}
		return m.mend(ctx)
	})
}

// A mending is one run of Repair under the lock.
type mending struct {
	files
	*store.Repair
	differences
	moved, gone []string // ids
}

func (m *mending) mend(ctx context.Context) error {
	indexes, _ := m.dir.Names(isIndex)
	for _, name := range indexes {
		if why := oddness(m.dir, name); why != nil {
			if _, err := m.SetAside(m.dir, name, why.Error()); err != nil {
				return err
			}
		}
	}
	names, err := m.dir.Names(store.IsDocument)
	if err != nil {
		return err
	}
	if m.signs, err = m.OpenSignatures(); err != nil {
		return err
	}
	if m.signs != nil {
		defer m.signs.Close()
	}
	if err := m.prove(ctx, names); err != nil {
		return err
	}
	m.differences = m.compare(m.Change.View, nil)
	for _, name := range m.unknown {
		return fmt.Errorf("cannot read %s: %w", m.RelPath(name), m.by[name].why)
	}
	for _, step := range []func() error{m.clean, m.setAside, m.adopt} {
		if err := step(); err != nil {
			return err
		}
	}
	if len(m.moved)+len(m.gone) > 0 {
		m.Add(log.Repair, log.Payload{Moved: m.moved, Lost: m.gone, Operator: m.Opt.Operator, Time: log.Stamp(m.Now)})
	}
	return nil
}

// clean removes what killed commands left.
func (m *mending) clean() error {
	for _, d := range []*disk.Dir{m.dir, m.State, m.signs} {
		for _, name := range leftovers(d, m.Opt.Now()) {
			if err := d.Remove(name); err != nil {
				return err
			}
			m.Say("removed " + name + ", which a killed command left")
		}
	}
	for _, name := range m.left {
		command, err := m.restore(name)
		if err == nil && command == "" {
			err = m.dir.Remove(name)
			m.Say("removed " + m.RelPath(name) + ", which was pruned")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setAside moves files that do not match aside, unless git tracks them.
func (m *mending) setAside() error {
	for _, h := range m.differences.gone {
		isMoved, err := m.setOneAside(m.dir, h.File, h.File, m.by[h.File].why)
		if err != nil {
			return err
		}
		if isMoved {
			m.moved = append(m.moved, h.ID)
		} else {
			m.gone = append(m.gone, h.ID)
		}
	}
	bad := map[string]error{} // by id: two files can be copies
	for _, f := range m.by {
		if f.signature != nil {
			bad[f.id] = f.signature
		}
	}
	for _, id := range slices.Sorted(maps.Keys(bad)) {
		if _, err := m.setOneAside(m.signs, disk.SignatureFile(id), signatureOf(id), bad[id]); err != nil {
			return err
		}
	}
	if lost := slices.Concat(m.moved, m.gone); len(lost) > 0 {
		m.Say("recorded as lost: " + fault.Some(lost))
	}
	return nil
}

// setOneAside moves a file aside if something is wrong with it. path is its name in the handoffs directory.
func (m *mending) setOneAside(d *disk.Dir, name, path string, why error) (isMoved bool, err error) {
	if why == nil {
		return false, nil
	}
	command, err := m.restore(path)
	if err != nil {
		return false, err
	}
	if command != "" {
		m.Say("left " + m.RelPath(path) + " to git: run `" + command + "`")
		return false, nil
	}
	_, err = m.SetAside(d, name, why.Error())
	return err == nil, err
}

// adopt makes the log list all whole documents, and say what was wrong with it.
func (m *mending) adopt() error {
	if m.At == log.Start && m.Why == "" && len(m.unlogged) > 0 {
		m.Why = "there was none"
	}
	if m.Why != "" {
		m.Add(log.Recovered, log.Payload{Operator: m.Opt.Operator, Reason: m.Why, Kept: m.Kept,
			Adopted: len(m.unlogged), Time: log.Stamp(m.Now)})
	}
	if m.Opt.Git == disk.GitTracked { // the accepted rules keep them out
		return nil
	}
	for i, name := range m.unlogged {
		doc, _, err := m.Prove(m.dir, name)
		if err == nil {
			err = m.Adopt(doc)
		}
		if err == nil && i%10_000 == 9_999 {
			err = m.Commit()
		}
		if err != nil {
			return err
		}
	}
	if count := len(m.unlogged); count > 0 {
		m.Say("adopted " + fault.Count(count, "handoff") + " that the log did not list")
	}
	return nil
}
