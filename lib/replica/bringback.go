package replica

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// BringBack puts back what a checkout, `git clean` or a lost disk took away, as far as the repository of sync has
// it: the audit log that was sent, and the files of handoffs. It says what it did, asks no remote, and changes
// nothing in a store that was never exchanged. Repair has to follow: it makes rows and marks of the two.
//
// The error is ErrIntegrity if something is lost that is not there, ErrBusy while a sync runs.
func BringBack(ctx ctx, s *handoff.Store, o Options) (done []string, err error) {
	lost := s.CheckSent()
	path, err := s.OutsidePath()
	if err != nil {
		return nil, lost
	}
	if _, err := os.Lstat(filepath.Join(path, layout.SyncRepo)); errors.Is(err, fs.ErrNotExist) {
		return nil, lost
	} else if err != nil {
		return nil, errors.Join(lost, err)
	}
	x := &syncing{Options: o, Store: s, logSize: 1 << 62}
	if x.Now == nil {
		x.Now = time.Now
	}
	defer x.close()
	if x.out, err = s.Outside(); err != nil {
		return nil, err
	}
	if x.repo, err = openRepo(ctx, x.out, x.Options); err != nil {
		return nil, err
	}
	if x.refs, err = x.repo.allRefs(ctx); err != nil {
		return nil, err
	}
	if x.writer, err = x.sender(); err != nil || x.writer == "" {
		return nil, errors.Join(lost, err)
	}
	if lost != nil {
		n, err := x.restoreLog(ctx)
		if err != nil {
			return nil, err
		}
		done = append(done, fmt.Sprintf("brought back the audit log that was sent, with %s", handoff.Count(n, "event")))
	}
	n, err := x.restoreDocuments(ctx)
	if n > 0 {
		done = append(done, "brought back "+handoff.Count(n, "handoff")+" from what was exchanged")
	}
	return done, err
}

// sender returns the writer whose ref is in the repository.
func (x *syncing) sender() (writer string, err error) {
	if p := x.loadProgress(); p.Writer != "" {
		return p.Writer, nil
	}
	for _, ref := range slices.Sorted(maps.Keys(x.refs)) {
		if of, is := strings.CutPrefix(ref, own("writers", "")); is {
			writer = of
		}
	}
	return writer, nil
}

// restoreLog puts back the log as it was sent, and says how many events it has.
func (x *syncing) restoreLog(ctx ctx) (events int, err error) {
	tip := x.refs[own("writers", x.writer)]
	if tip == "" {
		return 0, fault.New(fault.ErrIntegrity, "bring the state directory back from a backup, or run "+
			"`handoff machine-fingerprint regenerate` and then `handoff sync`",
			"the repository of sync has nothing of the writer %s", x.writer)
	}
	all, err := x.repo.changes(ctx, "", tip)
	if err != nil {
		return 0, x.repo.broken(err)
	}
	var want []wanted
	for n := 1; slices.ContainsFunc(all, func(c change) bool { return c.name == logFile(n) }); n++ {
		want = append(want, wanted{tip + ":" + logFile(n), maxLogFile})
	}
	texts, err := x.repo.read(ctx, want)
	if err != nil {
		return 0, err
	}
	log := bytes.Join(texts, nil)
	p := progress{}
	if _, err := p.followAll(log); err != nil {
		return 0, fault.New(fault.ErrIntegrity, "", "what was sent of the audit log cannot be used: %v", err)
	}
	if err := x.RestoreLog(ctx, x.writer, log); err != nil {
		return 0, err
	}
	if x.state, err = x.State(); err != nil {
		return 0, err
	}
	sent := x.loadProgress()
	located, err := x.locate(ctx, tip)
	if err != nil {
		return 0, err
	}
	located.Commit, located.Last = tip, sent.Last
	return p.Events, x.saveProgress(located)
}

// restoreDocuments puts back the files of handoffs that the log tells of and that are gone, if anybody has
// published them.
func (x *syncing) restoreDocuments(ctx ctx) (n int, err error) {
	if x.state == nil {
		if x.state, err = x.State(); err != nil || x.state == nil {
			return 0, err
		}
	}
	gone, err := x.gone()
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	sources, err := x.published(ctx, gone)
	if err != nil || len(sources) == 0 {
		return 0, err
	}
	return x.PutBack(sources)
}

// gone returns the handoffs that the log tells of, and whose files are not there.
func (x *syncing) gone() (map[string]*past, error) {
	log, done, err := x.openLog()
	if err != nil {
		return nil, err
	}
	defer done()
	missing := make(map[string]*past)
	for e := range eventlog.Scan(log, 0, &err) {
		s := parse(e)
		switch s.Type {
		case eventlog.TypeWrite, eventlog.TypeImport:
			if len(s.Time) >= len("0000-00-00") {
				missing[s.HandoffID] = &past{time: s.Time}
			}
		case eventlog.TypePrune:
			delete(missing, s.HandoffID)
		}
	}
	if err != nil {
		return nil, err
	}
	entries, err := x.List(handoff.Filter{})
	if err != nil && !errors.Is(err, fault.ErrIntegrity) {
		return nil, err
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(x.Dir(), e.File)); err == nil {
			delete(missing, e.ID)
		}
	}
	return missing, nil
}
